"""`clawpro rank|check-board` -> comparing."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from clawpro_artifact import comparing
from clawpro_artifact.cli.auditing import verified_bundle
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import TRUST
from clawpro_artifact.comparing import Entry, Leaderboard
from clawpro_artifact.comparing.leaderboard import Place, Table
from clawpro_artifact.errors import EXIT_NO, EXIT_YES

RESULTS = (".csv", ".jsonl", ".json")
ACROSS = ("mean_trial_score", "strict_of_k", "any_of_k")


def _entries(path: Path, arguments: argparse.Namespace) -> list[Entry]:
    if path.suffix in RESULTS:
        return list(comparing.of_results(comparing.read_results(path)))
    with verified_bundle(path, arguments) as bundle:
        return list(comparing.of_scores(bundle.scores(), str(path)))


def _rank(arguments: argparse.Namespace, screen: Screen) -> int:
    entries = [e for path in arguments.sources for e in _entries(path, arguments)]
    board = comparing.leaderboard(entries)
    across = {view: comparing.cross_track(entries, view) for view in ACROSS}
    screen.result(
        {**board.as_json(), "cross_track": {v: found.as_json() for v, found in across.items()}},
        "\n".join(
            [
                *_rows(board),
                *(f"full against holdout, {v}: {found.words()}" for v, found in across.items()),
            ]
        ),
    )
    return EXIT_YES


def _rows(board: Leaderboard) -> list[str]:
    rows = []
    for table in board.tables:
        for view, places in table.places.items():
            rows.append(f"{table.track}, {table.scenarios} scenarios, {table.trials} trials each: "
                        f"{view}")  # fmt: skip
            rows += [f"  {_line(p)}" for p in places]
        rows += _moves(table)
        rows.append("")
    rows += [f"not ranked: {name} ({reason})" for name, reason in board.unranked]
    return rows


def _line(place: Place) -> str:
    ranks = f"{place.best}" if place.best == place.worst else f"{place.best}-{place.worst}"
    around = "" if place.interval is None else " [{:.4f}, {:.4f}]".format(*place.interval)
    return (
        f"{place.rank:>3} (could be {ranks}, group {place.group}) {place.value:.4f}{around} "
        f"{place.configuration}"
    )


def _moves(table: Table) -> list[str]:
    return [
        f"  rank depends on the view: {row['configuration']} "
        + ", ".join(f"{view} {rank}" for view, rank in row["ranks"].items())
        for row in table.moves()
    ]


def _check_board(arguments: argparse.Namespace, screen: Screen) -> int:
    formula = comparing.Formula.named(arguments.formula)
    found, compared = comparing.check_board(arguments.board, arguments.rows, formula)
    rows = [f"{f.configuration}: {f.rule}: {f.detail}" for f in found]
    rows.append(f"{compared} figures compared, {len(found)} findings")
    screen.result({"compared": compared, "findings": [asdict(f) for f in found]}, "\n".join(rows))
    return EXIT_NO if found else EXIT_YES


VERBS = (
    Verb(
        "rank",
        "rank configurations of bundles and of other people's results, under each view",
        _rank,
        (arg("sources", nargs="+", type=Path, metavar="SOURCE",
             help="a bundle, a ClawProBench report, tau2-bench results (.json), or a .csv or "
             ".jsonl with configuration, scenario, trial, score, passed, outcome"), *TRUST),
        "Bundles are verified first and need --key or --policy. What differs in track, coverage or "
        "signature is not ranked together;\nties are groups whose simultaneous intervals overlap.",
    ),
    Verb(
        "check-board",
        "find figures of a published table that cannot be right (exit 1 if any)",
        _check_board,
        (arg("board", type=Path, metavar="TABLE.csv", help="one line per configuration"),
         arg("--rows", type=Path, metavar="ROWS.csv",
             help="one line per configuration and scenario"),
         arg("--formula", default="open", help="open, closed or a,b,c (default: %(default)s)")),
    ),
)  # fmt: skip
