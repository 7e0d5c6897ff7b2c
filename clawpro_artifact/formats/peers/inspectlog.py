"""Tolds of one configuration -> an Inspect evaluation log (`.json`, version 2), and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.peers import Told, numbered, results
from clawpro_artifact.formats.portable import portable
from clawpro_artifact.model.trace import Event, EventKind


def write(
    name: str, run: str, created: str, tolds: Sequence[Told], figures: dict[str, float]
) -> dict[str, Any]:
    """The log. `run`: digest of the plan; `figures`: published aggregates of the configuration."""
    model = f"{tolds[0].provider}/{tolds[0].model}" if tolds else "none/none"
    ids = sorted({t.scenario for t in tolds})
    scorer = {
        "name": "score", "scorer": "clawpro", "params": {},
        "metrics": {k: {"name": k, "value": v, "params": {}} for k, v in figures.items()},
    }  # fmt: skip
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": run[7:29], "run_id": run[7:29], "created": created, "task": name,
            "task_id": run[7:29], "model": model,
            "dataset": {"name": "clawpro", "samples": len(ids), "sample_ids": ids,
                        "shuffled": False},
            "config": {"epochs": max((t.index for t in tolds), default=0) + 1},
        },
        "results": {"total_samples": len(tolds), "completed_samples": len(tolds),
                    "scores": [scorer]},
        "samples": [_sample(t) for t in tolds],
    }  # fmt: skip


def _sample(told: Told) -> dict[str, Any]:
    prompt = next((str(e.data.get("text", "")) for e in told.events if e.kind == "prompt"), "")
    value = told.scores.get("score")
    return {
        "id": told.scenario,
        "epoch": told.index + 1,
        "input": prompt,
        "target": "",
        "messages": _messages(told.events),
        "output": {"model": told.model, "choices": [{
            "message": {"role": "assistant", "content": told.answer or "", "source": "generate"},
            "stop_reason": "stop" if told.outcome == "completed" else "unknown",
        }]},
        "scores": {"score": {"value": value, "answer": told.answer or "",
                             "metadata": dict(told.scores)}} if value is not None else {},
        "metadata": {"trial": told.trial, "outcome": told.outcome},
        "total_time": told.duration_ms / 1000,
    }  # fmt: skip


def _messages(events: Sequence[Event]) -> list[dict[str, Any]]:
    found = results(events)
    messages: list[dict[str, Any]] = []
    for event in events:
        if event.kind == "prompt":
            messages.append({"role": "user", "content": str(event.data.get("text", ""))})
        elif event.kind == "model_response" and event.conversation == "main":
            messages.append({"role": "assistant", "content": str(event.data.get("text") or ""),
                             "source": "generate"})  # fmt: skip
        elif event.kind == "tool_call" and event.conversation == "main":
            name, tool = str(event.data.get("call")), str(event.data.get("tool"))
            arguments = event.data.get("arguments")
            if not messages or messages[-1]["role"] not in ("assistant", "tool"):
                messages.append({"role": "assistant", "content": ""})
            asking = next(m for m in reversed(messages) if m["role"] == "assistant")
            asking.setdefault("tool_calls", []).append({
                "id": name, "function": tool,
                "arguments": arguments if isinstance(arguments, dict) else {"value": arguments},
            })  # fmt: skip
            if name in found:
                data = found[name].data
                message: dict[str, Any] = {"role": "tool", "tool_call_id": name, "function": tool,
                                           "content": str(data.get("text", ""))}  # fmt: skip
                if data.get("status") == "error":
                    message["error"] = {"type": "unknown", "message": "the tool failed"}
                messages.append(message)
    return messages


def read(document: Any, where: str) -> dict[str, tuple[Event, ...]]:
    """`id/epoch` of each sample -> its events. Raises InputError if it is no Inspect log."""
    document = portable(document)
    samples = document.get("samples") if isinstance(document, dict) else None
    if not isinstance(samples, list) or "eval" not in document:
        raise InputError("no Inspect log", where=where, expected="`eval` and `samples`",
                         do="convert .eval files with `inspect log convert --to json`")  # fmt: skip
    return {
        f"{s.get('id')}/{s.get('epoch')}": numbered(_rows(s.get("messages") or []))
        for s in samples
        if isinstance(s, dict)
    }


def _rows(messages: list[Any]) -> list[tuple[EventKind, dict[str, Any], str]]:
    rows: list[tuple[EventKind, dict[str, Any], str]] = []
    for number, message in enumerate(messages):
        role, text = message.get("role"), _words(message.get("content"))
        if role == "user":
            rows.append(("prompt", {"text": text}, "main"))
        elif role == "assistant":
            calls = message.get("tool_calls") or []
            rows.append(("model_response", {"text": text, "calls": len(calls), "request": number},
                         "main"))  # fmt: skip
            for call in calls:
                name = str(call.get("function"))
                rows.append(("tool_call", {
                    "call": str(call.get("id")), "tool": name, "runtime_tool": name,
                    "arguments": call.get("arguments") or {}}, "main"))  # fmt: skip
        elif role == "tool":
            status = "error" if message.get("error") else "ok"
            rows.append(("tool_result", {
                "call": str(message.get("tool_call_id")), "tool": str(message.get("function")),
                "status": status, "text": text}, "main"))  # fmt: skip
        else:
            rows.append(("opaque", {"source": role, "text": text}, "main"))
    return rows


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(p.get("text", "")) for p in parts if isinstance(p, dict))
