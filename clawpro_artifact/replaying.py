"""a shipped trial + its replay, both clean -> whether it went as recorded, else where it departs.

The model is held still by its cassette, so whatever differs is the runtime's (or the harness's)
doing. Requests are compared by conversation and position under the declared normaliser.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clawpro_artifact.formats import normal
from clawpro_artifact.model.trace import Exchange
from clawpro_artifact.model.trial import CheckResult, CleanTrial

Kind = Literal[
    "prompt", "tool list", "tool schema", "tool description", "default", "tool result", "ordering",
    "history", "compaction", "retry", "more requests", "fewer requests", "events", "outcome",
    "checks",
]  # fmt: skip
_SHOWN = 300


@dataclass(frozen=True)
class Departure:
    """One place where the replay is not the record: its kind, the step and both sides, shortened.

    `position` counts the requests of the conversation; `pointer` leads into the normalised request
    (or event). `own`: it is the first of its conversation, so nothing before explains it.
    """

    kind: Kind
    conversation: str
    position: int
    pointer: str
    recorded: str
    live: str
    own: bool = False


@dataclass(frozen=True)
class Replayed:
    """One trial. `equal`: trajectory, outcome, checks and record all are."""

    trial: str
    departures: tuple[Departure, ...]
    same_trajectory: bool
    same_checks: bool
    same_record: bool
    score: str | None = None
    live_score: str | None = None

    @property
    def equal(self) -> bool:
        """Whether the replay went as recorded."""
        return self.same_trajectory and self.same_checks and self.same_record

    @property
    def first(self) -> Departure | None:
        """The first step that differs."""
        return self.departures[0] if self.departures else None

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "trial": self.trial,
            "equal": self.equal,
            "same_trajectory": self.same_trajectory,
            "same_checks": self.same_checks,
            "same_record": self.same_record,
            "score": self.score,
            "live_score": self.live_score,
            "departures": [d.__dict__ for d in self.departures],
        }


def compare(
    shipped: CleanTrial,
    results: Sequence[CheckResult],
    record: Mapping[str, Any],
    live: CleanTrial,
    live_results: Sequence[CheckResult],
    live_record: Mapping[str, Any],
) -> Replayed:
    """What a replay shows. Records are compared without their durations."""
    departures = list(_requests(shipped.exchanges, live.exchanges))
    one, other = (_trajectory(t) for t in (shipped, live))
    same = one == other
    if not same and not departures:
        departures.append(_event(one, other))
    if shipped.outcome != live.outcome:
        departures.append(Departure("outcome", "main", len(live.exchanges), "",
                                    shipped.outcome, live.outcome))  # fmt: skip
    before, after = _statuses(results), _statuses(live_results)
    if before != after:
        odd = sorted(set(before.items()) ^ set(after.items()))
        departures.append(
            Departure("checks", "main", len(live.exchanges), f"/{odd[0][0]}",
                      str(before.get(odd[0][0])), str(after.get(odd[0][0])))
        )  # fmt: skip
    return Replayed(
        trial=shipped.spec.id,
        departures=tuple(departures),
        same_trajectory=same,
        same_checks=before == after,
        same_record=_lasting(record) == _lasting(live_record),
    )


def counted(replayed: Iterable[Replayed]) -> dict[str, dict[str, int]]:
    """Kind -> how many trials show it, and in how many it comes first."""
    seen: Counter[str] = Counter()
    first: Counter[str] = Counter()
    for one in replayed:
        seen.update({d.kind for d in one.departures})
        if one.first is not None:
            first[one.first.kind] += 1
    return {kind: {"trials": seen[kind], "first": first[kind]} for kind in sorted(seen)}


def _requests(shipped: Sequence[Exchange], live: Sequence[Exchange]) -> Iterable[Departure]:
    """Every pair of requests that differs, and requests that only one side made."""
    before, after = _by_conversation(shipped), _by_conversation(live)
    for name in sorted({*before, *after}, key=lambda n: (n != "main", n)):
        old, new = before.get(name, []), after.get(name, [])
        clean = True
        for position, (a, b) in enumerate(zip(old, new, strict=False)):
            found = normal.first_difference(normal.request(a.request), normal.request(b.request))
            if found is not None:
                yield _departure(a.request, b.request, name, position, found, clean)
                clean = False
        if len(new) > len(old):
            again = len(new) > 1 and new[len(old)].request == new[len(old) - 1].request
            kind: Kind = "retry" if again else "more requests"
            yield Departure(kind, name, len(old), "", f"{len(old)} requests", f"{len(new)}", clean)
        elif len(new) < len(old):
            yield Departure("fewer requests", name, len(new), "", f"{len(old)} requests",
                            f"{len(new)}", clean)  # fmt: skip


def _by_conversation(exchanges: Sequence[Exchange]) -> dict[str, list[Exchange]]:
    found: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        found[exchange.conversation].append(exchange)
    return found


def _departure(
    recorded: Mapping[str, Any],
    live: Mapping[str, Any],
    conversation: str,
    position: int,
    found: tuple[str, Any, Any],
    own: bool,
) -> Departure:
    pointer, old, new = found
    kind = _kind(recorded, live, pointer)
    return Departure(kind, conversation, position, pointer, *_around(old, new), own)


def _kind(recorded: Mapping[str, Any], live: Mapping[str, Any], pointer: str) -> Kind:
    """Tools before messages: what a model is offered explains what it is told."""
    if (offered := _tools_kind(recorded, live)) is not None:
        return offered
    if not pointer.startswith("/messages"):
        return "default"
    before, after = _messages(recorded), _messages(live)
    if len(after) < len(before):
        return "compaction"
    roles = [m.get("role") for m in before if isinstance(m, dict)]
    steps = pointer.split("/")
    at = int(steps[2]) if len(steps) > 2 and steps[2].isdigit() else 0
    role = roles[at] if at < len(roles) else None
    if role in ("system", "developer", "user"):
        return "prompt"
    if role == "tool":
        old, new = (_tool_texts(m) for m in (before, after))
        return "ordering" if sorted(old) == sorted(new) and old != new else "tool result"
    return "history"


def _tools_kind(recorded: Mapping[str, Any], live: Mapping[str, Any]) -> Kind | None:
    before, after = _functions(recorded), _functions(live)
    if list(before) != list(after):
        return "tool list"
    for name, old in before.items():
        new = after[name]
        if normal.value(old.get("parameters")) != normal.value(new.get("parameters")):
            return "tool schema"
        if normal.value(old) != normal.value(new):
            return "tool description"
    return None


def _functions(request: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    tools = request.get("tools")
    found: dict[str, dict[str, Any]] = {}
    for tool in tools if isinstance(tools, list) else ():
        function = tool.get("function", tool) if isinstance(tool, dict) else {}
        found[str(function.get("name"))] = function
    return found


def _messages(request: Mapping[str, Any]) -> list[Any]:
    messages = request.get("messages")
    return messages if isinstance(messages, list) else []


def _tool_texts(messages: Sequence[Any]) -> list[str]:
    return [
        json.dumps(normal.value(m.get("content")), sort_keys=True)
        for m in messages
        if isinstance(m, dict) and m.get("role") == "tool"
    ]


def _trajectory(trial: CleanTrial) -> list[dict[str, Any]]:
    return normal.trajectory(e.model_dump(mode="json") for e in trial.events)


def _event(one: Sequence[Any], other: Sequence[Any]) -> Departure:
    found = normal.first_difference(list(one), list(other))
    assert found is not None
    pointer, old, new = found
    step = pointer.split("/")
    position = int(step[1]) if len(step) > 1 and step[1].isdigit() else 0
    return Departure("events", "main", position, pointer, *_around(old, new), True)


def _statuses(results: Iterable[CheckResult]) -> dict[str, str]:
    return {r.id: r.status for r in results}


def _lasting(record: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in record.items() if k != "duration_ms"}


def _around(old: Any, new: Any) -> tuple[str, str]:
    """Both sides as text, from a little before the first character that differs."""
    a, b = (v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in (old, new))
    pairs = enumerate(zip(a, b, strict=False))
    same = next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))
    start = max(0, same - 60)
    return a[start : start + _SHOWN], b[start : start + _SHOWN]
