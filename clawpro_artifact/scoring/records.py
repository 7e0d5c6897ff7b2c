"""JSON lines -> TrialRecord, ScenarioFacts, Conditions: what scoring is given, checked strictly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

OUTCOMES = ("completed", "timed_out", "agent_failed", "infra_failed")
STATUSES = ("pass", "fail", "invalid_output", "check_error")
FACTS = ("requests", "repeated_errors", "ignored_errors", "abandoned_subagents")
WEIGHTS = ("alpha", "beta", "gamma", "lambda", "mu", "nu")
_DECIMAL = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


class RecordError(ValueError):
    """A record that cannot be scored: `pointer` (RFC 6901), `expected`, `found`.

    `incomplete` tells a missing trial (too few) from a malformed one.
    """

    def __init__(
        self, where: str, pointer: str, expected: str, found: object, incomplete: bool = False
    ) -> None:
        shown = json.dumps(found, ensure_ascii=True, default=str)[:120]
        super().__init__(f"{where}{pointer}: expected {expected}, found {shown}")
        self.where, self.pointer = where, pointer
        self.expected, self.found, self.incomplete = expected, shown, incomplete


@dataclass(frozen=True)
class Result:
    """One recorded check or process fact."""

    id: str
    group: str
    weight: Decimal
    status: str


@dataclass(frozen=True)
class TrialRecord:
    """One planned trial; `facts` are FACTS, `breaches` the rules that were broken."""

    configuration: str
    scenario: str
    index: int
    outcome: str
    reason: str
    checks: tuple[Result, ...]
    process: tuple[Result, ...]
    breaches: tuple[str, ...]
    facts: dict[str, int]
    usage: dict[str, int | None] | None
    duration_ms: int

    @property
    def id(self) -> str:
        """`configuration/scenario/index`."""
        return f"{self.configuration}/{self.scenario}/{self.index}"


@dataclass(frozen=True)
class ScenarioFacts:
    """What scoring needs to know of a scenario."""

    scenario: str
    track: str
    surface: str
    native: bool
    domain: str
    dimension: str
    difficulty: str
    weight: Decimal
    threshold: Decimal
    groups: dict[str, Decimal]
    can_breach: bool
    optimal_requests: int
    request_limit: int


@dataclass(frozen=True)
class Conditions:
    """What was fixed before the run: `k`, `seed`, weights, and digests for the signature."""

    k: int
    seed: int
    weights: dict[str, Decimal]
    digests: dict[str, str]


Shape = Any  # a dict of shapes (exactly these keys), [shape], or a function of (value, where, at)


def fit(value: Any, shape: Shape, where: str, at: str = "") -> Any:
    """`value` as `shape` reads it; RecordError with the pointer of the first misfit."""
    if isinstance(shape, dict):
        if not isinstance(value, dict) or set(value) != set(shape):
            found = sorted(value) if isinstance(value, dict) else value
            keys = ", ".join(sorted(shape))
            raise RecordError(where, at, f"exactly the keys {keys}", found)
        return {key: fit(value[key], one, where, f"{at}/{key}") for key, one in shape.items()}
    if isinstance(shape, list):
        if not isinstance(value, list):
            raise RecordError(where, at, "an array", value)
        return [fit(v, shape[0], where, f"{at}/{i}") for i, v in enumerate(value)]
    return shape(value, where, at)


def _is(expected: str, good: Callable[[Any], bool]) -> Callable[[Any, str, str], Any]:
    def read(value: Any, where: str, at: str) -> Any:
        if not good(value):
            raise RecordError(where, at, expected, value)
        return value

    return read


def _decimal(expected: str, good: Callable[[Decimal], bool]) -> Callable[[Any, str, str], Decimal]:
    def read(value: Any, where: str, at: str) -> Decimal:
        text = isinstance(value, str) and _DECIMAL.fullmatch(value)
        if not text or not good(Decimal(value)):
            raise RecordError(where, at, f'a decimal string ("0.25") {expected}', value)
        return Decimal(value)

    return read


def _usage(value: Any, where: str, at: str) -> dict[str, int | None] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise RecordError(where, at, "an object or null", value)
    return {k: v if v is None else _count(v, where, f"{at}/{k}") for k, v in value.items()}


_text = _is("a text", lambda v: isinstance(v, str) and v != "")
_any_text = _is("a text", lambda v: isinstance(v, str))
_flag = _is("true or false", lambda v: isinstance(v, bool))
_count = _is("a whole number, 0 or more", lambda v: type(v) is int and v >= 0)
_status = _is("one of " + ", ".join(STATUSES), lambda v: v in STATUSES)
_outcome = _is("one of " + ", ".join(OUTCOMES), lambda v: v in OUTCOMES)
_weight = _decimal("from 0", lambda d: d >= 0)
_positive = _decimal("above 0", lambda d: d > 0)
_share = _decimal("from 0 to 1", lambda d: d <= 1)

_FACT = {"id": _text, "weight": _positive, "status": _status}
_TRIAL: Shape = {
    "configuration": _text,
    "scenario": _text,
    "index": _count,
    "outcome": _outcome,
    "reason": _any_text,
    "checks": [{**_FACT, "group": _text}],
    "process": [_FACT],
    "safety": [{"id": _text, "breached": _flag}],
    "facts": dict.fromkeys(FACTS, _count),
    "usage": _usage,
    "duration_ms": _count,
}
_SCENARIO: Shape = {
    **dict.fromkeys(("scenario", "track", "surface", "domain", "dimension", "difficulty"), _text),
    **dict.fromkeys(("native", "can_breach"), _flag),
    **dict.fromkeys(("optimal_requests", "request_limit"), _count),
    "weight": _weight,
    "threshold": _share,
}


def lines(data: bytes, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(place, object) of each JSON line; RecordError for what is none."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line:
            yield f"{where}:{number}", _object(line, f"{where}:{number}")


def _object(line: bytes, where: str) -> dict[str, Any]:
    def refuse(text: str) -> None:
        raise RecordError(where, "", "a finite number", text)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise RecordError(where, "", "keys that occur once", [k for k, _ in pairs])
        return dict(pairs)

    try:
        value = json.loads(line, parse_constant=refuse, object_pairs_hook=unique)
    except RecordError:
        raise
    except (ValueError, RecursionError) as error:
        raise RecordError(where, "", "a JSON object", str(error)) from None
    if not isinstance(value, dict):
        raise RecordError(where, "", "a JSON object", value)
    return value


def trial_record(value: dict[str, Any], where: str) -> TrialRecord:
    """A line of `records.jsonl`: every key is known, every value of its type and range."""
    read = fit(value, _TRIAL, where)
    breaches = tuple(rule["id"] for rule in read.pop("safety") if rule["breached"])
    read["checks"] = tuple(Result(**row) for row in read["checks"])
    read["process"] = tuple(Result(group="", **row) for row in read["process"])
    return TrialRecord(breaches=breaches, **read)


def scenario_facts(value: dict[str, Any], where: str) -> ScenarioFacts:
    """A line of `scenarios.jsonl`; keys that scoring does not use are left alone."""
    given = {name: value.get(name) for name in _SCENARIO}
    groups = value.get("groups")
    if not isinstance(groups, dict) or not groups:
        raise RecordError(where, "/groups", "an object of weights", groups)
    weights = {name: _weight(w, where, f"/groups/{name}") for name, w in groups.items()}
    return ScenarioFacts(groups=weights, **fit(given, _SCENARIO, where))


def conditions(lock: dict[str, Any], weights_digest: str) -> Conditions:
    """Out of a release's lock."""
    manifest = lock["manifest"]
    weights = fit(manifest["weights"], dict.fromkeys(WEIGHTS, _weight), "lock", "/manifest/weights")
    if weights["alpha"] + weights["beta"] + weights["gamma"] != 1:
        raise RecordError("lock", "/manifest/weights", "alpha + beta + gamma = 1",
                          manifest["weights"])  # fmt: skip
    k = _count(manifest["trials"], "lock", "/manifest/trials")
    if k < 3:
        raise RecordError("lock", "/manifest/trials", "k >= 3", k, incomplete=True)
    seed = _count(manifest["seed"], "lock", "/manifest/seed")
    digests = {name: lock[name] for name in ("scoring", "sanitizing", "checking")}
    return Conditions(k, seed, weights, {**digests, "weights": weights_digest})


def check_plan(records: Iterable[TrialRecord], k: int) -> None:
    """Each cell holds indices 0 .. k-1, each once; RecordError otherwise."""
    cells: dict[str, set[int]] = {}
    for record in records:
        cell = cells.setdefault(f"{record.configuration}/{record.scenario}", set())
        if record.index in cell:
            raise RecordError(record.id, "/index", "each trial once", record.index)
        cell.add(record.index)
    for where, found in cells.items():
        if found != set(range(k)):
            raise RecordError(where, "/index", f"trials 0 to {k - 1}", sorted(found), True)
