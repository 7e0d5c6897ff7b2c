"""`clawpro surface ...` -> pipeline.surfaces."""

from __future__ import annotations

import argparse

from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.comparing.surfaces import SurfaceDiff
from clawpro_artifact.errors import EXIT_NO, EXIT_YES, UsageError
from clawpro_artifact.pipeline import surfaces

SETTING = arg(
    "--setting",
    choices=("trial", "default"),
    default="trial",
    help="as in our trials, or with tool search as the runtime comes (default: %(default)s)",
)


def _inventory(arguments: argparse.Namespace, screen: Screen) -> int:
    checkout = Checkout.find()
    known = {p.parent.name for p in (checkout.root / "images").glob("*/lock.json")}
    if unknown := sorted(set(arguments.names) - known):
        raise UsageError("no image has this name", expected="one of " + ", ".join(sorted(known)),
                         found=unknown[0])  # fmt: skip
    rows = []
    for name in arguments.names:
        found = surfaces.inventory(checkout, name, arguments.setting, screen.step)
        rows.append(
            {"image": name, "tools": len(found.tools), "deferred": len(found.deferred),
             "request_bytes": found.request_bytes, "prompt": found.prompt_digest,
             "kept": str(surfaces.path_of(checkout, name, arguments.setting))}
        )  # fmt: skip
    text = [
        f"{r['image']}: {r['tools']} tools in a request of {r['request_bytes']} bytes, "
        f"{r['deferred']} behind tool search; {r['kept']}"
        for r in rows
    ]
    screen.result(rows, "\n".join(text))
    return EXIT_YES


def _diff(arguments: argparse.Namespace, screen: Screen) -> int:
    checkout = Checkout.find()
    before, after = (
        surfaces.read(checkout, name, arguments.setting) for name in (arguments.old, arguments.new)
    )
    folders = checkout.scenario_folders()
    found = surfaces.diff(before, after, folders.values())
    screen.result(found.as_json(), "\n".join(_rows(found, arguments.lines)))
    return EXIT_YES if found.verdict == "compatible" else EXIT_NO


def _rows(found: SurfaceDiff, lines: bool) -> list[str]:
    rows = []
    for change in found.changes:
        mark = "BREAKING " if change.breaking else ""
        rows.append(f"{mark}{change.kind} {change.name}: {change.before} -> {change.after}")
        rows += [f"    {line}" for line in change.lines if lines]
    rows.append(f"verdict: {found.verdict}")
    return rows


VERBS = (
    Verb(
        "surface inventory",
        "record what a runtime offers a model: tools, prompt, settings, config keys, stores",
        _inventory,
        (arg("names", nargs="+", metavar="IMAGE", help="image in images/"), SETTING),
        "One turn in a container, played by a script; kept in images/IMAGE/surface-SETTING.json.",
    ),
    Verb(
        "surface diff",
        "show what changed between the surfaces of two images (exit 1 if a model can see it)",
        _diff,
        (arg("old"), arg("new"), SETTING,
         arg("--lines", action="store_true", help="with the diffs of texts")),
        "Verdict: compatible, changed, or breaking for what the reference solutions call.",
    ),
)  # fmt: skip
