"""Told -> ATIF v1.8 trajectory (Agent Trajectory Interchange Format, of Harbor) and back."""

from __future__ import annotations

from typing import Any

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.peers import Told, numbered, results
from clawpro_artifact.formats.portable import portable
from clawpro_artifact.model.trace import Event, EventKind

VERSION = "ATIF-v1.8"


def write(told: Told) -> dict[str, Any]:
    """The trajectory; subagents are embedded, each under the name of its conversation."""
    whole = _trajectory(told, "main")
    children = sorted({e.conversation for e in told.events} - {"main"})
    whole["session_id"] = told.trial
    whole["final_metrics"] = {
        "total_prompt_tokens": told.usage.get("input_tokens"),
        "total_completion_tokens": told.usage.get("output_tokens"),
        "total_steps": len(whole["steps"]),
        "extra": {"outcome": told.outcome, "scores": told.scores},
    }
    if children:
        whole["subagent_trajectories"] = [_trajectory(told, name) for name in children]
    return whole


def _trajectory(told: Told, conversation: str) -> dict[str, Any]:
    found = results(told.events)
    steps: list[dict[str, Any]] = []
    for event in told.events:
        if event.kind == "prompt" and conversation == "main":
            steps.append({"source": "user", "message": str(event.data.get("text", ""))})
        if event.conversation != conversation:
            continue
        if event.kind == "model_response":
            usage = event.data.get("usage") or {}
            step: dict[str, Any] = {"source": "agent", "message": str(event.data.get("text") or "")}
            metrics = {
                "prompt_tokens": usage.get("prompt_tokens"),
                "completion_tokens": usage.get("completion_tokens"),
            }
            if any(isinstance(v, int) for v in metrics.values()):
                step["metrics"] = {k: v for k, v in metrics.items() if isinstance(v, int)}
            steps.append(step)
        elif event.kind == "tool_call":
            if not steps or steps[-1]["source"] != "agent":
                steps.append({"source": "agent", "message": ""})
            _call(steps[-1], event, found.get(str(event.data.get("call"))))
        elif event.kind in ("world_event", "file_change", "limit", "finding"):
            steps.append({"source": "system", "message": event.kind, "extra": dict(event.data)})
    return {
        "schema_version": VERSION,
        "trajectory_id": conversation,
        "agent": {"name": told.agent, "version": told.agent_version, "model_name": told.model},
        "steps": [{"step_id": n, **step} for n, step in enumerate(steps, 1)],
    }


def _call(step: dict[str, Any], call: Event, result: Event | None) -> None:
    arguments = call.data.get("arguments")
    name = str(call.data.get("call"))
    step.setdefault("tool_calls", []).append(
        {
            "tool_call_id": name,
            "function_name": str(call.data.get("tool")),
            "arguments": arguments if isinstance(arguments, dict) else {"value": arguments},
        }
    )
    if result is not None:
        more = {k: result.data[k] for k in ("status", "exit_code") if k in result.data}
        step.setdefault("observation", {"results": []})["results"].append(
            {"source_call_id": name, "content": str(result.data.get("text", "")), "extra": more}
        )


def read(document: Any, where: str) -> tuple[Event, ...]:
    """Events of a trajectory of any 1.x version. Raises InputError if it is none."""
    document = portable(document)
    version = document.get("schema_version") if isinstance(document, dict) else None
    if not isinstance(version, str) or not version.startswith("ATIF-v1."):
        raise InputError("no ATIF trajectory", where=where, expected="schema_version ATIF-v1.x",
                         found=repr(version))  # fmt: skip
    rows: list[tuple[EventKind, dict[str, Any], str]] = []
    _read(document, "main", rows, where)
    return numbered(rows)


def _read(
    document: dict[str, Any],
    conversation: str,
    rows: list[tuple[EventKind, dict[str, Any], str]],
    where: str,
) -> None:
    steps = document.get("steps")
    if not isinstance(steps, list) or not all(isinstance(s, dict) for s in steps):
        raise InputError("a trajectory without steps", where=where, expected="a list of objects")
    for number, step in enumerate(steps, 1):
        source, text = step.get("source"), _words(step.get("message"))
        if source == "user":
            kind: EventKind = "prompt" if conversation == "main" else "opaque"
            rows.append((kind, {"text": text}, conversation))
            continue
        if source != "agent":
            rows.append(("opaque", {"source": source, "text": text, "extra": step.get("extra")},
                         conversation))  # fmt: skip
        else:
            calls = step.get("tool_calls") or []
            rows.append(("model_response", {"text": text, "calls": len(calls), "request": number},
                         conversation))  # fmt: skip
            for call in calls:
                rows.append(("tool_call", {
                    "call": str(call.get("tool_call_id")), "tool": str(call.get("function_name")),
                    "runtime_tool": str(call.get("function_name")),
                    "arguments": call.get("arguments") or {},
                }, conversation))  # fmt: skip
        for result in ((step.get("observation") or {}).get("results")) or []:
            extra = result.get("extra") or {}
            rows.append(("tool_result", {
                "call": str(result.get("source_call_id")), "tool": "unknown",
                "status": extra.get("status", "ok"), "text": _words(result.get("content")),
                **({"exit_code": extra["exit_code"]} if "exit_code" in extra else {}),
            }, conversation))  # fmt: skip
    for child in document.get("subagent_trajectories") or []:
        _read(child, str(child.get("trajectory_id")), rows, where)


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(p.get("text", "")) for p in parts if isinstance(p, dict))
