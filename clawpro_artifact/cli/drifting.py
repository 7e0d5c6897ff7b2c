"""`clawpro drift` -> comparing.drift over two verified bundles."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from clawpro_artifact.cli.auditing import verified_bundle
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import BUNDLE, TRUST
from clawpro_artifact.comparing import drift as drifts
from clawpro_artifact.comparing.attribution import Attribution, attribute
from clawpro_artifact.comparing.drift import Cell, Drift, Part
from clawpro_artifact.errors import EXIT_NO, EXIT_YES, UsageError
from clawpro_artifact.formats import documents, jsonio
from clawpro_artifact.formats.shipped import Shipped
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.gate import Gate
from clawpro_artifact.verifying import difference


def _drift(arguments: argparse.Namespace, screen: Screen) -> int:
    policy = documents.read(Gate, arguments.gate) if arguments.gate else None
    margin = float(policy.margin if policy else arguments.margin)
    renamed = dict(_pair(text) for text in arguments.pair)
    with (
        verified_bundle(arguments.bundle, arguments) as one,
        verified_bundle(arguments.other, arguments) as other,
    ):
        moved = difference.difference(one, difference.Renamed(other, renamed))
        moved.comparable("runtime")
        before, after = _cells(one, {}), _cells(other, renamed)
    found = drifts.drift(before, after, margin)
    shut = drifts.gate(found, policy) if policy else []
    share = None
    if arguments.replay:
        document = jsonio.parse(documents.read_bytes(arguments.replay), str(arguments.replay))
        share = attribute(before, after, document)
    screen.result(
        {
            **found.as_json(),
            "gate": shut if policy else None,
            "attribution": share.as_json() if share else None,
        },
        "\n".join([*_rows(found), *(_shares(share) if share else ()), *_said(found, shut, policy)]),
    )
    passes = not shut if policy else found.verdict == "no drift within margin"
    return EXIT_YES if passes else EXIT_NO


def _pair(text: str) -> tuple[str, str]:
    old, _, new = text.partition("=")
    if not old or not new:
        raise UsageError("a pair is OLD=NEW", expected="two configuration ids", found=text)
    return new, old


def _cells(shipped: Shipped, renamed: dict[str, str]) -> list[Cell]:
    rows = shipped.read(names.SCENARIOS).split(b"\n")
    facts: dict[str, Any] = {}
    for line in rows:
        if line:
            row = jsonio.parse(line, names.SCENARIOS)
            facts[row["scenario"]] = row
    return drifts.cells(shipped.scores(), facts, renamed)


def _rows(found: Drift) -> list[str]:
    rows = [f"margin {found.margin}, k = {found.k}, paired by scenario"]
    for title, parts in (
        ("track", found.tracks),
        ("surface", found.surfaces),
        ("dimension", found.dimensions),
    ):
        rows += [f"{title} {_part(part)}" for part in parts]
    rows += [
        f"strict pass {'LOST' if flip.lost else 'won'}: {flip.scenario} "
        f"({flip.before} in A, {flip.after} in B)"
        for flip in found.flips
    ]
    return rows


def _part(part: Part) -> str:
    t = part.test
    around = "" if t.interval is None else " [{:+.4f}, {:+.4f}]".format(*t.interval)
    p = "-" if part.adjusted is None else f"{part.adjusted:.4g}"
    text = f"{part.name}: {t.mean:+.4f}{around}, n = {t.n}, adjusted p = {p}: {part.verdict}"
    text += f"; strict lost {part.flips.lost}, won {part.flips.won} (mid-p {part.flips.p_mid:.4g})"
    text += f"; detectable with 80 % power: {part.detectable:.3f}"
    if part.verdict == "undecided":
        more = part.decisive_k
        text += (
            f"; k = {more} trials would decide" if more else "; no number of trials would decide"
        )
    return text


def _shares(share: Attribution) -> list[str]:
    return [
        f"of {share.total:+.4f}: surface {share.surface:+.4f} (replay, model held still), "
        f"model response {share.model:+.4f}, noise of the trials +-{share.noise:.4f}",
        f"replay departs before the model chose anything in {share.early} scenarios, later in "
        f"{share.late}, nowhere in {share.equal}",
        *(f"  {s.scenario}: total {s.total:+.4f} = surface {s.surface:+.4f} + model "
          f"{s.model:+.4f}; {s.departs}" for s in share.scenarios if s.total or s.surface),
    ]  # fmt: skip


def _said(found: Drift, shut: list[str], policy: Gate | None) -> list[str]:
    rows = [f"verdict: {found.verdict}"]
    if policy is not None:
        rows += [f"gate: {reason}" for reason in shut] or ["gate: open"]
    return rows


VERBS = (
    Verb(
        "drift",
        "say whether scores moved between two runtimes, and how sure that is",
        _drift,
        (
            BUNDLE,
            arg("other", type=Path, metavar="OTHER", help="the run on the other runtime"),
            *TRUST,
            arg("--margin", default="0.05", help="what counts as no drift (default: %(default)s)"),
            arg("--pair", action="append", default=[], metavar="OLD=NEW",
                help="configuration ids that are the same but for the runtime"),
            arg("--gate", type=Path, metavar="TOML", help="a gate's policy (clawpro.gate.v1)"),
            arg("--replay", type=Path, metavar="JSON",
                help="`clawpro replay BUNDLE --runtime ... --json`, to tell surface from model"),
        ),
        "Refused when more than the runtime moved. Exit 0: no drift within the margin (or the gate "
        "is open); 1: drift or undecided.",
    ),
)  # fmt: skip
