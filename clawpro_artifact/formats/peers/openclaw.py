"""a Transcript of OpenClaw -> events by session, whichever release wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from clawpro_artifact.formats.peers import numbered
from clawpro_artifact.formats.transcripts import Entry, Transcript, branch
from clawpro_artifact.model.trace import Event, EventKind

_Row = tuple[EventKind, dict[str, Any], str]


def read(transcript: Transcript) -> dict[str, tuple[Event, ...]]:
    """Session -> events of its active branch; entries of other branches are kept as `opaque`."""
    sessions: dict[str, list[Entry]] = {}
    for entry in transcript.entries:
        sessions.setdefault(entry.session, []).append(entry)
    return {name: numbered(_rows(entries)) for name, entries in sessions.items()}


def _rows(entries: list[Entry]) -> Iterator[_Row]:
    active = {id(e) for e in branch(entries)}
    for number, entry in enumerate(entries):
        message = entry.value.get("message")
        if id(entry) not in active or not isinstance(message, dict):
            kind: EventKind = "compaction" if entry.value.get("type") == "compaction" else "opaque"
            yield kind, {"line": entry.line, "entry": entry.value}, "main"
            continue
        role, content = message.get("role"), message.get("content")
        if role == "user":
            yield "prompt", {"text": _text(content)}, "main"
        elif role == "assistant":
            parts = content if isinstance(content, list) else []
            calls = [p for p in parts if isinstance(p, dict) and p.get("type") == "toolCall"]
            data = {"request": number, "text": _text(content), "calls": len(calls),
                    "finish": message.get("stopReason"), "usage": message.get("usage")}  # fmt: skip
            yield "model_response", data, "main"
            for call in calls:
                name = str(call.get("name"))
                arguments = call.get("arguments")
                if isinstance(arguments, str):
                    arguments = _parsed(arguments)
                yield "tool_call", {
                    "call": str(call.get("id")), "tool": name, "runtime_tool": name,
                    "arguments": arguments if isinstance(arguments, dict) else {},
                }, "main"  # fmt: skip
        elif role == "toolResult":
            details = message.get("details")
            details = details if isinstance(details, dict) else {}
            code = details.get("exitCode")
            bad = message.get("isError") is True or code not in (None, 0)
            found: dict[str, Any] = {
                "call": str(message.get("toolCallId")), "tool": str(message.get("toolName")),
                "status": "error" if bad else "ok", "text": _text(content),
            }  # fmt: skip
            if isinstance(code, int):
                found["exit_code"] = code
            yield "tool_result", found, "main"
        else:
            yield "opaque", {"line": entry.line, "entry": entry.value}, "main"


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"unparsed": text}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        str(p["text"]) for p in parts if isinstance(p, dict) and p.get("type") == "text"
        and "text" in p
    )  # fmt: skip
