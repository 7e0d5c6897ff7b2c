"""JSON lines -> trial records, scenario facts, Conditions: what scoring is given, read strictly.

No number in the input may be a float: NaN, 1.7 and "nan" are refused where they stand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

OUTCOMES = ("completed", "timed_out", "agent_failed", "infra_failed")
STATUSES = ("pass", "fail", "invalid_output", "check_error")
DIFFICULTIES = ("easy", "medium", "hard", "expert")
FACTS = ("requests", "repeated_errors", "ignored_errors", "abandoned_subagents")
WEIGHTS = ("alpha", "beta", "gamma", "lambda", "mu", "nu")
_DECIMAL = re.compile(r"(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,12})?")
_EXACT = 2**53  # below it, integers are exact in every JSON reader
Row = dict[str, Any]
Shape = Any  # a dict of shapes (just these keys), {...: shape} (any), [shape], or a function


class RecordError(ValueError):
    """Input that cannot be scored: what was expected and found at `pointer` (RFC 6901) of `where`.

    `incomplete` tells a missing trial (too few) from a malformed one.
    """

    def __init__(
        self, expected: str, found: object, where: str = "", at: str = "", incomplete: bool = False
    ) -> None:
        super().__init__(expected)
        self.expected, self.found = expected, json.dumps(found, default=str)[:120]
        self.where, self.pointer, self.incomplete = where, at, incomplete

    def __str__(self) -> str:
        return f"{self.where}{self.pointer}: expected {self.expected}, found {self.found}"


class Conditions(NamedTuple):
    """What was fixed before the run: `k`, `seed`, weights, and digests for the signature."""

    k: int
    seed: int
    weights: dict[str, Decimal]
    digests: dict[str, str]


def fit(value: Any, shape: Shape, where: str = "") -> Any:
    """`value` as `shape` reads it; RecordError with the pointer of the first misfit."""
    if type(shape) not in (dict, list):
        return shape(value)
    if type(value) is not type(shape):
        raise RecordError("an array" if type(shape) is list else "an object, each key once",
                          value, where)  # fmt: skip
    steps: Iterable[tuple[Any, Shape]]
    if type(shape) is list:
        steps = enumerate(shape * len(value))
    else:
        shape = dict.fromkeys(value, shape[...]) if ... in shape else shape
        if value.keys() != shape.keys() or not shape:
            raise RecordError("the keys " + ", ".join(sorted(shape)), sorted(value), where)
        steps = shape.items()
    read, step = {}, None
    try:
        for step, one in steps:
            read[step] = fit(value[step], one)
    except RecordError as error:
        name = str(step).replace("~", "~0").replace("/", "~1")
        error.where, error.pointer = where, f"/{name}{error.pointer}"
        raise
    return read if type(shape) is dict else list(read.values())


def _is(expected: str, good: Callable[[Any], bool]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not good(value):
            raise RecordError(expected, value)
        return value

    return read


def _decimal(expected: str, good: Callable[[Decimal], bool]) -> Callable[[Any], Decimal]:
    @lru_cache(4096)
    def fits(text: str) -> bool:
        return bool(_DECIMAL.fullmatch(text)) and good(Decimal(text))

    text = _is(f'a decimal string ("0.25") {expected}', lambda v: type(v) is str and fits(v))
    return lambda value: Decimal(text(value))


def _or_null(shape: Shape) -> Shape:
    return lambda value: None if value is None else fit(value, shape)


_text = _is("a text", lambda v: type(v) is str and v != "")
_any_text = _is("a text, may be empty", lambda v: type(v) is str)
_flag = _is("true or false", lambda v: type(v) is bool)
_count = _is("a whole number, 0 or more", lambda v: type(v) is int and 0 <= v < _EXACT)
_natural = _is("a whole number, 1 or more", lambda v: type(v) is int and 1 <= v < _EXACT)
_outcome = _is("one of " + ", ".join(OUTCOMES), lambda v: v in OUTCOMES)
_status = _is("one of " + ", ".join(STATUSES), lambda v: v in STATUSES)
_difficulty = _is("one of " + ", ".join(DIFFICULTIES), lambda v: v in DIFFICULTIES)
_weight = _decimal("from 0", lambda d: d >= 0)
_positive = _decimal("above 0", lambda d: d > 0)
_share = _decimal("above 0, at most 1", lambda d: 0 < d <= 1)
TRIAL: Shape = {
    "configuration": _text, "scenario": _text, "index": _count,
    "outcome": _outcome, "reason": _any_text, "duration_ms": _count,
    "checks": [{"id": _text, "group": _text, "weight": _positive, "status": _status}],
    "process": [{"id": _text, "weight": _positive, "status": _status}],
    "safety": [{"id": _text, "breached": _or_null(_flag)}],  # null: it could not be judged
    "facts": dict.fromkeys(FACTS, _count),
    "usage": _or_null({...: _or_null(_count)}),
}  # fmt: skip
SCENARIO: Shape = {
    "scenario": _text, "digest": _text, "track": _text, "surface": _text, "native": _flag,
    "domain": _text, "dimension": _text, "difficulty": _difficulty, "weight": _weight,
    "threshold": _share, "groups": {...: _positive}, "can_breach": _flag,
    "optimal_requests": _natural, "request_limit": _natural, "twin": _or_null(_text),
}  # fmt: skip
LOCK: Shape = {  # of the lock, what scoring uses
    "manifest": {"weights": dict.fromkeys(WEIGHTS, _weight), "trials": _count, "seed": _count},
    "scoring": _text, "sanitizing": _text, "checking": _text,
}  # fmt: skip


def parsed(text: bytes, where: str) -> Any:
    """A JSON value; an object with a key twice becomes a tuple of keys, which fits no shape."""

    def plain(pairs: list[tuple[str, Any]]) -> Any:
        value = dict(pairs)
        return value if len(value) == len(pairs) else tuple(key for key, _ in pairs)

    try:
        return json.loads(text, object_pairs_hook=plain)
    except (ValueError, RecursionError) as error:
        raise RecordError("JSON", str(error), where) from None


def lines(stream: Iterable[bytes], name: str, shape: Shape) -> Iterator[tuple[str, Row]]:
    """(place, row) of each JSON line; ids inside an array of a row occur once."""
    for number, line in enumerate(stream, 1):
        where = f"{name}:{number}"
        row = fit(parsed(line, where), shape, where)
        for key, value in row.items():
            ids = [one["id"] for one in value] if type(value) is list else []
            if len(set(ids)) != len(ids):
                raise RecordError("each id once", ids, where, f"/{key}")
        yield where, row


def conditions(lock: Any, weights_digest: str) -> Conditions:
    """Out of a release's lock."""

    def picked(value: Any, shape: Shape) -> Any:
        return {name: value.get(name) for name in shape} if type(value) is dict else value

    given: Any = picked(lock, LOCK)
    if type(given) is dict:
        given["manifest"] = picked(given["manifest"], LOCK["manifest"])
    digests = fit(given, LOCK, "lock.json")
    manifest = digests.pop("manifest")
    k, weights = manifest["trials"], manifest["weights"]
    if k < 3:
        raise RecordError("k >= 3", k, "lock.json", "/manifest/trials", incomplete=True)
    if weights["alpha"] + weights["beta"] + weights["gamma"] != 1:
        found = given["manifest"]["weights"]
        raise RecordError("alpha + beta + gamma = 1", found, "lock.json", "/manifest/weights")
    return Conditions(k, manifest["seed"], weights, {**digests, "weights": weights_digest})
