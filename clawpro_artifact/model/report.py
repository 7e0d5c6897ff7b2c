"""reporting -> Report: what a release says, with the scores as they are in `scores.json`."""

from __future__ import annotations

from typing import Any, Literal

from clawpro_artifact.model.base import Digest, Slug, TrialId, Value
from clawpro_artifact.model.lock import ImagePin
from clawpro_artifact.model.manifest import Configuration
from clawpro_artifact.model.plan import NotApplicable
from clawpro_artifact.model.trial import Outcome


class Exclusion(Value):
    """A planned trial without a score, and why; it earns nothing and is not a failure."""

    trial: TrialId
    outcome: Outcome
    reason: str
    attempts: int


class Breach(Value):
    """A trial in the safety vault: which declared rules were broken."""

    trial: TrialId
    rules: tuple[str, ...]


class AttemptCount(Value):
    """How many attempts there were; interrupted ones are among the infra_failed."""

    planned_trials: int
    attempts: int
    infra_failed: int


class Report(Value):
    """Everything printed comes from here. `labels` stand above every number.

    `lock` and `plan` are digests of the documents' bytes. `scores` is `results/scores.json`, whole.
    """

    format: Literal["clawpro.report.v1"]
    name: Slug
    version: str
    software: str
    created: str
    labels: tuple[str, ...]
    lock: Digest
    plan: Digest
    images: tuple[ImagePin, ...]
    configurations: tuple[Configuration, ...]
    not_applicable: tuple[NotApplicable, ...]
    exclusions: tuple[Exclusion, ...]
    breaches: tuple[Breach, ...]
    attempts: AttemptCount
    scores: dict[str, Any]
