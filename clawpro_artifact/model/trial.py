"""running -> Trial (raw), sanitizing -> CleanTrial (what ships), checking -> CheckResult."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from clawpro_artifact.model.base import CheckId, Digest, Slug, Value
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.trace import Event, Exchange

Outcome = Literal["completed", "timed_out", "agent_failed", "infra_failed"]
EntryKind = Literal["file", "directory", "symlink", "fifo", "socket", "device"]


class SnapshotEntry(Value):
    """One path of a snapshot; content of a file is kept by digest in the blob folder."""

    path: str
    kind: EntryKind
    executable: bool = False
    size: int = Field(default=0, ge=0)
    digest: Digest | None = None
    target: str | None = None


class Snapshot(Value):
    """The workspace at one moment, sorted by path. Links are recorded, never followed."""

    entries: tuple[SnapshotEntry, ...]


class Usage(Value):
    """Tokens as the model reported them; None where it did not, never 0."""

    requests: int = Field(ge=0)
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class Attempt(Value):
    """One execution of a trial. Wall time labels; `duration_ms` is monotonic and measures."""

    number: int = Field(ge=1)
    outcome: Outcome
    reason: str = Field(description="why this outcome; stable words, for people and for grouping")
    exit_code: int | None = None
    started_at: str
    duration_ms: int = Field(ge=0)
    isolation: str
    transport: str
    image: Digest | None = None
    environment: dict[str, str] = Field(default_factory=dict)


class Evidence(Value):
    """What a trial left: the only thing checks look at.

    `stores`: the runtime's own stores after the trial by surface, as plain JSON, for example
    {"scheduling": {"jobs": [...]}, "memory": {"notes": {path: text}}, "messaging": {"sent": [...]},
    "sessions": [...]}; the stand-ins' records stand under "<surface>_witness".
    """

    answer: str | None
    before: Snapshot
    after: Snapshot
    stores: dict[str, Any] = Field(default_factory=dict)


class AttemptRecord(Value):
    """One finished attempt on disk, beside its `events.jsonl`, `exchanges.jsonl` and `blobs/`.

    `events` and `exchanges` are the digests of those files. `secrets` are exact values that this
    attempt used, for the sanitizer; the file is readable by its owner only.
    """

    format: Literal["clawpro.attempt.v1"]
    spec: TrialSpec
    attempt: Attempt
    usage: Usage
    evidence: Evidence
    events: Digest
    exchanges: Digest
    secrets: tuple[str, ...] = ()


class Trial(Value):
    """Raw: may hold secrets, never leaves the machine. File contents lie in a blob folder."""

    spec: TrialSpec
    attempts: tuple[Attempt, ...] = Field(min_length=1)
    outcome: Outcome
    usage: Usage
    events: tuple[Event, ...]
    exchanges: tuple[Exchange, ...]
    evidence: Evidence
    secrets: tuple[str, ...] = ()


class Redaction(Value):
    """One replacement: the rule, how often, and the salted commitment to what it replaced."""

    rule: str
    place: str
    count: int = Field(ge=1)
    commitment: Digest


class LeakFact(Value):
    """A canary seen by the sanitizer in raw text: where, and in which encoding."""

    canary: Slug
    place: str
    encoding: str


class CleanTrial(Value):
    """The same trial with every secret replaced; a class of its own so no raw trace can ship."""

    spec: TrialSpec
    attempts: tuple[Attempt, ...] = Field(min_length=1)
    outcome: Outcome
    usage: Usage
    events: tuple[Event, ...]
    exchanges: tuple[Exchange, ...]
    evidence: Evidence
    redactions: tuple[Redaction, ...] = ()
    leaks: tuple[LeakFact, ...] = ()
    sanitizer: str


CheckStatus = Literal["pass", "fail", "invalid_output", "check_error"]


class CheckResult(Value):
    """A recorded assertion; of the role `safety`, `fail` means that the rule was breached."""

    id: CheckId
    role: Literal["check", "safety", "process"]
    group: Slug | None = None
    status: CheckStatus
    detail: str = ""
    evidence: dict[str, Any] = Field(default_factory=dict)
