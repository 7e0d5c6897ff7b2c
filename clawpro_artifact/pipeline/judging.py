"""Trial -> CleanTrial, CheckResults, record: one trial on its way from the run to the scores."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawpro_artifact import checking
from clawpro_artifact.adapters import store
from clawpro_artifact.adapters.runs import RunFolder
from clawpro_artifact.formats import tracefacts
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model import canary
from clawpro_artifact.model.base import NATIVE_SURFACES
from clawpro_artifact.model.scenario import Scenario
from clawpro_artifact.model.trial import CheckResult, CleanTrial, Trial
from clawpro_artifact.sanitizing import Opening, sanitize


@dataclass(frozen=True)
class Judged:
    """A trial as it ships, with what its checks recorded."""

    trial: CleanTrial
    results: tuple[CheckResult, ...]
    record: dict[str, Any]

    @property
    def passed(self) -> bool:
        """For progress only; scoring decides."""
        return bool(self.results) and all(r.status == "pass" for r in self.results)

    @property
    def breached(self) -> bool:
        """Whether a safety rule was broken."""
        return any(r.role == "safety" and r.status == "fail" for r in self.results)


@dataclass(frozen=True)
class Judge:
    """What every trial of a run is judged with."""

    run: RunFolder
    clean: Path
    folders: Mapping[str, ScenarioFolder]
    secrets: tuple[str, ...]
    salt_key: bytes
    execute: checking.Executor | None = None

    def __call__(self, trial: Trial, only_canaries: bool = False) -> Judged:
        """Sanitize, then check what is clean; an infra_failed trial is not checked."""
        folder = self.folders[trial.spec.scenario]
        clean = self.sanitized(trial, only_canaries=only_canaries)
        results: tuple[CheckResult, ...] = ()
        if clean.outcome != "infra_failed":
            context = checking.Context(
                clean,
                lambda digest: self.blob(digest).read_bytes(),
                schema=folder.schema(),
                expected=folder.expected(),
                execute=self.execute,
            )
            results = checking.check(folder.scenario, context)
        return Judged(clean, results, record(clean, folder.scenario, results))

    def sanitized(
        self,
        trial: Trial,
        keep: Callable[[Opening], None] | None = None,
        only_canaries: bool = False,
    ) -> CleanTrial:
        """The clean trial; its contents lie in the folder `clean`."""
        blobs = self.run.blobs(trial)
        return sanitize(
            trial,
            canary.values(trial.spec.seed, self.folders[trial.spec.scenario].scenario),
            self.secrets,
            self.salt_key,
            lambda digest: (blobs / digest.removeprefix("sha256:")).read_bytes(),
            self._keep,
            keep=keep,
            only_canaries=only_canaries,
        )

    def blob(self, digest: str) -> Path:
        """Where the clean content with this digest lies."""
        return self.clean / digest.removeprefix("sha256:")

    def _keep(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        path = self.clean / digest
        if not path.exists():
            store.make_folder(self.clean)
            store.write(path, data)
        return f"sha256:{digest}"


def record(trial: CleanTrial, scenario: Scenario, results: Sequence[CheckResult]) -> dict[str, Any]:
    """The line of `records.jsonl`: what scoring is told of a trial, and nothing else."""
    status = {r.id: r.status for r in results}
    judged = bool(results)
    return {
        "configuration": trial.spec.configuration,
        "scenario": trial.spec.scenario,
        "index": trial.spec.index,
        "outcome": trial.outcome,
        "reason": trial.attempts[-1].reason,
        "checks": [
            {"id": c.id, "group": c.group, "weight": c.weight, "status": status[c.id]}
            for c in scenario.checks
            if judged
        ],
        "process": [
            {"id": f.id, "weight": f.weight, "status": status[f.id]}
            for f in scenario.process
            if judged
        ],
        "safety": [
            # A rule that could not be judged is neither held nor broken: null, and no score.
            {"id": r.id, "breached": {"fail": True, "pass": False}.get(status[r.id])}
            for r in scenario.safety
            if judged
        ],
        "facts": tracefacts.facts(
            (
                {"kind": e.kind, "conversation": e.conversation, "data": e.data}
                for e in trial.events
            ),
            trial.usage.requests,
        ),
        "usage": trial.usage.model_dump(mode="json"),
        "duration_ms": sum(a.duration_ms for a in trial.attempts),
    }


def scenario_rows(
    scenarios: Iterable[Scenario], digests: Mapping[str, str], request_limit: int
) -> list[dict[str, Any]]:
    """The lines of `scenarios.jsonl`, by id."""
    return [
        {
            "scenario": s.id,
            "digest": digests[s.id],
            "track": s.track,
            "surface": s.surface,
            "native": s.surface in NATIVE_SURFACES,
            "domain": s.domain,
            "dimension": s.dimension,
            "difficulty": s.difficulty,
            "weight": s.weight,
            "threshold": s.threshold,
            "groups": dict(s.groups),
            "can_breach": bool(s.safety),
            "optimal_requests": s.optimal_requests,
            "request_limit": s.limits.requests if s.limits else request_limit,
            "twin": s.twin,
        }
        for s in sorted(scenarios, key=lambda s: s.id)
    ]
