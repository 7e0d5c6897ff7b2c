"""`data/` of a bundle -> the bytes of `results/scores.json` on standard output."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from decimal import localcontext
from pathlib import Path
from typing import Any

from .records import (
    Conditions,
    RecordError,
    ScenarioFacts,
    TrialRecord,
    check_plan,
    conditions,
    lines,
    scenario_facts,
    trial_record,
)
from .statistics import CONTEXT, DIGITS, shown
from .suite import ScenarioScore, suite
from .trial import TrialScore, trial_score

FORMAT = "clawpro.scores.v1"


def score(
    records: Iterable[TrialRecord], scenarios: dict[str, ScenarioFacts], fixed: Conditions
) -> dict[str, Any]:
    """The scores document. The order of `records` does not matter."""
    ordered = sorted(records, key=lambda r: (r.configuration, r.scenario, r.index))
    check_plan(ordered, fixed.k)
    with localcontext(CONTEXT):
        cells: dict[tuple[str, str], list[TrialScore]] = {}
        for record in ordered:
            facts = scenarios.get(record.scenario)
            if facts is None:
                raise RecordError(record.id, "/scenario", "a known scenario", record.scenario)
            one = trial_score(record, facts, fixed.weights)
            cells.setdefault((record.configuration, record.scenario), []).append(one)
        scored = [
            ScenarioScore(configuration, scenarios[name], tuple(trials), fixed.weights)
            for (configuration, name), trials in cells.items()
        ]
        groups: dict[tuple[str, str], list[ScenarioScore]] = {}
        for cell in scored:
            groups.setdefault((cell.configuration, cell.facts.track), []).append(cell)
        return {
            "format": FORMAT,
            "digits": DIGITS,
            "k": fixed.k,
            "seed": fixed.seed,
            "weights": {name: str(value) for name, value in fixed.weights.items()},
            "trials": [_trial(t) for c in scored for t in c.trials],
            "scenarios": [_scenario(c) for c in scored],
            "suites": [suite(c, t, rows, fixed) for (c, t), rows in sorted(groups.items())],
        }


def _trial(t: TrialScore) -> dict[str, Any]:
    return {
        "trial": t.record.id,
        "outcome": t.record.outcome,
        "undecided": t.undecided,
        "gate": t.gate,
        "breaches": list(t.record.breaches),
        "correctness": None if t.undecided else shown(t.correctness),
        "process": None if t.undecided else shown(t.process),
        "efficiency": None if t.undecided else shown(t.efficiency),
        "score": shown(t.score),
        "strict": None if t.undecided else t.strict,
        "local_failures": shown(t.local_failures),
        "clawprobench": None if t.undecided else shown(t.clawprobench),
    }


def _scenario(c: ScenarioScore) -> dict[str, Any]:
    return {
        "configuration": c.configuration,
        "scenario": c.facts.scenario,
        "track": c.facts.track,
        "trials": len(c.trials),
        "scored": len(c.decided),
        "passed": c.passed,
        "breached": c.breached,
        "mean_trial_score": shown(c.mean_score),
        "composite": shown(c.composite),
        "strict": c.strict,
        "any": c.any,
    }


def encode(document: dict[str, Any]) -> bytes:
    """Sorted keys, no white space, UTF-8, a final newline: RFC 8785 for strings and integers."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode() + b"\n"


def rescore(lock: bytes, scenarios: bytes, records: bytes) -> bytes:
    """The bytes of `scores.json` from the three documents that decide it."""
    locked = json.loads(lock)
    weights = encode(locked["manifest"]["weights"]).rstrip(b"\n")
    fixed = conditions(locked, "sha256:" + hashlib.sha256(weights).hexdigest())
    facts = (scenario_facts(v, at) for at, v in lines(scenarios, "scenarios.jsonl"))
    known = {f.scenario: f for f in facts}
    rows = (trial_record(v, at) for at, v in lines(records, "records.jsonl"))
    return encode(score(rows, known, fixed))


def main(arguments: list[str]) -> int:
    """`[FOLDER]` is a bundle's `data/`, by default the working folder."""
    folder = Path(arguments[0] if arguments else ".")
    results = folder / "results"
    try:
        out = rescore(
            (folder / "lock.json").read_bytes(),
            (results / "scenarios.jsonl").read_bytes(),
            (results / "records.jsonl").read_bytes(),
        )
    except RecordError as error:
        print(f"scoring: {error}", file=sys.stderr)
        return 6 if error.incomplete else 3
    except OSError as error:
        print(f"scoring: {error}", file=sys.stderr)
        return 3
    sys.stdout.buffer.write(out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
