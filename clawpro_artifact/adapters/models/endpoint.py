"""a request + an OpenAI-compatible endpoint -> ModelAnswer; the key never leaves this process.

A busy or broken endpoint (408, 409, 425, 429, 5xx, no connection) is asked again after the time
that it names (`Retry-After`, RFC 9110 section 10.2.3) or a growing one; each try is kept with the
answer. What is left broken is infrastructure, never the model's doing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any

import requests

from clawpro_artifact.adapters.clock import now
from clawpro_artifact.adapters.models.answer import Finish, ModelAnswer, ModelCall, ModelFault
from clawpro_artifact.model.manifest import Decoding

_BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
# The request itself is refused: too long, or filtered. That is the configuration's doing.
_REFUSED = frozenset({400, 413, 422})
TRIES = 6
LONGEST_WAIT_S = 60.0
_CONNECT_S, _READ_S = 20, 600
# How an answer is transported is ours, how long it may be is the configuration's to say.
_NOT_SENT = frozenset(
    {"stream", "stream_options", "store", "model", "max_tokens", "max_completion_tokens"}
)
_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
}


@dataclass
class EndpointModel:
    """A live model. `url` is the base (`https://host/v1`); `model` the name it is asked by.

    `decoding` overrides what the runtime asks for, so that two runtimes ask alike.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    decoding: Decoding = field(default_factory=Decoding)
    sleep: Callable[[float], None] = time.sleep
    _session: requests.Session = field(default_factory=requests.Session, repr=False)

    @property
    def name(self) -> str:
        """What outputs show."""
        return self.model

    @property
    def secrets(self) -> tuple[str, ...]:
        """The key, if there is one."""
        return (self.key,) if self.key else ()

    def answer(self, request: dict[str, Any], conversation: str, position: int) -> ModelAnswer:
        """The endpoint's answer. A request that it refuses is a fault that is no infrastructure."""
        body = {k: v for k, v in request.items() if k not in _NOT_SENT}
        settings = {"model": self.model, **sent(self.decoding)}
        tries: list[dict[str, Any]] = []
        for number in range(TRIES):
            status, wait, value = self._ask({**body, **settings})
            if status == 200:
                about = {"sent": settings, "upstream": value}
                return parsed(value, about | ({"retries": tries} if tries else {}))
            if status in _REFUSED:
                return _fault(status, value, infrastructure=False)
            if status not in _BUSY and status != 0:
                break
            delay = min(wait if wait is not None else 2.0**number, LONGEST_WAIT_S)
            tries.append({"status": status, "waited_ms": int(1000 * delay)})
            if number + 1 < TRIES:
                self.sleep(delay)
        return _fault(status or 502, value, infrastructure=True)

    def _ask(self, body: dict[str, Any]) -> tuple[int, float | None, Any]:
        """(status or 0 without an answer, seconds it asks us to wait, document or words)."""
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            response = self._session.post(
                self.url.rstrip("/") + "/chat/completions",
                json=body,
                headers=headers,
                timeout=(_CONNECT_S, _READ_S),
            )
        except requests.RequestException as error:
            return 0, None, self._clean(f"{type(error).__name__}: {error}")
        wait = retry_after(response.headers)
        if response.status_code == 200:
            try:
                return 200, wait, response.json()
            except ValueError:
                return 502, wait, "the endpoint's answer is no JSON"
        return response.status_code, wait, self._clean(response.text[:2000])

    def _clean(self, text: str) -> str:
        # Endpoints quote the key back when they do not like it.
        return text.replace(self.key, "[key]") if self.key else text


def sent(decoding: Decoding) -> dict[str, Any]:
    """Decoding settings as request fields; what is None is not sent."""
    found: dict[str, Any] = {}
    for name in ("temperature", "top_p"):
        value = getattr(decoding, name)
        if value is not None:
            found[name] = float(Decimal(value))
    if decoding.max_output_tokens is not None:
        found["max_tokens"] = decoding.max_output_tokens
    if decoding.seed is not None:
        found["seed"] = decoding.seed
    return found


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by RFC 9110 section 10.2.3: a count or a date; None where nothing useful."""
    text = headers.get("retry-after")
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (moment.astimezone(UTC) - now()).total_seconds())


def parsed(value: Any, about: dict[str, Any]) -> ModelAnswer:
    """A chat completion as an answer; a document of another shape is infrastructure."""
    try:
        choice = value["choices"][0]
        message = choice["message"]
        calls = tuple(
            ModelCall(
                id=str(c["id"]),
                name=str(c["function"]["name"]),
                arguments=str(c["function"]["arguments"]),
            )
            for c in message.get("tool_calls") or ()
        )
        text = _text(message.get("content"))
        finish = _FINISH.get(str(choice.get("finish_reason")), "tool_calls" if calls else "stop")
        usage = value.get("usage")
        refusal = message.get("refusal")
        reasoning = message.get("reasoning_content") or message.get("reasoning") or ""
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        return _fault(502, f"no chat completion: {type(error).__name__}: {error}", True)
    fingerprint = value.get("system_fingerprint")
    return ModelAnswer(
        text=text,
        calls=calls,
        finish=finish,
        usage=usage if isinstance(usage, dict) else None,
        model=str(value.get("model") or ""),
        refusal=refusal if isinstance(refusal, str) else None,
        reasoning=reasoning if isinstance(reasoning, str) else "",
        about=about | ({"fingerprint": fingerprint} if fingerprint else {}),
    )


def _text(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(str(p.get("text") or "") for p in content)


def _fault(status: int, value: Any, infrastructure: bool) -> ModelAnswer:
    message = f"the endpoint answered {status}: {str(value)[:500]}"
    return ModelAnswer(fault=ModelFault(status, message, infrastructure))
