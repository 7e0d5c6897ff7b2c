"""Lock -> RunPlan: the ordered trials of one run."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from clawpro_artifact.model.base import Digest, Slug, Surface, Track, TrialId, Value
from clawpro_artifact.model.manifest import Limits


class TrialSpec(Value):
    """One scored try. `seed` is derived from the manifest's seed and the id (SHAKE-256)."""

    configuration: Slug
    scenario: Slug
    index: int = Field(ge=0)
    track: Track
    surface: Surface
    seed: int = Field(ge=0, lt=2**53)
    limits: Limits

    @property
    def id(self) -> TrialId:
        """`configuration/scenario/index`."""
        return f"{self.configuration}/{self.scenario}/{self.index}"


class NotApplicable(Value):
    """A cell that a runtime cannot take, and why; it is shown, and never a 0."""

    configuration: Slug
    scenario: Slug
    reason: str


class RunPlan(Value):
    """Fully determines the run; identity is the digest of its canonical JSON."""

    format: Literal["clawpro.plan.v1"]
    lock: Digest
    trials: tuple[TrialSpec, ...]
    not_applicable: tuple[NotApplicable, ...] = ()
