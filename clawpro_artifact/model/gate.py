"""a release gate's policy: how much may be lost before a runtime version is not taken."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from clawpro_artifact.model.base import DecimalString, Slug, Value


class Gate(Value):
    """Read from TOML (`clawpro drift A B --gate FILE`).

    `margin`: what counts as no drift. `most_lost`: view -> the largest loss that passes, on each
    track. `allowed`: scenarios whose strict pass may be lost. `undecided`: what an undecided
    verdict means for the gate.
    """

    format: Literal["clawpro.gate.v1"]
    margin: DecimalString
    most_lost: dict[Literal["mean_trial_score", "strict_of_k"], DecimalString] = Field(
        default_factory=dict
    )
    allowed: tuple[Slug, ...] = ()
    undecided: Literal["pass", "fail"] = "fail"
