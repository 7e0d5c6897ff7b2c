"""a finished run -> its vault of openings, and whether redaction moved a score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clawpro_artifact.adapters import environment, keys, salts
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.adapters.runs import RunFolder
from clawpro_artifact.errors import IncompleteError
from clawpro_artifact.formats import canonical
from clawpro_artifact.formats.shipped import Shipped
from clawpro_artifact.model.trial import Trial
from clawpro_artifact.pipeline.inputs import Planned
from clawpro_artifact.pipeline.judging import Judge, scenario_rows
from clawpro_artifact.sanitizing import Opening
from clawpro_artifact.sanitizing.openings import Vault
from clawpro_artifact.scoring.__main__ import rescore


@dataclass(frozen=True)
class Audited:
    """One trial raw and clean. `moved`: checks with another status; `shipped`: the clean trial made
    anew is the published one, byte for byte."""

    trial: str
    redactions: int
    moved: tuple[str, ...]
    shipped: bool

    @property
    def equal(self) -> bool:
        """Whether redaction changed nothing that counts."""
        return not self.moved and self.shipped


@dataclass(frozen=True)
class Audit:
    """`same_scores`: scoring the raw records gives, byte for byte, the published scores."""

    trials: tuple[Audited, ...]
    same_scores: bool

    @property
    def equal(self) -> bool:
        """Whether every trial and every number is the same."""
        return self.same_scores and all(t.equal for t in self.trials)


def vault(checkout: Checkout, p: Planned) -> Vault:
    """The openings of every redaction of a finished run; IncompleteError if a trial is missing.

    Salts follow from the producer's salt key, so the vault is the same whenever it is made.
    """
    found: list[Opening] = []
    with TemporaryDirectory(prefix="clawpro-") as place:
        judge = _judge(checkout, p, Path(place))
        for trial in _trials(checkout, p):
            judge.sanitized(trial, keep=found.append)
    return Vault(format="clawpro.vault.v1", plan=canonical.digest(p.plan), openings=tuple(found))


def audit(checkout: Checkout, p: Planned, shipped: Shipped) -> Audit:
    """Checks and scores every trial raw and clean.

    Canaries are markers in both: checks rest on them.

    Raises IncompleteError if a raw trial of the plan is not there.
    """
    rows: list[Audited] = []
    records: list[dict[str, Any]] = []
    with TemporaryDirectory(prefix="clawpro-") as place:
        judge = _judge(checkout, p, Path(place))
        for trial in _trials(checkout, p):
            clean = judge(trial)
            raw = judge(trial, only_canaries=True)
            before = {r.id: r.status for r in raw.results}
            after = {r.id: r.status for r in clean.results}
            moved = tuple(sorted(c for c in before.keys() | after.keys()
                                 if before.get(c) != after.get(c)))  # fmt: skip
            same = shipped.trial(trial.spec) == clean.trial
            rows.append(Audited(trial.spec.id, len(clean.trial.redactions), moved, same))
            records.append(raw.record)
    facts = scenario_rows(
        (p.folders[pin.id].scenario for pin in p.locked.scenarios),
        {pin.id: pin.digest for pin in p.locked.scenarios},
        p.locked.manifest.limits.requests,
    )
    scores = rescore(canonical.encode(p.locked), _lines(facts), _lines(records))
    return Audit(tuple(rows), scores == shipped.read("data/results/scores.json"))


def _judge(checkout: Checkout, p: Planned, clean: Path) -> Judge:
    return Judge(
        run=RunFolder(checkout.work / "runs" / p.name),
        clean=clean,
        folders=p.folders,
        secrets=environment.secret_values(
            c.base_model.api_key_env
            for c in p.locked.manifest.configurations
            if c.base_model.api_key_env
        ),
        salt_key=salts.salt_key(keys.folder().parent / "salt.key"),
    )


def _trials(checkout: Checkout, p: Planned) -> Iterator[Trial]:
    folder = RunFolder(checkout.work / "runs" / p.name)
    for spec in p.plan.trials:
        trial = folder.finished(spec, p.locked.manifest.attempts.max_attempts)
        if trial is None:
            raise IncompleteError(
                "the run is not finished here",
                where=str(folder.root),
                expected=f"the raw trial {spec.id}",
                found="none",
                do="release this manifest with this version first, or use the machine that did",
            )
        yield trial


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(canonical.encode(row) + b"\n" for row in rows)
