"""CleanTrial, Attempts, CheckResults -> the documents in which a bundle holds them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from clawpro_artifact.model.base import Digest, TrialId, Value
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.trial import (
    Attempt,
    CheckResult,
    Evidence,
    LeakFact,
    Outcome,
    Redaction,
    Usage,
)


class TrialDocument(Value):
    """`trial.json`: a CleanTrial, its two long lists by the digest of the files beside."""

    format: Literal["clawpro.trial.v1"]
    spec: TrialSpec
    attempts: tuple[Attempt, ...] = Field(min_length=1)
    outcome: Outcome
    usage: Usage
    events: Digest
    exchanges: Digest
    evidence: Evidence
    redactions: tuple[Redaction, ...]
    leaks: tuple[LeakFact, ...]
    sanitizer: str


class ChecksLine(Value):
    """A line of `checks.jsonl`: what the checks recorded of one planned trial."""

    trial: TrialId
    results: tuple[CheckResult, ...]


class AttemptLine(Value):
    """A line of `attempts.jsonl`: every attempt of every planned trial, in the plan's order."""

    trial: TrialId
    attempt: Attempt
