"""TrialSpec + Scenario -> RawAttempt: one question to a model, no runtime around it (holdout)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from clawpro_artifact.adapters.boundary import Recorder
from clawpro_artifact.adapters.clock import monotonic, now, timestamp
from clawpro_artifact.adapters.models.answer import Model
from clawpro_artifact.adapters.runtimes.host import RawAttempt
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model import canary
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.prompt import compose_prompt
from clawpro_artifact.model.scenario import Scenario
from clawpro_artifact.model.trial import Outcome

RUNTIME = "direct@1"


class DirectHost:
    """A RuntimeHost without a container. The same boundary records what is asked and answered."""

    def __init__(
        self,
        model_for: Callable[[TrialSpec, ScenarioFolder, Mapping[str, str]], Model],
        folder_for: Callable[[str], ScenarioFolder],
    ) -> None:
        self._model_for = model_for
        self._folder_for = folder_for

    def run(
        self, spec: TrialSpec, scenario: Scenario, folder: Path, attempt_dir: Path
    ) -> RawAttempt:
        """Ask once. A refusal, a cut or an empty answer is an answer; it is graded as it is."""
        task = self._folder_for(scenario.id)
        values = canary.values(spec.seed, scenario)
        prompt = canary.fill(compose_prompt(scenario, task.prompt_texts()), values)
        model = self._model_for(spec, task, values)
        recorder = Recorder(model, spec.limits)
        started_at, clock = timestamp(now()), monotonic()
        request = {"model": model.name, "messages": [{"role": "user", "content": prompt}]}
        answer = recorder.answer(request)
        duration = int(1000 * (monotonic() - clock))
        boundary = recorder.close()
        outcome: Outcome = "completed"
        reason = f"finish: {answer.finish}"
        if answer.fault is not None:
            outcome = "infra_failed" if answer.fault.infrastructure else "agent_failed"
            reason = answer.fault.message
        elif duration > 1000 * spec.limits.wall_seconds:
            outcome, reason = "timed_out", "limit: wall_seconds"
        return RawAttempt(
            outcome=outcome,
            reason=reason[:200],
            started_at=started_at,
            duration_ms=duration,
            answer=None if answer.fault else answer.text,
            exchanges=boundary.exchanges,
            transport="http",
            limits_hit=boundary.limits,
            faults=boundary.faults,
            environment={"isolation": "none", "runtime": RUNTIME},
            prompt=prompt,
        )

    def close(self) -> None:
        """Nothing was started."""
