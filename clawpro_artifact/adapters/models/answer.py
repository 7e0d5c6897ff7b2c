"""what a model says -> the forms in which a runtime takes it (OpenAI chat completions)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Finish = Literal["stop", "tool_calls", "length", "content_filter"]


@dataclass(frozen=True)
class ModelCall:
    """A tool call under the runtime's name for the tool; `arguments` is JSON text as sent."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class ModelFault:
    """No answer. `infrastructure`: the endpoint's or ours, never the model's doing."""

    status: int
    message: str
    infrastructure: bool


@dataclass(frozen=True)
class ModelAnswer:
    """One response. `usage` as the model reported it, or None.

    `about` is what else the record keeps of a live endpoint: {fingerprint, sent, retries: [{status,
    waited_ms}], upstream}; a scripted model has nothing to say there.
    """

    text: str = ""
    calls: tuple[ModelCall, ...] = ()
    finish: Finish = "stop"
    usage: dict[str, Any] | None = None
    model: str = ""
    fault: ModelFault | None = None
    refusal: str | None = None
    reasoning: str = ""
    about: dict[str, Any] = field(default_factory=dict)

    def as_message(self) -> dict[str, Any]:
        """As the record keeps it; `refusal`, `reasoning` and `about` only where there is one."""
        found: dict[str, Any] = {
            "text": self.text,
            "calls": [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in self.calls],
            "finish": self.finish,
            "usage": self.usage,
            "model": self.model,
        }
        more = {"refusal": self.refusal, "reasoning": self.reasoning, "about": self.about}
        return found | {name: value for name, value in more.items() if value}

    def _extra(self) -> dict[str, str]:
        found = {"refusal": self.refusal, "reasoning_content": self.reasoning}
        return {name: text for name, text in found.items() if text}

    def _message(self) -> dict[str, Any]:
        message: dict[str, Any] = {
            "role": "assistant",
            "content": self.text or None,
            **self._extra(),
        }
        if self.calls:
            message["tool_calls"] = [
                {
                    "id": c.id,
                    "type": "function",
                    "function": {"name": c.name, "arguments": c.arguments},
                }
                for c in self.calls
            ]
        return message

    def as_completion(self) -> dict[str, Any]:
        """One JSON document."""
        choice = {"index": 0, "message": self._message(), "finish_reason": self.finish}
        found: dict[str, Any] = {
            "id": "chatcmpl-clawpro",
            "object": "chat.completion",
            "created": 0,
            "model": self.model,
            "choices": [choice],
        }
        if self.usage is not None:
            found["usage"] = self.usage
        return found

    def as_chunks(self) -> Iterator[dict[str, Any]]:
        """Server-sent chunks: role and content, each call, the finish with the usage."""
        base = {
            "id": "chatcmpl-clawpro",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": self.model,
        }

        def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
            return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

        yield chunk({"role": "assistant", "content": self.text or None, **self._extra()})
        for index, c in enumerate(self.calls):
            function = {"name": c.name, "arguments": c.arguments}
            call = {"index": index, "id": c.id, "type": "function", "function": function}
            yield chunk({"tool_calls": [call]})
        last = chunk({}, self.finish)
        if self.usage is not None:
            last["usage"] = self.usage
        yield last


class Model(Protocol):
    """Answers requests. `position` counts the answers given before in this conversation."""

    @property
    def name(self) -> str:
        """What outputs show."""
        ...

    @property
    def secrets(self) -> tuple[str, ...]:
        """Exact secret values that the model was asked with: for the sanitizer."""
        ...

    def answer(self, request: dict[str, Any], conversation: str, position: int) -> ModelAnswer:
        """Never raises for what the model or the endpoint does: a fault is a value."""
        ...


def json_text(value: Any) -> str:
    """Arguments as a model writes them."""
    return json.dumps(value, ensure_ascii=False)
