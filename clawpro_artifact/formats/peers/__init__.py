"""a trace <-> the documents of other tools: one neutral Told for all of them.

Nothing is recomputed: numbers are those of the bundle, read as decimals and written as JSON numbers
because the peers' schemas want them so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from clawpro_artifact.model.trace import Event, EventKind


@dataclass(frozen=True)
class Told:
    """One trial as other tools are told of it.

    `scores`: names such as `score`, `strict`, `breached` -> value. `started`: RFC 3339.
    """

    trial: str
    scenario: str
    index: int
    agent: str
    agent_version: str
    model: str
    provider: str
    started: str
    duration_ms: int
    outcome: str
    answer: str | None
    events: tuple[Event, ...]
    usage: dict[str, int | None]
    scores: dict[str, float | int | bool | None]


def numbered(rows: Iterable[tuple[EventKind, dict[str, Any], str]]) -> tuple[Event, ...]:
    """(kind, data, conversation) of an imported trace -> events."""
    return tuple(
        Event(seq=n, kind=kind, witness="store", conversation=where, data=data)
        for n, (kind, data, where) in enumerate(rows)
    )


def results(events: Iterable[Event]) -> dict[str, Event]:
    """Call id -> its result."""
    return {str(e.data.get("call")): e for e in events if e.kind == "tool_result"}
