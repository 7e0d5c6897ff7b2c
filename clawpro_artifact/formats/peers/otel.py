"""Told -> OTLP/JSON with spans of the GenAI semantic conventions; ids follow from the trial.

One schema: semantic conventions 1.37.0. A trial is one trace: `invoke_agent`, below it `chat` for
each model request and `execute_tool` for each call. The same trial gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Any, Final

from clawpro_artifact.formats.peers import Told, results
from clawpro_artifact.model.trace import Event

SCHEMA: Final = "https://opentelemetry.io/schemas/1.37.0"
_INTERNAL, _CLIENT = 1, 3
_OK, _ERROR = 1, 2


def write(told: Told, software: str) -> dict[str, Any]:
    """An ExportTraceServiceRequest in OTLP/JSON: ids in hex, 64-bit numbers as text."""
    start = int(datetime.fromisoformat(told.started).timestamp() * 1_000_000_000)
    trace = _hash(told, "trace")[:32]
    root = _hash(told, "root")[:16]
    spans = [
        _span(told, root, "", f"invoke_agent {told.agent}", start,
              start + told.duration_ms * 1_000_000, _INTERNAL, {
                  "gen_ai.operation.name": "invoke_agent",
                  "gen_ai.agent.name": told.agent,
                  "gen_ai.agent.version": told.agent_version,
                  "gen_ai.provider.name": told.provider,
                  "gen_ai.request.model": told.model,
                  "gen_ai.conversation.id": told.trial,
                  "gen_ai.usage.input_tokens": told.usage.get("input_tokens"),
                  "gen_ai.usage.output_tokens": told.usage.get("output_tokens"),
                  "clawpro.outcome": told.outcome,
                  **{f"clawpro.{k}": v for k, v in told.scores.items()},
              }, _OK if told.outcome == "completed" else _ERROR),
    ]  # fmt: skip
    found = results(told.events)
    asked: dict[Any, Event] = {
        e.data.get("request"): e for e in told.events if e.kind == "model_request"
    }
    last = start
    for event in told.events:
        at = last if event.t_ms is None else start + event.t_ms * 1_000_000
        last = max(last, at)
        if event.kind == "model_response":
            request = asked.get(event.data.get("request"))
            begin = at if request is None or request.t_ms is None else (
                start + request.t_ms * 1_000_000)  # fmt: skip
            usage = event.data.get("usage") or {}
            finish = event.data.get("finish")
            spans.append(_span(
                told, _hash(told, f"chat {event.seq}")[:16], root, f"chat {told.model}", begin, at,
                _CLIENT, {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.provider.name": told.provider,
                    "gen_ai.request.model": told.model,
                    "gen_ai.conversation.id": f"{told.trial}#{event.conversation}",
                    "gen_ai.response.finish_reasons": [finish] if finish else None,
                    "gen_ai.usage.input_tokens": usage.get("prompt_tokens"),
                    "gen_ai.usage.output_tokens": usage.get("completion_tokens"),
                    "gen_ai.output.messages": json.dumps([{
                        "role": "assistant", "finish_reason": finish or "unknown",
                        "parts": [{"type": "text", "content": event.data.get("text") or ""}],
                    }], sort_keys=True),
                }, _OK,
            ))  # fmt: skip
        elif event.kind == "tool_call":
            result = found.get(str(event.data.get("call")))
            bad = result is not None and result.data.get("status") == "error"
            end = at if result is None or result.t_ms is None else (
                start + result.t_ms * 1_000_000)  # fmt: skip
            spans.append(_span(
                told, _hash(told, f"tool {event.seq}")[:16], root,
                f"execute_tool {event.data.get('tool')}", at, max(at, end), _INTERNAL, {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": str(event.data.get("tool")),
                    "gen_ai.tool.type": "function",
                    "gen_ai.tool.call.id": str(event.data.get("call")),
                    "gen_ai.tool.call.arguments": json.dumps(
                        event.data.get("arguments"), sort_keys=True),
                    "gen_ai.tool.call.result": None if result is None else str(
                        result.data.get("text", "")),
                    "error.type": "tool_error" if bad else None,
                }, _ERROR if bad else _OK,
            ))  # fmt: skip
    for span in spans:
        span["traceId"] = trace
    scope = {"name": "clawpro-artifact", "version": software}
    return {
        "resourceSpans": [{
            "resource": {"attributes": _attributes({
                "service.name": "clawpro-artifact", "service.version": software})},
            "schemaUrl": SCHEMA,
            "scopeSpans": [{"scope": scope, "schemaUrl": SCHEMA, "spans": spans}],
        }]
    }  # fmt: skip


def _span(
    told: Told, name: str, parent: str, title: str, start: int, end: int, kind: int,
    attributes: dict[str, Any], status: int,
) -> dict[str, Any]:  # fmt: skip
    made: dict[str, Any] = {
        "spanId": name, "name": title, "kind": kind, "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(max(start, end)), "attributes": _attributes(attributes),
        "status": {"code": status},
    }  # fmt: skip
    if parent:
        made["parentSpanId"] = parent
    return made


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": k, "value": _any(v)} for k, v in values.items() if v is not None]


def _any(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_any(v) for v in value]}}
    return {"stringValue": str(value)}


def _hash(told: Told, what: str) -> str:
    about = f"clawpro.otel.v1\0{told.trial}\0{told.started}\0{what}"
    return hashlib.sha256(about.encode()).hexdigest()
