"""JSON lines -> trial records, scenario facts, Conditions: what scoring is given, read strictly.

No number in the input may be a float: NaN, 1.7 and "nan" are refused where they stand.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

OUTCOMES = ("completed", "timed_out", "agent_failed", "infra_failed")
STATUSES = ("pass", "fail", "invalid_output", "check_error")
DIFFICULTIES = ("easy", "medium", "hard", "expert")
FACTS = ("requests", "repeated_errors", "ignored_errors", "abandoned_subagents")
WEIGHTS = ("alpha", "beta", "gamma", "lambda", "mu", "nu")
_DECIMAL = re.compile(r"(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,12})?")
_EXACT = 2**53  # below it, integers are exact in every JSON reader
Row = dict[str, Any]
Reader = Callable[[Any], Any]  # JSON value -> what it means, or RecordError


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


def fit(value: Any, reader: Reader, where: str) -> Any:
    """What `reader` makes of `value`; RecordError with the pointer of the first misfit."""
    try:
        return reader(value)
    except RecordError as error:
        error.where = where
        raise


def _each(items: Iterable[tuple[Any, Reader]], value: Any) -> Row:
    read, step = {}, None
    try:
        for step, reader in items:
            read[step] = reader(value[step])
    except RecordError as error:
        error.pointer = f"/{str(step).replace('~', '~0').replace('/', '~1')}{error.pointer}"
        raise
    return read


def _object(**readers: Reader) -> Reader:
    items, expected = tuple(readers.items()), "the keys " + ", ".join(sorted(readers))

    def read(value: Any) -> Row:
        if type(value) is not dict or value.keys() != readers.keys():
            raise RecordError(expected, sorted(value) if type(value) is dict else value)
        return _each(items, value)

    return read


def _map(reader: Reader) -> Reader:
    def read(value: Any) -> Row:
        if type(value) is not dict or not value:
            raise RecordError("an object that is not empty, each key once", value)
        return _each(((key, reader) for key in value), value)

    return read


def _array(reader: Reader) -> Reader:
    def read(value: Any) -> list[Any]:
        if type(value) is not list:
            raise RecordError("an array", value)
        return list(_each(((i, reader) for i in range(len(value))), value).values())

    return read


def _known(reader: Reader) -> Reader:
    """Reads an object of texts once: what every trial of a scenario repeats (65,536 at a time)."""
    seen: dict[tuple[Any, ...], Row] = {}

    def read(value: Any) -> Row:
        try:
            return seen[tuple(value.items())]
        except (AttributeError, KeyError, TypeError):
            row: Row = reader(value)
        if len(seen) >= 1 << 16:
            seen.clear()
        return seen.setdefault(tuple(value.items()), row)

    return read


def _is(expected: str, good: Callable[[Any], bool]) -> Reader:
    def read(value: Any) -> Any:
        if not good(value):
            raise RecordError(expected, value)
        return value

    return read


def _one_of(words: tuple[str, ...]) -> Reader:
    return _is("one of " + ", ".join(words), lambda v: v in words)


def _decimal(expected: str, good: Callable[[Decimal], bool]) -> Reader:
    def fits(value: Any) -> bool:
        return type(value) is str and bool(_DECIMAL.fullmatch(value)) and good(Decimal(value))

    text = _is(f'a decimal string ("0.25") {expected}', fits)
    return lambda value: Decimal(text(value))


def _or_null(reader: Reader) -> Reader:
    return lambda value: None if value is None else reader(value)


_text = _is("a text", lambda v: type(v) is str and v != "")
_any_text = _is("a text, may be empty", lambda v: type(v) is str)
_flag = _is("true or false", lambda v: type(v) is bool)
_count = _is("a whole number, 0 or more", lambda v: type(v) is int and 0 <= v < _EXACT)
_natural = _is("a whole number, 1 or more", lambda v: type(v) is int and 1 <= v < _EXACT)
_weight = _decimal("from 0", lambda d: d >= 0)
_positive = _decimal("above 0", lambda d: d > 0)
_share = _decimal("above 0, at most 1", lambda d: 0 < d <= 1)
_fact = {"id": _text, "weight": _positive, "status": _one_of(STATUSES)}
TRIAL = _object(
    configuration=_text, scenario=_text, index=_count, outcome=_one_of(OUTCOMES),
    reason=_any_text, checks=_array(_known(_object(**_fact, group=_text))),
    process=_array(_known(_object(**_fact))),
    safety=_array(_object(id=_text, breached=_or_null(_flag))),  # null: could not be judged
    facts=_object(**dict.fromkeys(FACTS, _count)), usage=_or_null(_map(_or_null(_count))),
    duration_ms=_count,
)  # fmt: skip
SCENARIO = _object(
    scenario=_text, digest=_text, track=_text, surface=_text, native=_flag, domain=_text,
    dimension=_text, difficulty=_one_of(DIFFICULTIES), weight=_weight, threshold=_share,
    groups=_map(_positive), can_breach=_flag, optimal_requests=_natural,
    request_limit=_natural, twin=_or_null(_text),
)  # fmt: skip
_WEIGHTS = _object(**dict.fromkeys(WEIGHTS, _weight))


def _plain(pairs: list[tuple[str, Any]]) -> Any:
    """An object; one with a key twice becomes a tuple of its keys, which no reader takes."""
    value = dict(pairs)
    return value if len(value) == len(pairs) else tuple(key for key, _ in pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_plain)
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def encode(value: Any) -> bytes:
    """Sorted keys, no white space, UTF-8: RFC 8785 for strings and integers."""
    return _ENCODER.encode(value).encode()


def parsed(text: bytes, where: str) -> Any:
    """A JSON value in UTF-8, without lone surrogates."""
    try:
        value = _DECODER.decode(text.decode())
        return value if b"\\u" not in text else encode(value) and value
    except (ValueError, RecursionError) as error:
        raise RecordError("JSON", str(error), where) from None


def lines(stream: Iterable[bytes], name: str, reader: Reader) -> Iterator[tuple[str, Row]]:
    """(place, row) of each JSON line; ids inside an array of a row occur once."""
    for number, line in enumerate(stream, 1):
        where = f"{name}:{number}"
        row = fit(parsed(line, where), reader, where)
        for key, value in row.items():
            if type(value) is list and len({one["id"] for one in value}) != len(value):
                ids = [one["id"] for one in value]
                raise RecordError("each id once", ids, where, f"/{key}")
        yield where, row


def conditions(lock: Any) -> Conditions:
    """Out of a release's lock, of which only what scoring uses is looked at."""

    def at(*path: str, reader: Reader) -> Any:
        value = lock
        for step in path:
            value = value.get(step) if type(value) is dict else None
        return fit(value, reader, "lock.json#/" + "/".join(path))

    weights = at("manifest", "weights", reader=_WEIGHTS)
    if weights["alpha"] + weights["beta"] + weights["gamma"] != 1:
        raise RecordError("alpha + beta + gamma = 1", weights, "lock.json#/manifest/weights")
    k = at("manifest", "trials", reader=_count)
    if k < 3:
        raise RecordError("k >= 3", k, "lock.json#/manifest/trials", incomplete=True)
    digests = {name: at(name, reader=_text) for name in ("scoring", "sanitizing", "checking")}
    printed = encode({name: str(value) for name, value in weights.items()})
    digests["weights"] = "sha256:" + hashlib.sha256(printed).hexdigest()
    return Conditions(k, at("manifest", "seed", reader=_count), weights, digests)
