"""finished attempts <-> the folder of a run; the only state that resuming needs."""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from clawpro_artifact.adapters import store
from clawpro_artifact.adapters.clock import now, timestamp
from clawpro_artifact.errors import InfraError, InputError
from clawpro_artifact.formats import canonical
from clawpro_artifact.formats.portable import portable
from clawpro_artifact.model.base import Value
from clawpro_artifact.model.lock import Lock
from clawpro_artifact.model.plan import RunPlan, TrialSpec
from clawpro_artifact.model.trace import Event, Exchange
from clawpro_artifact.model.trial import Attempt, AttemptRecord, Trial

V = TypeVar("V", bound=Value)
INTERRUPTED = "interrupted before it ended"


class RunFolder:
    """`<root>/trials/<configuration>/<scenario>/<index>/attempt-<n>/`.

    An attempt counts from the moment `attempt.json` stands there (written last, fsynced, renamed);
    a folder without it is an interrupted attempt.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def hold(self, locked: Lock, plan: RunPlan) -> Iterator[None]:
        """Keep other processes out, and keep the lock and plan of the run beside its trials.

        Raises InfraError if another process works here, InputError if the folder is another run's.
        """
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.root / "held").open("a+") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InfraError(
                    "another process works on this run",
                    where=str(self.root),
                    do="wait for it to end, or stop it",
                ) from error
            for name, value in (("lock.json", locked), ("plan.json", plan)):
                path = self.root / name
                data = canonical.encode(value) + b"\n"
                if path.exists() and path.read_bytes() != data:
                    raise InputError(
                        f"the folder holds a run with another {name}",
                        where=str(path),
                        do="settings that change a run make another run: use another folder",
                    )
                store.write(path, data)
            yield

    def begin(self, spec: TrialSpec) -> tuple[int, Path]:
        """A new attempt folder, never one that was used before."""
        folder = self._trial(spec)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        number = 1 + max((n for n, _ in self._attempts(spec)), default=0)
        attempt = folder / f"attempt-{number}"
        attempt.mkdir(mode=0o700)
        store.write(attempt / "started", (timestamp(now()) + "\n").encode())
        return number, attempt

    def write_lines(self, attempt_dir: Path, name: str, rows: Sequence[Value]) -> str:
        """Write JSON Lines; returns their digest."""
        data = b"".join(line(r) for r in rows)
        store.write(attempt_dir / name, data)
        return "sha256:" + hashlib.sha256(data).hexdigest()

    def seal(self, attempt_dir: Path, record: AttemptRecord) -> None:
        """The attempt counts from here on."""
        data = canonical.encode(record) + b"\n"
        store.write(attempt_dir / "attempt.json", data, mode=0o600)

    def finished(self, spec: TrialSpec, max_attempts: int) -> Trial | None:
        """The trial, if it needs no further attempt; its evidence is that of the last one.

        The pre-registered rule: the first attempt that is not `infra_failed` is the trial; after
        `max_attempts` infra_failed ones (interrupted ones not counted) the trial is undecided.
        """
        attempts: list[Attempt] = []
        last: tuple[Path, AttemptRecord] | None = None
        tried = 0
        for number, folder in self._attempts(spec):
            if not (folder / "attempt.json").exists():
                attempts.append(_interrupted(number, folder))
                continue
            record = _read_record(folder, spec)
            attempts.append(record.attempt)
            last = (folder, record)
            tried += 1
            if record.attempt.outcome != "infra_failed":
                break
        if last is None or (last[1].attempt.outcome == "infra_failed" and tried < max_attempts):
            return None
        folder, record = last
        return Trial(
            spec=spec,
            attempts=tuple(attempts),
            outcome=record.attempt.outcome,
            usage=record.usage,
            events=_read_lines(folder / "events.jsonl", record.events, Event),
            exchanges=_read_lines(folder / "exchanges.jsonl", record.exchanges, Exchange),
            evidence=record.evidence,
            secrets=record.secrets,
        )

    def blobs(self, trial: Trial) -> Path:
        """The blob folder of the attempt that is the trial."""
        return self._trial(trial.spec) / f"attempt-{trial.attempts[-1].number}" / "blobs"

    def _trial(self, spec: TrialSpec) -> Path:
        return self.root / "trials" / spec.configuration / spec.scenario / str(spec.index)

    def _attempts(self, spec: TrialSpec) -> list[tuple[int, Path]]:
        folder = self._trial(spec)
        if not folder.is_dir():
            return []
        return sorted((int(p.name.removeprefix("attempt-")), p) for p in folder.glob("attempt-*"))


def line(row: Value) -> bytes:
    """One JSON line in ASCII, keys sorted; what RFC 8785 has no form for is said in words.

    Not `mode="json"`: that makes null of an infinity.
    """
    value = portable(row.model_dump())
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii") + b"\n"


def _interrupted(number: int, folder: Path) -> Attempt:
    started = folder / "started"
    return Attempt(
        number=number,
        outcome="infra_failed",
        reason=INTERRUPTED,
        started_at=started.read_text().strip() if started.exists() else "unknown",
        duration_ms=0,
        isolation="none",
        transport="none",
    )


def _read_record(folder: Path, spec: TrialSpec) -> AttemptRecord:
    path = folder / "attempt.json"
    try:
        record = AttemptRecord.model_validate_json(path.read_bytes())
    except (ValidationError, ValueError) as error:
        raise InputError(
            "a finished attempt cannot be read",
            where=str(path),
            found=str(error).splitlines()[0],
            expected="clawpro.attempt.v1 as this version writes it",
            do="finish the run with the version that began it, or begin another run",
        ) from error
    if record.spec != spec:
        raise InputError(
            "a finished attempt belongs to another plan",
            where=str(path),
            expected=spec.model_dump_json(),
            found=record.spec.model_dump_json(),
        )
    return record


def _read_lines(path: Path, expected: str, kind: type[V]) -> tuple[V, ...]:
    data = path.read_bytes()
    found = "sha256:" + hashlib.sha256(data).hexdigest()
    if found != expected:
        raise InputError(
            "a file of a finished attempt changed after it was sealed",
            where=str(path),
            expected=expected,
            found=found,
        )
    return tuple(kind.model_validate_json(line) for line in data.split(b"\n") if line)
