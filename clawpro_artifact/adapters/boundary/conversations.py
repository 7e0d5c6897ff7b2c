"""messages of a request -> which conversation of the trial it belongs to.

A runtime sends the whole conversation each time. A conversation is told by its first user message;
what a runtime adds of its own (a system prompt, internal context, a line about itself, a changed
tail after compaction) does not count. Agent code that talks to the relay by itself starts a
conversation that nobody announced, and is flagged.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

INTERNAL = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
_INTERNAL_STARTS = (INTERNAL, "OpenClaw runtime context for the ")
# 2026.9.6 ends the first user message with this line, and its channel changes between turns.
_RUNTIME_LINE = re.compile(r"\n\nRuntime: agent=.*\Z", re.DOTALL)
SPAWNS = frozenset({"sessions_spawn", "spawn"})


def text_of(message: dict[str, Any]) -> str:
    """The text of a message, whichever of the two content forms it has."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [p.get("text", "") for p in content if isinstance(p, dict)]
        return "\n".join(p for p in parts if isinstance(p, str))
    return ""


def spoken(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages without system prompts and without the runtime's own context."""
    messages = request.get("messages")
    if not isinstance(messages, list):
        return []
    return [
        m
        for m in messages
        if isinstance(m, dict)
        and m.get("role") not in ("system", "developer")
        and not text_of(m).startswith(_INTERNAL_STARTS)
    ]


@dataclass
class Conversation:
    """One conversation of a trial: `main` or `sub-1`, `sub-2` ... in the order of appearance."""

    name: str
    first: str
    answered: int = 0
    last: str = ""
    seen: int = 0


@dataclass
class Conversations:
    """Those of one trial."""

    known: dict[str, Conversation] = field(default_factory=dict)
    spawned: int = 0
    announced: int = 0

    def place(self, request: dict[str, Any]) -> tuple[Conversation, bool, bool]:
        """(conversation, whether it was to be expected, whether it repeats the last request)."""
        messages = spoken(request)
        first = next((text_of(m) for m in messages if m.get("role") == "user"), "")
        first = _RUNTIME_LINE.sub("", first)
        key = hashlib.sha256(first.encode("utf-8", "surrogatepass")).hexdigest()
        body = json.dumps(messages, sort_keys=True, default=str)
        digest = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
        conversation = self.known.get(key)
        if conversation is None:
            expected = not self.known or len(self.known) <= self.spawned + self.announced
            name = "main" if not self.known else f"sub-{len(self.known)}"
            conversation = self.known[key] = Conversation(name, first)
        else:
            expected = len(messages) >= conversation.seen
        again = conversation.last == digest
        conversation.last = digest
        conversation.seen = len(messages)
        return conversation, expected, again

    def announce(self) -> None:
        """Somebody outside speaks to the agent: one more conversation may begin."""
        self.announced += 1

    def note_calls(self, names: list[str]) -> None:
        """What a model asked for: each spawn announces one more conversation."""
        self.spawned += sum(1 for name in names if name in SPAWNS)
