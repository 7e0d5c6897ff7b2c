"""the folder of a run -> its records and scores as far as they go; nothing is published.

A trial without a finished attempt stands as undecided: every figure it touches shows bounds.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters import environment, keys, salts
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.adapters.runs import RunFolder
from clawpro_artifact.errors import InputError, PinError
from clawpro_artifact.formats import canonical, documents, jsonio, scenarios
from clawpro_artifact.formats.trees import tree_digest
from clawpro_artifact.model.lock import Lock
from clawpro_artifact.model.plan import RunPlan, TrialSpec
from clawpro_artifact.pipeline.inputs import code_folders
from clawpro_artifact.pipeline.judging import Judge, scenario_rows
from clawpro_artifact.scoring.__main__ import rescore

UNFINISHED = "no attempt has finished"


@dataclass(frozen=True)
class Provisional:
    """`unfinished` of the planned trials have no attempt yet that counts."""

    locked: Lock
    scores: dict[str, Any]
    records: tuple[dict[str, Any], ...]
    tracks: dict[str, str]
    unfinished: int


def score_run(checkout: Checkout, name: str) -> Provisional:
    """Judge and score what a run has; `name` is its folder's, or the start of it.

    Raises InputError for no such run, PinError if the scenarios or the code that judge are no
    longer those of its lock. Checks that execute a program stay undecided: no engine is opened.
    """
    found = sorted((checkout.work / "runs").glob(f"{name}*")) if name.isalnum() else []
    if len(found) != 1:
        raise InputError(
            "no such run" if not found else "several runs begin so",
            where=str(checkout.work / "runs"),
            expected="the name of one folder, or the start of it",
            found=name if not found else ", ".join(p.name for p in found),
        )
    root = found[0]
    locked = documents.read(Lock, root / "lock.json")
    plan = documents.read(RunPlan, root / "plan.json")
    folders = checkout.scenario_folders()
    for pin in locked.scenarios:
        there = scenarios.digest(folders[pin.id].folder) if pin.id in folders else "no folder"
        _pinned(f"scenario {pin.id}", pin.digest, there)
    for part, place in code_folders().items():
        if part in ("scoring", "checking", "sanitizing"):
            _pinned(f"{part} code", getattr(locked, part), tree_digest(place))
    with tempfile.TemporaryDirectory(prefix="clawpro-") as clean:
        judge = Judge(
            run=RunFolder(root),
            clean=Path(clean),
            folders=folders,
            secrets=environment.secret_values(
                c.base_model.api_key_env
                for c in locked.manifest.configurations
                if c.base_model.api_key_env
            ),
            salt_key=salts.salt_key(keys.folder().parent / "salt.key"),
        )
        records, unfinished = [], 0
        for spec in plan.trials:
            trial = judge.run.finished(spec, locked.manifest.attempts.max_attempts)
            records.append(_unfinished(spec) if trial is None else judge(trial).record)
            unfinished += trial is None
    rows = scenario_rows(
        (folders[pin.id].scenario for pin in locked.scenarios),
        {pin.id: pin.digest for pin in locked.scenarios},
        locked.manifest.limits.requests,
    )
    scores = rescore(canonical.encode(locked), _lines(rows), _lines(records))
    return Provisional(
        locked,
        jsonio.parse(scores, "scores"),
        tuple(records),
        {row["scenario"]: row["track"] for row in rows},
        unfinished,
    )


def _pinned(what: str, locked: str, there: str) -> None:
    if locked != there:
        raise PinError(
            f"the {what} is not the one that the run was planned with",
            expected=locked,
            found=there,
            do="check out the version of the run",
        )


def _unfinished(spec: TrialSpec) -> dict[str, Any]:
    names = ("requests", "repeated_errors", "ignored_errors", "abandoned_subagents")
    return {
        "configuration": spec.configuration,
        "scenario": spec.scenario,
        "index": spec.index,
        "outcome": "infra_failed",
        "reason": UNFINISHED,
        "checks": [],
        "process": [],
        "safety": [],
        "facts": dict.fromkeys(names, 0),
        "usage": None,
        "duration_ms": 0,
    }


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(canonical.encode(row) + b"\n" for row in rows)
