"""RawAttempt -> Assembled: one version-neutral trace, cross-checked by three witnesses.

The model boundary says what was asked and answered, the runtime's own transcript what it kept, the
environment what changed. Where they disagree, a finding says so with its consequence: evidence that
cannot be trusted makes the attempt `infra_failed`, never a score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clawpro_artifact.adapters.boundary.conversations import spoken, text_of
from clawpro_artifact.adapters.runtimes.host import Assembled, RawAttempt, TranscriptRow
from clawpro_artifact.formats.canonical import bytes_digest
from clawpro_artifact.formats.portable import portable
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.trace import Event, EventKind, Exchange, Witness
from clawpro_artifact.model.trial import Usage
from clawpro_artifact.tracing import findings

Neutral = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]
# `(exit 3)`, `Command exited with code 3` and the like at the end of a tool's text.
_EXIT = re.compile(r"(?:exit(?:ed)?(?: with)?(?: code)?|code)[ :=]+(\d{1,3})\)?\.?\s*$", re.I)
_REFUSED = re.compile(
    r"^\s*(?:\{\s*\"status\":\s*\"error\"|error:|Tool \S+ not found|Path escapes|exec denied)", re.I
)


@dataclass
class _Trace:
    events: list[Event] = field(default_factory=list)

    def note(
        self,
        kind: EventKind,
        data: dict[str, Any],
        witness: Witness,
        conversation: str = "main",
        t_ms: int | None = None,
    ) -> None:
        self.events.append(
            Event(
                seq=len(self.events),
                kind=kind,
                witness=witness,
                conversation=conversation,
                t_ms=t_ms,
                data=data,
            )
        )


def assemble(raw: RawAttempt, spec: TrialSpec, neutral: Neutral) -> Assembled:
    """Events in order; `neutral` maps a runtime's tool call to the version-neutral one."""
    trace = _Trace()
    stored = _stored_results(raw.transcript)
    trace.note("trial_start", {"trial": spec.id, "transport": raw.transport}, "harness", t_ms=0)
    trace.note("prompt", {"text": raw.prompt}, "harness")
    answered: dict[str, set[str]] = {}
    calls: dict[str, tuple[str, str]] = {}
    last_call = None
    for exchange in raw.exchanges:
        last_call = _results(trace, exchange, answered, calls, stored) or last_call
        _environment(trace, raw, exchange.number, last_call)
        _exchange(trace, exchange, calls, neutral)
    for row in raw.transcript:
        if row.entry.get("type") == "compaction":
            trace.note("compaction", {"session": row.session, "line": row.seq}, "store")
    end = len(raw.exchanges)
    _environment(trace, raw, end, last_call, rest=True)
    for limit in raw.limits_hit:
        trace.note("limit", dict(limit), "boundary")
    for attempt in raw.network_attempts:
        trace.note("network_attempt", dict(attempt), "environment")
    found = list(findings.findings(raw, calls, answered, stored))
    for finding in found:
        trace.note("finding", finding, "harness")
    trace.note("trial_end", {"outcome": raw.outcome}, "harness", t_ms=raw.duration_ms)
    bad = [f for f in found if f["consequence"] == "infra"]
    outcome, reason = raw.outcome, raw.reason
    if bad and outcome != "infra_failed":
        outcome, reason = "infra_failed", f"invalid evidence: {bad[0]['finding']}"
    return Assembled(outcome, reason, tuple(trace.events), usage(raw.exchanges))


def _exchange(
    trace: _Trace, exchange: Exchange, calls: dict[str, tuple[str, str]], neutral: Neutral
) -> None:
    where, number = exchange.conversation, exchange.number
    body = json.dumps(exchange.request, sort_keys=True, separators=(",", ":"))
    trace.note(
        "model_request",
        {
            "request": number,
            "digest": bytes_digest(body.encode()),
            "messages": len(exchange.request.get("messages") or ()),
            "tools": len(exchange.request.get("tools") or ()),
            "continues": exchange.continues,
        },
        "boundary",
        where,
        exchange.started_ms,
    )
    response = exchange.response
    if response is None:
        data = {"request": number, "status": exchange.status, "error": exchange.error}
        trace.note("retry", data, "boundary", where, exchange.ended_ms)
        return
    trace.note(
        "model_response",
        {
            "request": number,
            "text": response["text"],
            "calls": len(response["calls"]),
            "finish": response["finish"],
            "usage": response["usage"],
        },
        "boundary",
        where,
        exchange.ended_ms,
    )
    for call in response["calls"]:
        arguments = _parsed(call["arguments"])
        tool, shown = neutral(call["name"], arguments)
        calls[call["id"]] = (tool, where)
        asked: dict[str, Any] = {
            "call": call["id"],
            "tool": tool,
            "runtime_tool": call["name"],
            "arguments": shown,
        }
        trace.note("tool_call", asked, "boundary", where, exchange.ended_ms)
        if tool == "spawn":
            trace.note("subagent_spawn", {"task": shown.get("task")}, "boundary", where)


def _parsed(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {"unparsed": text}
    return portable(value) if isinstance(value, dict) else {"unparsed": text}


def _results(
    trace: _Trace,
    exchange: Exchange,
    answered: dict[str, set[str]],
    calls: Mapping[str, tuple[str, str]],
    stored: Mapping[str, dict[str, Any]],
) -> str | None:
    """Tool results that this request brought for the first time; the id of the last one."""
    seen = answered.setdefault(exchange.conversation, set())
    last = None
    for message in spoken(exchange.request):
        call = message.get("tool_call_id")
        if message.get("role") != "tool" or not isinstance(call, str) or call in seen:
            continue
        seen.add(call)
        tool, _ = calls.get(call, ("unknown", ""))
        text = text_of(message)
        data = {"call": call, "tool": tool, "text": text, **_status(text, stored.get(call))}
        trace.note("tool_result", data, "boundary", exchange.conversation, exchange.started_ms)
        last = call
    return last


def _status(text: str, kept: Mapping[str, Any] | None) -> dict[str, Any]:
    """How a call ended: from the runtime's own record where there is one, else from its text."""
    found: dict[str, Any] = {"status": "error" if _REFUSED.search(text) else "ok"}
    match = _EXIT.search(text[-200:])
    if match is not None:
        found = {"status": "ok" if match[1] == "0" else "error", "exit_code": int(match[1])}
    if kept is not None:
        details = kept.get("details") if isinstance(kept.get("details"), dict) else {}
        assert isinstance(details, dict)
        code = details.get("exitCode")
        if isinstance(code, int):
            found = {"status": "ok" if code == 0 else "error", "exit_code": code}
        if kept.get("isError") is True or details.get("status") in ("error", "failed"):
            found["status"] = "error"
        if isinstance(details.get("durationMs"), int):
            found["duration_ms"] = details["durationMs"]
    return found


def _stored_results(rows: Iterable[TranscriptRow]) -> dict[str, dict[str, Any]]:
    """The runtime's own record of each tool result, by call id."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        message = row.entry.get("message")
        if isinstance(message, dict) and message.get("role") == "toolResult":
            call = message.get("toolCallId")
            if isinstance(call, str):
                found[call] = message
    return found


def _environment(
    trace: _Trace, raw: RawAttempt, number: int, call: str | None, rest: bool = False
) -> None:
    """What the environment showed and what the world did before exchange `number`."""

    def due(row: Mapping[str, Any]) -> bool:
        at = int(row["before_exchange"])
        return at >= number if rest else at == number

    for row in raw.file_changes:
        if due(row):
            data = {k: row[k] for k in ("path", "change", "digest")}
            if call is not None:
                data["call"] = call
            trace.note("file_change", data, "environment", t_ms=row["t_ms"])
    for row in raw.world_events:
        if due(row):
            data = {"event": row["event"], "effect": row["effect"]}
            trace.note("world_event", data, "harness", t_ms=row["t_ms"])


def usage(exchanges: Iterable[Exchange]) -> Usage:
    """Tokens as reported, summed; None as soon as one answered request reported none."""
    answered = [e.response for e in exchanges if e.response is not None]
    rows = [r["usage"] for r in answered if r["usage"] is not None]
    known = len(rows) == len(answered) and bool(rows)

    def total(name: str) -> int | None:
        values = [row.get(name) for row in rows]
        return sum(values) if known and all(isinstance(v, int) for v in values) else None

    return Usage(
        requests=len(answered),
        input_tokens=total("prompt_tokens"),
        output_tokens=total("completion_tokens"),
    )
