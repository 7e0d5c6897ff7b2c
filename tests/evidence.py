"""files, events -> Context: clean evidence for tests of checks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from clawpro_artifact.checking import KINDS, Context
from clawpro_artifact.checking.library import Found, arguments_of
from clawpro_artifact.model.manifest import Limits
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.trace import Event
from clawpro_artifact.model.trial import (
    Attempt,
    CleanTrial,
    Evidence,
    LeakFact,
    Snapshot,
    SnapshotEntry,
    Usage,
)

Files = Mapping[str, bytes | SnapshotEntry]


def context(
    *,
    answer: str | None = None,
    before: Files | None = None,
    after: Files | None = None,
    events: Sequence[Event] = (),
    stores: Mapping[str, Any] | None = None,
    leaks: Sequence[LeakFact] = (),
    **holdout: Any,
) -> Context:
    """A context over given evidence; `after` defaults to `before`."""
    blobs: dict[str, bytes] = {}
    old = _snapshot(before or {}, blobs)
    trial = CleanTrial(
        spec=TrialSpec(
            configuration="c",
            scenario="s",
            index=0,
            track="full",
            surface="workspace",
            seed=1,
            limits=Limits(wall_seconds=1, requests=1, output_tokens=1),
        ),
        attempts=(
            Attempt(
                number=1,
                outcome="completed",
                reason="r",
                started_at="2026-01-01T00:00:00Z",
                duration_ms=0,
                isolation="none",
                transport="http",
            ),
        ),
        outcome="completed",
        usage=Usage(requests=3),
        events=tuple(events),
        exchanges=(),
        evidence=Evidence(
            answer=answer,
            before=old,
            after=old if after is None else _snapshot(after, blobs),
            stores=dict(stores or {}),
        ),
        leaks=tuple(leaks),
        sanitizer="test",
    )
    return Context(trial, blobs.__getitem__, **holdout)


def _snapshot(files: Files, blobs: dict[str, bytes]) -> Snapshot:
    entries = []
    for path, data in sorted(files.items()):
        if isinstance(data, SnapshotEntry):
            entries.append(data)
            continue
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        entries.append(SnapshotEntry(path=path, kind="file", size=len(data), digest=digest))
    return Snapshot(entries=tuple(entries))


def judge(name: str, arguments: dict[str, Any], given: Context) -> Found:
    """One kind over one context, exceptions not caught."""
    return KINDS[name].judge(arguments_of(name, arguments, "test"), given)


def called(*calls: tuple[str, dict[str, Any]], results: Sequence[str] = ()) -> list[Event]:
    """Events of tool calls in order, each with an ok result."""
    events: list[Event] = []
    for i, (tool, arguments) in enumerate(calls):
        data = {"call": f"c{i}", "tool": tool, "runtime_tool": tool, "arguments": arguments}
        events.append(Event(seq=2 * i, kind="tool_call", witness="boundary", data=data))
        text = results[i] if i < len(results) else ""
        result = {"call": f"c{i}", "tool": tool, "status": "ok", "text": text}
        events.append(Event(seq=2 * i + 1, kind="tool_result", witness="boundary", data=result))
    return events
