"""events of a trial, as plain values -> the facts about failures that scoring uses.

Here and not in tracing, so that the verifier, which knows no models, derives them again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

# Events of other kinds count only by their conversation.
KINDS = frozenset({"tool_call", "tool_result", "subagent_spawn"})


def facts(events: Iterable[Mapping[str, Any]], requests: int) -> dict[str, int]:
    """How failures were answered; `events` have kind, conversation and data (model.trace.Event).

    repeated: an identical call again right after it failed; ignored: a failed call after which the
    trial ended without any further call; abandoned: a child that never ended.
    """
    repeated = spawned = 0
    failed: dict[str, str] = {}
    calls: dict[str, str] = {}
    children: set[str] = set()
    last_failed = False
    for event in events:
        kind, conversation, data = event["kind"], event["conversation"], event["data"]
        if conversation != "main":
            children.add(conversation)
        if kind == "tool_call":
            key = json.dumps([data["tool"], data["arguments"]], sort_keys=True)
            calls[data["call"]] = key
            if failed.get(conversation) == key:
                repeated += 1
            last_failed = False
        elif kind == "tool_result":
            last_failed = data["status"] == "error"
            failed[conversation] = calls.get(data["call"], "") if last_failed else ""
        elif kind == "subagent_spawn":
            spawned += 1
    return {
        "requests": requests,
        "repeated_errors": repeated,
        "ignored_errors": int(last_failed),
        "abandoned_subagents": max(0, spawned - len(children)),
    }
