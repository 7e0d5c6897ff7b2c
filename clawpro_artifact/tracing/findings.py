"""what three witnesses say -> where they disagree, each with its consequence by rule.

The model boundary is what scores rest on, with the environment; the runtime's own store is the
second witness. `infra`: the evidence cannot carry a score, the attempt is `infra_failed` and never
scored. `noted`: recorded in the trace, for people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from clawpro_artifact.adapters.boundary.conversations import spoken, text_of
from clawpro_artifact.adapters.runtimes.host import RawAttempt

# Finding -> consequence. One that depends on more says so where it is made.
RULES: Final[dict[str, str]] = {
    "prompt-not-delivered": "infra",  # the agent was asked something else
    "no-trace-source": "infra",  # a gateway turn of which the runtime kept nothing
    "result-without-call": "infra",  # the boundary missed a response, or a result was made up
    "call-without-result": "infra",  # of a trial that completed; else the end cut it off
    "synthetic-result": "infra",  # the runtime repaired its history: nobody saw this result
    "transcript-lossy": "infra",  # an entry of the store is lost
    "transcript-defect": "noted",  # read whole, but not as it should have been written
    "head-not-seen": "noted",  # the first request continues what the boundary did not see
    "unannounced-request": "noted",
    "result-not-in-store": "noted",
    "result-differs": "noted",  # the store has another text than the model was shown
    "prompt-not-in-store": "noted",
    "change-without-call": "noted",  # the workspace changed before any tool was called
}
# OpenClaw's words when it puts a result into a history that lacks one.
_SYNTHETIC: Final = re.compile(r"missing tool result in session history; inserted synthetic")


def findings(
    raw: RawAttempt,
    calls: Mapping[str, tuple[str, str]],
    answered: Mapping[str, set[str]],
    stored: Mapping[str, dict[str, Any]],
) -> Iterator[dict[str, Any]]:
    """Every disagreement.

    `calls`: what the model asked for; `answered`: conversation -> calls whose results it was shown;
    `stored`: the runtime's own results by call.
    """
    yield from _prompt(raw)
    for exchange in raw.exchanges:
        if not exchange.continues:
            detail = f"request {exchange.number} continues no known conversation"
            yield finding("unannounced-request", detail)
    got = set().union(*answered.values()) if answered else set()
    for call in sorted(got - set(calls)):
        yield finding("result-without-call", call)
    last = {e.conversation: e for e in raw.exchanges}
    open_ids = {
        c["id"] for e in last.values() if e.response is not None for c in e.response["calls"]
    }
    for call in sorted(set(calls) - got - open_ids):
        consequence = None if raw.outcome == "completed" else "noted"
        yield finding("call-without-result", call, consequence)
    yield from _results(raw, got & set(calls), stored)
    yield from _store(raw)
    if not calls and raw.file_changes and not raw.world_events:
        yield finding("change-without-call", str(raw.file_changes[0]["path"]))


def _prompt(raw: RawAttempt) -> Iterator[dict[str, Any]]:
    first = next((e for e in raw.exchanges if e.conversation == "main"), None)
    if first is None or not raw.prompt:
        return
    said = list(spoken(first.request))
    users = "\n".join(text_of(m) for m in said if m.get("role") == "user")
    if raw.prompt.strip() not in users:
        yield finding("prompt-not-delivered", "the first request lacks the prompt")
    if any(m.get("role") in ("assistant", "tool") for m in said):
        yield finding("head-not-seen", f"request {first.number} brings an earlier conversation")
    kept = [row.entry.get("message") for row in raw.transcript]
    asked = [m for m in kept if isinstance(m, dict) and m.get("role") == "user"]
    if asked and not any(raw.prompt.strip() in _text(m) for m in asked):
        yield finding("prompt-not-in-store", "no user message of the store holds the prompt")


def _results(
    raw: RawAttempt, got: Iterable[str], stored: Mapping[str, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    shown: dict[str, str] = {}
    for exchange in raw.exchanges:
        for message in spoken(exchange.request):
            if message.get("role") == "tool" and isinstance(message.get("tool_call_id"), str):
                shown.setdefault(message["tool_call_id"], text_of(message))
    for call in sorted(shown.keys() | stored.keys()):
        if _SYNTHETIC.search(shown.get(call, "")) or _SYNTHETIC.search(_text(stored.get(call))):
            yield finding("synthetic-result", call)
    if not raw.transcript or raw.outcome != "completed":
        return
    for call in sorted(got):
        if call not in stored:
            yield finding("result-not-in-store", call)
        elif _plain(_text(stored[call])) != _plain(shown.get(call, "")):
            yield finding("result-differs", call)


def _store(raw: RawAttempt) -> Iterator[dict[str, Any]]:
    for row in raw.transcript:
        if row.entry.get("type") == "defect":
            e = row.entry
            where = f"{row.session}, line {e['line']}, byte {e['byte']}"
            detail = f"{where}: {e['kind']} ({e['size']} bytes)"
            yield finding("transcript-lossy" if e["lossy"] else "transcript-defect", detail)
    if raw.exchanges and raw.transport == "gateway" and not raw.transcript:
        yield finding("no-trace-source", "the runtime kept no transcript")


def _text(message: Any) -> str:
    """The text of a stored message: a string, or parts of which some are text."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(p["text"]) for p in parts if isinstance(p, dict) and "text" in p)


def _plain(text: str) -> str:
    return " ".join(text.split())


def finding(name: str, detail: str, consequence: str | None = None) -> dict[str, Any]:
    """A finding with its consequence: that of RULES, unless the circumstances say another."""
    return {"finding": name, "detail": detail, "consequence": consequence or RULES[name]}
