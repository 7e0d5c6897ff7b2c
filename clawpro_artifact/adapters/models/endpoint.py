"""an OpenAI-compatible endpoint -> ModelAnswers; the key is read here and goes nowhere else."""

from __future__ import annotations

import os
import time
from typing import Any

import requests

from clawpro_artifact.adapters.models.answer import Finish, ModelAnswer, ModelCall, ModelFault
from clawpro_artifact.errors import UsageError
from clawpro_artifact.model.manifest import Decoding, ModelUnderTest

TRIES = 4
MAX_WAIT_SECONDS = 60.0
_BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_DROPPED = ("stream", "stream_options", "model", "max_completion_tokens", "max_tokens")
_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}


class EndpointModel:
    """One configuration's model behind HTTP. A busy endpoint is asked again as it says."""

    def __init__(self, model: ModelUnderTest, decoding: Decoding, seconds: float) -> None:
        self._model = model
        self._decoding = decoding
        self._seconds = seconds
        base = _variable(model.base_url_env, "base_url_env")
        self._url = base.rstrip("/") + "/chat/completions"
        self._key = os.environ.get(model.api_key_env) if model.api_key_env else None

    @property
    def name(self) -> str:
        """As declared in the manifest."""
        return self._model.name

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be seen in a bundle."""
        return (self._key,) if self._key else ()

    def answer(self, request: dict[str, Any], conversation: str, position: int) -> ModelAnswer:
        """One completion; 408, 409, 425, 429 and 5xx are tried again after Retry-After."""
        body = {k: v for k, v in request.items() if k not in _DROPPED}
        body |= {"model": self._model.name, "stream": False, **self._sent()}
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        wait = 1.0
        for attempt in range(1, TRIES + 1):
            try:
                response = requests.post(
                    self._url, json=body, headers=headers, timeout=self._seconds
                )
            except requests.RequestException as error:
                fault = ModelFault(502, f"endpoint: {type(error).__name__}", True)
            else:
                if response.status_code == 200:
                    return _read(response)
                busy = response.status_code in _BUSY
                message = f"endpoint: HTTP {response.status_code}"
                fault = ModelFault(response.status_code, message, True)
                if not busy:
                    return ModelAnswer(fault=fault)
                wait = _retry_after(response, wait)
            if attempt < TRIES:
                time.sleep(min(wait, MAX_WAIT_SECONDS))
                wait *= 2
        return ModelAnswer(fault=fault)

    def _sent(self) -> dict[str, Any]:
        d = self._decoding
        found: dict[str, Any] = {}
        if d.temperature is not None:
            found["temperature"] = float(d.temperature)
        if d.top_p is not None:
            found["top_p"] = float(d.top_p)
        if d.max_output_tokens is not None:
            found["max_tokens"] = d.max_output_tokens
        if d.seed is not None:
            found["seed"] = d.seed
        return found


def _variable(name: str | None, field: str) -> str:
    if name is None or not os.environ.get(name):
        raise UsageError(
            "the endpoint is not named",
            where=f"base_model.{field}",
            expected="an environment variable that is set",
            found=name or "none declared",
            do=f"export {name or 'NAME'}=... and declare it in the manifest",
        )
    return os.environ[name]


def _retry_after(response: requests.Response, wait: float) -> float:
    try:
        return max(0.0, float(response.headers.get("retry-after", "")))
    except ValueError:
        return wait


def _read(response: requests.Response) -> ModelAnswer:
    """The document of a 200; what is none is the endpoint's failure, not the model's."""
    try:
        value = response.json()
        choice = value["choices"][0]
        message = choice["message"]
        calls = tuple(
            ModelCall(str(c["id"]), str(c["function"]["name"]), str(c["function"]["arguments"]))
            for c in message.get("tool_calls") or ()
        )
        text = message.get("content") or message.get("refusal") or ""
        finish = _FINISHES.get(str(choice.get("finish_reason")), "stop")
        usage = {k: v for k, v in (value.get("usage") or {}).items() if isinstance(v, int)}
        return ModelAnswer(str(text), calls, finish, usage or None, str(value.get("model", "")))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        message_text = f"endpoint: malformed answer ({type(error).__name__})"
        return ModelAnswer(fault=ModelFault(502, message_text, True))
