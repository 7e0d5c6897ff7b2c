"""TrialSpec + Scenario -> RawAttempt: the prompt goes to the model as it is, one completion back.

No agent and no tools: what the model knows and reads by itself. It asks through the same boundary
as every runtime, so that its record and its limits are the same.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters import unixhttp
from clawpro_artifact.adapters.boundary import BoundaryServer, Recorder
from clawpro_artifact.adapters.clock import monotonic, now, timestamp
from clawpro_artifact.adapters.models.answer import Model
from clawpro_artifact.adapters.runtimes.host import RawAttempt
from clawpro_artifact.adapters.runtimes.outcome import judge
from clawpro_artifact.errors import InfraError
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model import canary
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.prompt import compose_prompt
from clawpro_artifact.model.scenario import Scenario
from clawpro_artifact.model.trial import Outcome

ModelFor = Callable[[TrialSpec, ScenarioFolder, Mapping[str, str]], Model]


@dataclass(frozen=True)
class _Said:
    """What came back over the socket."""

    status: int = 0
    answer: str | None = None
    finish: str = ""
    refused: bool = False


class DirectHost:
    """A RuntimeHost of `direct@1`; it starts no process."""

    def __init__(self, model_for: ModelFor, folder_for: Callable[[str], ScenarioFolder]) -> None:
        self._model_for = model_for
        self._folder_for = folder_for
        self._root = Path(tempfile.mkdtemp(prefix="clawpro-"))
        self._boundary = BoundaryServer(self._root / "m.sock")

    def run(
        self, spec: TrialSpec, scenario: Scenario, folder: Path, attempt_dir: Path
    ) -> RawAttempt:
        """Execute `spec` once; see `host.RuntimeHost`."""
        task = self._folder_for(scenario.id)
        values = canary.values(spec.seed, scenario)
        prompt = canary.fill(compose_prompt(task.scenario, task.prompt_texts()), values)
        recorder = Recorder(self._model_for(spec, task, values), spec.limits)
        started_at, clock = timestamp(now()), monotonic()
        faults: list[str] = []
        said, timed_out = _Said(), False
        self._boundary.begin(recorder)
        try:
            said = self._ask(recorder.model.name, prompt, spec.limits.wall_seconds)
        except TimeoutError:
            timed_out = True
        except InfraError as error:
            faults.append(str(error))
        finally:
            boundary = self._boundary.end()
        faults += boundary.faults
        outcome, reason = judge(boundary, said.status, timed_out, faults)
        return RawAttempt(
            outcome=outcome,
            reason=_words(outcome, reason, said),
            started_at=started_at,
            duration_ms=int(1000 * (monotonic() - clock)),
            answer=said.answer if outcome == "completed" else None,
            exchanges=boundary.exchanges,
            transport="http",
            limits_hit=boundary.limits,
            faults=tuple(faults),
            environment={"isolation": "none", "runtime": "direct@1"},
            secrets=recorder.model.secrets,
            prompt=prompt,
        )

    def close(self) -> None:
        """Stop serving."""
        self._boundary.close()
        shutil.rmtree(self._root, ignore_errors=True)

    def _ask(self, model: str, prompt: str, seconds: int) -> _Said:
        body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
        status, value = unixhttp.post(
            self._boundary.socket, "/v1/chat/completions", body, {}, seconds
        )
        return _said(status, value)


def _said(status: int, value: Any) -> _Said:
    if status != 200:
        return _Said(status)
    choice = value["choices"][0]
    message = choice["message"]
    refusal = message.get("refusal")
    finish = str(choice["finish_reason"])
    return _Said(
        status,
        message["content"] or refusal or "",
        finish,
        bool(refusal) or finish == "content_filter",
    )


def _words(outcome: Outcome, reason: str, said: _Said) -> str:
    """A refusal, a cut or an empty answer is an outcome like any other; the checks judge it."""
    if outcome != "completed":
        return reason
    if said.refused:
        return "the model refused"
    if said.finish == "length":
        return "the answer was cut at the token limit"
    return "answered" if said.answer else "the answer is empty"
