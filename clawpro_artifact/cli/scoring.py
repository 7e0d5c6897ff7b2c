"""`clawpro score RUN|BUNDLE`, `clawpro import-results FILE...` -> figures, bounds, cost, time."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from clawpro_artifact import comparing
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.cli.auditing import verified_bundle
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import TRUST
from clawpro_artifact.comparing.costs import read_prices, spending
from clawpro_artifact.errors import EXIT_YES, IncompleteError
from clawpro_artifact.formats import jsonio
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.lock import Lock
from clawpro_artifact.pipeline.provisional import score_run

_VIEWS = ("mean_trial_score", "composite", "local_failures")
_COUNTS = ("strict_of_k", "any_of_k", "safety_breach")


def _score(arguments: argparse.Namespace, screen: Screen) -> int:
    prices = read_prices(arguments.prices) if arguments.prices else None
    path = Path(arguments.source)
    if path.exists():
        with verified_bundle(path, arguments) as bundle:
            locked, scores = bundle.lock(), bundle.scores()
            rows = _json_lines(bundle.read(names.RECORDS), names.RECORDS)
            facts = _json_lines(bundle.read(names.SCENARIOS), names.SCENARIOS)
        tracks, unfinished = {f["scenario"]: f["track"] for f in facts}, 0
    else:
        found = score_run(Checkout.find(), arguments.source)
        locked, scores, rows = found.locked, found.scores, list(found.records)
        tracks, unfinished = found.tracks, found.unfinished
    spent = spending(rows, tracks, _models(locked), prices)
    undecided = [t for t in scores["trials"] if t["undecided"] is not None]
    value = {
        "suites": scores["suites"],
        "weights": scores["weights"],
        "spending": spent,
        "undecided": len(undecided),
        "unfinished": unfinished,
    }
    weights = ", ".join(f"{k} {v}" for k, v in sorted(scores["weights"].items()))
    text = [line for suite in scores["suites"] for line in _suite(suite)]
    text += [_spent(row) for row in spent]
    text.append(f"weights: {weights}; k = {scores['k']}; seed {scores['seed']}")
    screen.result(value, "\n".join(text))
    if undecided:
        first = undecided[0]
        raise IncompleteError(
            "not every planned trial has a score: figures show bounds",
            expected=f"{len(scores['trials'])} scored trials",
            found=f"{len(undecided)} undecided, first {first['trial']}: {first['undecided']}",
            do="run `clawpro release` again to finish it" if unfinished else None,
        )
    return EXIT_YES


def _json_lines(data: bytes, where: str) -> list[dict[str, Any]]:
    return [jsonio.parse(row, where) for row in data.splitlines()]


def _models(locked: Lock) -> dict[str, str]:
    return {c.id: c.base_model.name for c in locked.manifest.configurations}


def _suite(suite: dict[str, Any]) -> list[str]:
    """Views of one configuration on one track, each with its own coverage."""
    coverage = suite["coverage"]
    rows = [f"{suite['configuration']} / {suite['track']}: {coverage['scored_trials']} of "
            f"{coverage['planned_trials']} trials scored"]  # fmt: skip
    for view in _VIEWS:
        if view in suite:
            rows.append(f"  {view:<18} {_figure(suite[view])}")
    for view in _COUNTS:
        figure = suite[view]
        if "count" in figure:
            rows.append(f"  {view:<18} {figure['count']}/{figure['n']} {_figure(figure)}")
    for view in ("pass_at_k", "pass_hat_k"):
        if isinstance(suite[view], dict):
            rows += [f"  {f['estimator']:<18} {_figure(f)}" for f in suite[view].values()]
    peer = suite["clawprobench"]
    rows.append(f"  FinalScore         {_short(peer['final_score'])} ({peer['formula']})")
    return rows


def _figure(figure: dict[str, Any]) -> str:
    value = figure.get("value", figure.get("rate"))
    if value is None:
        ends = figure.get("bounds") or [None, None]
        return f"between {_short(ends[0])} and {_short(ends[1])}"
    around = figure["interval95"]
    if around is None:
        return f"{_short(value)} (no interval: nothing varies, or n = 1)"
    return f"{_short(value)} [{_short(around[0])}, {_short(around[1])}] {figure['interval']}"


def _short(value: str | None) -> str:
    return "none" if value is None else f"{float(value):.4f}"


def _spent(row: dict[str, Any]) -> str:
    cost, latency = row["cost"], row["latency"]
    tokens = ", ".join(
        f"{n.removesuffix('_tokens')} {t['total']}" for n, t in row["tokens"].items()
    )
    money = f"{cost['total']} {cost['currency']} (prices of {cost['date']})" if cost["total"] else (
        f"unknown ({cost['reason']})"
    )  # fmt: skip
    return (
        f"{row['configuration']} / {row['track']}: tokens {tokens}; cost {money}; median "
        f"{latency['median_ms']} ms, p95 {latency['p95_ms']} ms"
    )


def _import(arguments: argparse.Namespace, screen: Screen) -> int:
    found = [comparing.read_results(path) for path in arguments.files]
    entries = [e for results in found for e in comparing.of_results(results)]
    value = {
        "format": "clawpro.results.v1",
        "sources": [
            {"source": r.source, "signature": dict(r.signature), "trials": len(r.rows)}
            for r in found
        ],
        "entries": [
            {
                "configuration": e.configuration,
                "track": e.track,
                "scenarios": e.scenarios,
                "trials": e.trials,
                "undecided": e.undecided,
                "signature": dict(e.signature),
                "figures": {n: asdict(f) for n, f in e.figures.items()},
            }
            for e in entries
        ],
        "rows": [asdict(row) for r in found for row in r.rows],
    }
    text = []
    for e in entries:
        figures = ", ".join(
            f"{n} {'none' if f.value is None else f'{f.value:.4f}'}" for n, f in e.figures.items()
        )
        text.append(f"{e.configuration} / {e.track}: {e.scenarios} scenarios, {e.trials} trials, "
                    f"{e.undecided} undecided: {figures}")  # fmt: skip
    text.append("imported as they are: nobody signed these numbers")
    screen.result(value, "\n".join(text))
    return EXIT_YES


VERBS = (
    Verb(
        "score",
        "show every figure of a run or a bundle, with bounds, tokens, cost and time",
        _score,
        (
            arg("source", metavar="RUN",
                help="name of a folder in .clawpro/runs (its start is enough), or a bundle"),
            *TRUST,
            arg("--prices", type=Path, metavar="FILE",
                help="price table (TOML or JSON, docs/scoring.md); without it no cost is shown"),
        ),
        "A run is scored as far as it goes, and nothing is published; exit 6 while trials are "
        "undecided.\nA bundle is verified first and needs --key or --policy.",
    ),
    Verb(
        "import-results",
        "read other people's results and show the figures they give",
        _import,
        (arg("files", nargs="+", type=Path, metavar="FILE",
             help="a ClawProBench report, tau2-bench results (.json), or a .csv or .jsonl with "
             "configuration, scenario, trial, score, passed, outcome"),),
    ),
)  # fmt: skip
