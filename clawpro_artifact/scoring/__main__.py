"""`data/` of a bundle -> the bytes of `results/scores.json` on standard output.

Records stream: a finished cell is kept in a temporary file, so that memory grows with the number of
cells and not of trials. Nothing is written before every record has been read.
"""

from __future__ import annotations

import gc
import io
import pickle
import sys
import tempfile
from collections.abc import Iterable, Iterator
from decimal import localcontext
from itertools import groupby
from pathlib import Path
from typing import Any

from . import records as given
from .records import Conditions, RecordError, Row, encode
from .statistics import CONTEXT, DIGITS, shown
from .suite import ScenarioScore, scenario_score, suite
from .trial import TrialScore, trial_score

FORMAT = "clawpro.scores.v2"
Cell = tuple[str, str, str]  # track, configuration, scenario


class Scored:
    """All records of a run, scored; `document` gives the parts of the scores document."""

    def __init__(
        self, records: Iterable[tuple[str, Row]], facts: dict[str, Row], fixed: Conditions
    ) -> None:
        self._facts, self._fixed = facts, fixed
        # Nobody else can write to it, so that pickle is safe.
        self._file = tempfile.SpooledTemporaryFile(1 << 24)  # noqa: SIM115
        self._at: dict[Cell, int] = {}
        self._declared: dict[str, set[Any]] = {}
        waiting: dict[Cell, dict[int, tuple[Row, TrialScore]]] = {}
        with localcontext(CONTEXT):
            for where, row in records:
                cell = self._placed(row, where)
                trials = waiting.setdefault(cell, {})
                if cell in self._at or row["index"] in trials:
                    raise RecordError("each trial once", row["index"], where, "/index")
                trials[row["index"]] = row, trial_score(row, facts[cell[2]], fixed.weights)
                if len(trials) == fixed.k:
                    self._keep(cell, [trials[i] for i in range(fixed.k)])
                    del waiting[cell]
        for (_, configuration, scenario), trials in sorted(waiting.items()):
            where = f"records.jsonl, {configuration}/{scenario}"
            raise RecordError(f"trials 0 to {fixed.k - 1}", sorted(trials), where, incomplete=True)

    def _placed(self, row: Row, where: str) -> Cell:
        """Where a record belongs; all trials of a scenario were judged by the same checks."""
        facts, k = self._facts.get(row["scenario"]), self._fixed.k
        if facts is None:
            raise RecordError("a known scenario", row["scenario"], where, "/scenario")
        if row["index"] >= k:
            raise RecordError(f"0 to {k - 1}", row["index"], where, "/index")
        if strange := {check["group"] for check in row["checks"]} - facts["groups"].keys():
            raise RecordError("groups of the scenario", sorted(strange), where, "/checks")
        judged = row["checks"] or row["process"] or row["safety"]
        if judged or row["outcome"] != "infra_failed":
            if bool(row["safety"]) != facts["can_breach"] or not row["checks"]:
                wanted = "checks, and safety rules just where the scenario has some"
                raise RecordError(wanted, [row["checks"], row["safety"]], where, "/checks")
            declared = {(c["id"], c["weight"], c["group"]) for c in row["checks"]}
            declared |= {(f["id"], f["weight"], "") for f in row["process"]}
            declared |= {(rule["id"], None, "") for rule in row["safety"]}
            others = self._declared.setdefault(row["scenario"], declared)
            if others != declared:
                odd = sorted(name for name, _, _ in others ^ declared)
                raise RecordError("what the scenario's other trials were judged by", odd, where)
        return facts["track"], row["configuration"], row["scenario"]

    def _keep(self, cell: Cell, trials: list[tuple[Row, TrialScore]]) -> None:
        found = scenario_score([r for r, _ in trials], [t for _, t in trials], self._fixed.weights)
        self._at[cell] = self._file.seek(0, io.SEEK_END)
        rows = b",".join(encode(_trial(*one)) for one in trials)
        pickle.dump((found, rows), self._file)

    def _cells(self) -> Iterator[tuple[Cell, ScenarioScore, bytes]]:
        for cell in sorted(self._at, key=lambda c: (c[1], c[0], c[2])):
            self._file.seek(self._at[cell])
            yield cell, *pickle.load(self._file)

    def document(self) -> dict[str, Any]:
        """Key -> value, or an iterator over the elements of an array."""
        fixed = self._fixed
        return {
            "format": FORMAT, "digits": DIGITS, "k": fixed.k, "seed": fixed.seed,
            "weights": {name: str(value) for name, value in fixed.weights.items()},
            "scenarios": (_scenario(cell, found) for cell, found, _ in self._cells()),
            "suites": self._suites(),
            "trials": (rows for _, _, rows in self._cells()),
        }  # fmt: skip

    def _suites(self) -> Iterator[dict[str, Any]]:
        for (_, configuration), of in groupby(self._cells(), lambda c: c[0][:2]):
            with localcontext(CONTEXT):
                found = suite({cell[2]: score for cell, score, _ in of}, self._facts, self._fixed)
            yield {"configuration": configuration, **found}


def _trial(row: Row, t: TrialScore) -> dict[str, Any]:
    decided = t.undecided is None
    return {
        "trial": f"{row['configuration']}/{row['scenario']}/{row['index']}",
        "outcome": row["outcome"], "undecided": t.undecided, "gate": t.gate,
        "breaches": [rule["id"] for rule in row["safety"] if rule["breached"]],
        "strict": t.strict if decided else None, "local_failures": shown(t.local_failures),
        **{name: shown(getattr(t, name)) if decided else None
           for name in ("correctness", "process", "efficiency", "score", "clawprobench")},
    }  # fmt: skip


def _scenario(cell: Cell, c: ScenarioScore) -> dict[str, Any]:
    def value(name: str) -> str | None:
        low, high = getattr(c, name)
        return shown(low) if low == high else None

    strict, some = (None if low != high else bool(low) for low, high in (c.strict, c.any))
    return {
        "track": cell[0], "configuration": cell[1], "scenario": cell[2], "trials": c.trials,
        "scored": c.scored, "passed": c.passed, "breached": c.trials_breached, "strict": strict,
        "any": some, "mean_trial_score": value("mean"), "composite": value("composite"),
        "clawprobench": value("clawprobench"),
    }  # fmt: skip


def streamed(lock: bytes, scenarios: bytes, records: Iterable[bytes]) -> Iterator[bytes]:
    """`scores.json` in chunks; RecordError before the first of them."""
    fixed = given.conditions(given.parsed(lock, "lock.json"))
    facts: dict[str, Row] = {}
    for where, row in given.lines(io.BytesIO(scenarios), "scenarios.jsonl", given.SCENARIO):
        if facts.setdefault(row["scenario"], row) is not row:
            raise RecordError("each scenario once", row["scenario"], where, "/scenario")
    document = Scored(given.lines(records, "records.jsonl", given.TRIAL), facts, fixed).document()
    for number, (key, value) in enumerate(sorted(document.items())):
        yield (b"," if number else b"{") + encode(key) + b":"
        if isinstance(value, Iterator):
            yield b"["
            for position, one in enumerate(value):
                yield (b"," if position else b"") + (one if type(one) is bytes else encode(one))
            yield b"]"
        else:
            yield encode(value)
    yield b"}\n"


def rescore(lock: bytes, scenarios: bytes, records: bytes) -> bytes:
    """The bytes of `scores.json` from the three documents that decide it."""
    return b"".join(streamed(lock, scenarios, io.BytesIO(records)))


def main(arguments: list[str]) -> int:
    """`[FOLDER]` is a bundle's `data/`, by default the working folder."""
    folder = Path(arguments[0] if arguments else ".")
    try:
        with (folder / "results" / "records.jsonl").open("rb") as records:
            lock = (folder / "lock.json").read_bytes()
            scenarios = (folder / "results" / "scenarios.jsonl").read_bytes()
            for chunk in streamed(lock, scenarios, records):
                sys.stdout.buffer.write(chunk)
    except (RecordError, OSError) as error:
        print(f"scoring: {error}", file=sys.stderr)
        return 6 if isinstance(error, RecordError) and error.incomplete else 3
    return 0


if __name__ == "__main__":
    gc.disable()  # no cycles are made here; looking for them takes a sixth of the time
    raise SystemExit(main(sys.argv[1:]))
