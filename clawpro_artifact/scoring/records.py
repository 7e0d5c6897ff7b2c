"""JSON lines -> TrialRecord, ScenarioFacts, Conditions: what scoring is given, checked strictly."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

OUTCOMES = ("completed", "timed_out", "agent_failed", "infra_failed")
STATUSES = ("pass", "fail", "invalid_output", "check_error")
WEIGHTS = ("alpha", "beta", "gamma", "lambda", "mu", "nu")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


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
        self.expected, self.found = expected, shown
        self.incomplete = incomplete


@dataclass(frozen=True)
class Result:
    """One recorded check or process fact."""

    id: str
    group: str
    weight: Decimal
    status: str


@dataclass(frozen=True)
class TrialRecord:
    """One planned trial. `facts` counts requests, repeated and ignored errors, lost subagents."""

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
    """Checked strictly: every key is known, every value of its type and range."""
    known = {
        "configuration", "scenario", "index", "outcome", "reason", "checks", "process", "safety",
        "facts", "usage", "duration_ms",
    }  # fmt: skip
    _keys(value, known, where, "")
    outcome = value["outcome"]
    if outcome not in OUTCOMES:
        raise RecordError(where, "/outcome", "one of " + ", ".join(OUTCOMES), outcome)
    breaches = []
    for i, rule in enumerate(_list(value["safety"], where, "/safety")):
        _keys(rule, {"id", "breached"}, where, f"/safety/{i}")
        if not isinstance(rule["breached"], bool):
            raise RecordError(where, f"/safety/{i}/breached", "true or false", rule["breached"])
        if rule["breached"]:
            breaches.append(_text(rule["id"], where, f"/safety/{i}/id"))
    facts = value["facts"]
    names = {"requests", "repeated_errors", "ignored_errors", "abandoned_subagents"}
    _keys(facts, names, where, "/facts")
    usage = value["usage"]
    if usage is not None:
        if not isinstance(usage, dict):
            raise RecordError(where, "/usage", "an object or null", usage)
        for name, count in usage.items():
            if count is not None:
                _count(count, where, f"/usage/{name}")
    return TrialRecord(
        configuration=_text(value["configuration"], where, "/configuration"),
        scenario=_text(value["scenario"], where, "/scenario"),
        index=_count(value["index"], where, "/index"),
        outcome=outcome,
        reason=value["reason"] if isinstance(value["reason"], str) else "",
        checks=tuple(_results(value, "checks", where)),
        process=tuple(_results(value, "process", where)),
        breaches=tuple(breaches),
        facts={name: _count(facts[name], where, f"/facts/{name}") for name in sorted(names)},
        usage=usage,
        duration_ms=_count(value["duration_ms"], where, "/duration_ms"),
    )


def _results(value: dict[str, Any], key: str, where: str) -> Iterator[Result]:
    known = {"id", "weight", "status"} | ({"group"} if key == "checks" else set())
    for i, row in enumerate(_list(value[key], where, f"/{key}")):
        at = f"/{key}/{i}"
        _keys(row, known, where, at)
        if row["status"] not in STATUSES:
            raise RecordError(where, f"{at}/status", "one of " + ", ".join(STATUSES), row["status"])
        group = _text(row["group"], where, f"{at}/group") if key == "checks" else ""
        weight = decimal(row["weight"], where, f"{at}/weight")
        if weight <= 0:
            raise RecordError(where, f"{at}/weight", "a weight above 0", row["weight"])
        yield Result(_text(row["id"], where, f"{at}/id"), group, weight, row["status"])


def scenario_facts(value: dict[str, Any], where: str) -> ScenarioFacts:
    """A line of `scenarios.jsonl`; keys that scoring does not use are left alone."""
    try:
        groups = {name: decimal(w, where, f"/groups/{name}") for name, w in value["groups"].items()}
        return ScenarioFacts(
            scenario=_text(value["scenario"], where, "/scenario"),
            track=_text(value["track"], where, "/track"),
            surface=_text(value["surface"], where, "/surface"),
            native=bool(value["native"]),
            domain=_text(value["domain"], where, "/domain"),
            dimension=_text(value["dimension"], where, "/dimension"),
            difficulty=_text(value["difficulty"], where, "/difficulty"),
            weight=decimal(value["weight"], where, "/weight"),
            threshold=decimal(value["threshold"], where, "/threshold", most=1),
            groups=groups,
            can_breach=bool(value["can_breach"]),
            optimal_requests=_count(value["optimal_requests"], where, "/optimal_requests"),
            request_limit=_count(value["request_limit"], where, "/request_limit"),
        )
    except KeyError as error:
        raise RecordError(where, "", f"the key {error.args[0]}", sorted(value)) from None


def conditions(lock: dict[str, Any], weights_digest: str) -> Conditions:
    """Out of a release's lock."""
    manifest = lock["manifest"]
    weights = {n: decimal(manifest["weights"][n], "lock", f"/weights/{n}") for n in WEIGHTS}
    if weights["alpha"] + weights["beta"] + weights["gamma"] != 1:
        raise RecordError("lock", "/manifest/weights", "alpha + beta + gamma = 1",
                          manifest["weights"])  # fmt: skip
    digests = {name: lock[name] for name in ("scoring", "sanitizing", "checking")}
    k = _count(manifest["trials"], "lock", "/manifest/trials")
    if k < 3:
        raise RecordError("lock", "/manifest/trials", "k >= 3", k, incomplete=True)
    seed = _count(manifest["seed"], "lock", "/manifest/seed")
    return Conditions(k, seed, weights, {**digests, "weights": weights_digest})


def check_plan(records: Iterable[TrialRecord], k: int) -> None:
    """Each cell holds indices 0 .. k-1, each once; RecordError otherwise."""
    cells: dict[tuple[str, str], set[int]] = {}
    for record in records:
        cell = cells.setdefault((record.configuration, record.scenario), set())
        if record.index in cell:
            raise RecordError(record.id, "/index", "each trial once", record.index)
        cell.add(record.index)
    for (configuration, scenario), found in cells.items():
        if found != set(range(k)):
            where = f"{configuration}/{scenario}"
            raise RecordError(where, "/index", f"trials 0 to {k - 1}", sorted(found), True)


def decimal(value: object, where: str, pointer: str, most: int | None = None) -> Decimal:
    """A number that matters: a decimal string, not negative."""
    if not isinstance(value, str) or _DECIMAL.fullmatch(value) is None:
        raise RecordError(where, pointer, 'a decimal string such as "0.25"', value)
    number = Decimal(value)
    if number < 0 or (most is not None and number > most):
        raise RecordError(where, pointer, f"a number from 0 to {most or 'any'}", value)
    return number


def _count(value: object, where: str, pointer: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RecordError(where, pointer, "a whole number, 0 or more", value)
    return value


def _text(value: object, where: str, pointer: str) -> str:
    if not isinstance(value, str) or not value:
        raise RecordError(where, pointer, "a text", value)
    return value


def _list(value: object, where: str, pointer: str) -> list[Any]:
    if not isinstance(value, list):
        raise RecordError(where, pointer, "an array", value)
    return value


def _keys(value: object, known: set[str], where: str, pointer: str) -> None:
    if not isinstance(value, dict) or set(value) != known:
        found = sorted(value) if isinstance(value, dict) else value
        raise RecordError(where, pointer, "exactly the keys " + ", ".join(sorted(known)), found)
