"""trials of anybody's benchmark -> rows that statistics can use, checked one by one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from clawpro_artifact.errors import IncompleteError, InputError

OUTCOMES = ("completed", "timed_out", "agent_failed", "infra_failed")


@dataclass(frozen=True, slots=True)
class Row:
    """One trial. `score` in [0, 1]; None for both exactly where infrastructure ended it."""

    configuration: str
    scenario: str
    trial: int
    score: float | None
    passed: bool | None
    outcome: str
    track: str = "full"


@dataclass(frozen=True)
class Results:
    """Rows of one source. `signature` says under which conditions they came about."""

    source: str
    rows: tuple[Row, ...]
    signature: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def checked(
        cls, source: str, rows: Iterable[tuple[str, Row]], signature: Mapping[str, str]
    ) -> Results:
        """From (place, row) pairs. InputError, with the place, for a row that makes no sense;
        IncompleteError where a scenario has fewer than three trials."""
        kept: list[Row] = []
        seen: dict[tuple[str, str, str, int], str] = {}
        for where, row in rows:
            _check(row, where)
            name = (row.track, row.configuration, row.scenario, row.trial)
            if name in seen:
                raise InputError(
                    "a trial is there twice",
                    where=f"{where} and {seen[name]}",
                    expected="each (configuration, scenario, trial) once",
                    found=f"{row.configuration} / {row.scenario} / {row.trial}",
                )
            seen[name] = where
            kept.append(row)
        if not kept:
            raise InputError("there is no trial", where=source, expected="at least one row")
        cells: dict[tuple[str, str, str], int] = defaultdict(int)
        for row in kept:
            cells[row.track, row.configuration, row.scenario] += 1
        for (_, configuration, scenario), count in cells.items():
            if count < 3:
                raise IncompleteError(
                    "a scenario has fewer than three trials",
                    where=f"{source}: {configuration} / {scenario}",
                    expected="3 or more",
                    found=str(count),
                )
        return cls(source, tuple(kept), dict(signature))


def _check(row: Row, where: str) -> None:
    if row.outcome not in OUTCOMES:
        raise InputError("an outcome is unknown", where=f"{where}#/outcome",
                         expected="one of " + ", ".join(OUTCOMES), found=row.outcome)  # fmt: skip
    if type(row.trial) is not int or row.trial < 0:
        raise InputError("a trial's number is none", where=f"{where}#/trial",
                         expected="a whole number, 0 or more", found=repr(row.trial))  # fmt: skip
    undecided = row.outcome == "infra_failed"
    if undecided != (row.score is None) or undecided != (row.passed is None):
        raise InputError(
            "score and outcome do not go together",
            where=f"{where}#/score",
            expected="no score and no pass exactly where the outcome is infra_failed",
            found=f"outcome {row.outcome}, score {row.score}, passed {row.passed}",
        )
    if row.score is not None and not (math.isfinite(row.score) and 0 <= row.score <= 1):
        raise InputError("a score is out of range", where=f"{where}#/score",
                         expected="a number from 0 to 1", found=str(row.score))  # fmt: skip
