"""Exchanges -> what the agent did to its surfaces as the model boundary saw it.

The other witness is the stand-in or the runtime's own store; where they disagree, one erred.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from clawpro_artifact.adapters.boundary.conversations import spoken, text_of
from clawpro_artifact.model.trace import Exchange

Neutral = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Done:
    """A tool call under its neutral name, and its result text; None where none came back."""

    conversation: str
    tool: str
    arguments: dict[str, Any]
    result: str | None


def deeds(exchanges: Iterable[Exchange], neutral: Neutral) -> Iterator[Done]:
    """Every call with its result, in the order of asking."""
    exchanges = tuple(exchanges)
    results: dict[str, str] = {}
    for exchange in exchanges:
        for message in spoken(exchange.request):
            call = message.get("tool_call_id")
            if message.get("role") == "tool" and isinstance(call, str):
                results.setdefault(call, text_of(message))
    for exchange in exchanges:
        for call in (exchange.response or {}).get("calls", ()):
            try:
                arguments = json.loads(call["arguments"])
            except (ValueError, RecursionError):
                continue
            if isinstance(arguments, dict):
                tool, shown = neutral(call["name"], arguments)
                yield Done(exchange.conversation, tool, shown, results.get(call["id"]))


def messages(done: Iterable[Done]) -> list[dict[str, str]]:
    """[{chat, text}] of the messages whose sending the runtime confirmed."""
    found = []
    for deed in done:
        a = deed.arguments
        if deed.tool == "message" and a.get("action") == "send" and _confirmed(deed.result):
            chat = str(a.get("target") or a.get("to") or a.get("chatId") or "")
            text = str(a.get("message") or a.get("text") or a.get("caption") or "")
            found.append({"chat": chat.removeprefix("telegram:"), "text": text})
    return found


def missing_messages(sent: Iterable[dict[str, str]], witness: dict[str, Any]) -> list[str]:
    """Chats of which the runtime confirmed more messages than the stand-in ever got.

    Counted by chat: the text may be marked up or split on its way.
    """
    got = Counter(row["chat"] for row in (*witness["sent"], *witness["withdrawn"]))
    confirmed = Counter(row["chat"] for row in sent)
    return sorted(chat for chat, count in confirmed.items() if count > got[chat])


def subagents(exchanges: Iterable[Exchange], done: Iterable[Done]) -> list[dict[str, str]]:
    """[{label, task, status, result}] of every child that was asked for.

    `status`: `done` (its last answer is `result`), `unfinished` (it was still calling tools or had
    no answer), `refused` (the runtime did not accept it), `missing` (it never asked the model).
    """
    exchanges = tuple(exchanges)
    said: dict[str, str] = {}
    last: dict[str, Exchange] = {}
    for exchange in exchanges:
        if exchange.conversation != "main":
            said.setdefault(exchange.conversation, _users(exchange))
            last[exchange.conversation] = exchange
    found = []
    free = dict(said)
    for deed in done:
        if deed.tool != "spawn":
            continue
        task = str(deed.arguments.get("task", ""))
        child = next((name for name, text in free.items() if task.strip() in text), None)
        status, result = "missing", ""
        if child is not None:
            del free[child]
            response = last[child].response
            finished = response is not None and not response["calls"]
            status = "done" if finished else "unfinished"
            result = str(response["text"]) if finished and response is not None else ""
        elif deed.result is not None and '"accepted"' not in deed.result:
            status = "refused"
        label = str(deed.arguments.get("label", ""))
        found.append({"label": label, "task": task, "status": status, "result": result})
    return found


def _users(exchange: Exchange) -> str:
    return "\n".join(text_of(m) for m in spoken(exchange.request) if m.get("role") == "user")


def _confirmed(result: str | None) -> bool:
    try:
        value = json.loads(result or "")
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("ok") is True
