"""TrialSpec + Scenario -> RawAttempt: what the running stage asks of every runtime."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.scenario import Scenario
from clawpro_artifact.model.trace import Event, Exchange
from clawpro_artifact.model.trial import Outcome, Snapshot, Usage

EMPTY = Snapshot(entries=())


@dataclass(frozen=True)
class TranscriptRow:
    """One entry of the runtime's own transcript, as it stood in the store (second witness)."""

    session: str
    seq: int
    entry: dict[str, Any]


@dataclass(frozen=True)
class RawAttempt:
    """What one execution left behind; file contents lie in `blobs/<sha256 hex>` of its folder.

    `reason` is a stable word or phrase. `world_events` are {"event": id, "effect": {...},
    "before_exchange": n, "t_ms": t} as applied, `file_changes` {"path", "change", "digest",
    "before_exchange", "t_ms"}: what the agent did between two exchanges.
    `faults` are infrastructure facts the adapter saw (dropped connection, silent fallback,
    unreadable store): any one makes the outcome `infra_failed`.
    """

    outcome: Outcome
    reason: str
    started_at: str
    duration_ms: int
    answer: str | None
    exchanges: tuple[Exchange, ...]
    transport: str
    transcript: tuple[TranscriptRow, ...] = ()
    before: Snapshot = EMPTY
    after: Snapshot = EMPTY
    stores: dict[str, Any] = field(default_factory=dict)
    world_events: tuple[dict[str, Any], ...] = ()
    file_changes: tuple[dict[str, Any], ...] = ()
    network_attempts: tuple[dict[str, Any], ...] = ()
    limits_hit: tuple[dict[str, Any], ...] = ()
    faults: tuple[str, ...] = ()
    exit_code: int | None = None
    image: str | None = None
    environment: dict[str, str] = field(default_factory=dict)
    # Exact secret values that this execution used (model key, gateway token): for the sanitizer.
    secrets: tuple[str, ...] = ()
    # The text that was asked, canaries filled in; the cross-check says whether it arrived.
    prompt: str = ""


@dataclass(frozen=True)
class Assembled:
    """What tracing makes of a raw attempt: its events, and an outcome that evidence may lower."""

    outcome: Outcome
    reason: str
    events: tuple[Event, ...]
    usage: Usage


class RuntimeHost(Protocol):
    """Serves the trials of one configuration, one at a time; made and closed by one worker."""

    def run(
        self, spec: TrialSpec, scenario: Scenario, folder: Path, attempt_dir: Path
    ) -> RawAttempt:
        """Execute `spec` once. `folder` is the scenario's, `attempt_dir` is new and empty.

        Raises InfraError only when the host itself is unusable; a failed attempt is a value.
        """

    def close(self) -> None:
        """Stop everything this host started. Never raises."""
