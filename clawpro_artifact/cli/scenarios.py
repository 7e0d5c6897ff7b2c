"""`clawpro scenarios ...` -> what exists, and whether it keeps its promises."""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from clawpro_artifact.adapters import store
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.adapters.clock import now, timestamp
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.errors import EXIT_NO, EXIT_YES, UsageError
from clawpro_artifact.formats import scenarios as files
from clawpro_artifact.formats.folderdiff import folder_diff
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model.base import NATIVE_SURFACES
from clawpro_artifact.validating import freezing, skeleton, wired

_COLUMNS = ("id", "track", "surface", "domain", "dimension", "difficulty", "language")
IDS = arg("ids", nargs="*", metavar="ID", help="scenario ids (default: all)")


def _list(arguments: argparse.Namespace, screen: Screen) -> int:
    rows = [
        {
            "id": s.id,
            "track": s.track,
            "surface": s.surface,
            "domain": s.domain,
            "dimension": s.dimension,
            "difficulty": s.difficulty,
            "language": s.language,
            "can_breach": bool(s.safety),
            "title": s.title,
        }
        for s in (f.scenario for f in Checkout.find().scenario_folders().values())
        if arguments.track in (None, s.track)
    ]
    if screen.as_json:
        screen.result(rows, "")
        return 0
    table = Table(*_COLUMNS, box=None)
    for row in rows:
        table.add_row(*(str(row[c]) for c in _COLUMNS))
    screen.table(table)
    return 0


def _show(arguments: argparse.Namespace, screen: Screen) -> int:
    (folder,) = _chosen(Checkout.find(), [arguments.id])
    s = folder.scenario
    value = {"digest": files.digest(folder.folder), **s.model_dump(mode="json")}
    text = [
        f"{s.id}  version {s.version}  {value['digest']}",
        f"{s.title}",
        f"{s.track} / {s.surface} / {s.domain} / {s.dimension} / {s.difficulty} / {s.language}",
        f"tests: {s.tests}",
        "",
        folder.text(s.prompt).rstrip(),
        "",
        f"threshold {s.threshold}, groups "
        + ", ".join(f"{name} {weight}" for name, weight in s.groups.items()),
        *(f"check   {c.id}: {c.kind} [{c.group}]" for c in s.checks),
        *(f"safety  {r.id}: {r.says}" for r in s.safety),
        *(f"process {f.id}: {f.says}" for f in s.process),
        *(f"policy  {p.name} ({p.kind}): {p.says}" for p in s.policies),
    ]
    screen.result(value, "\n".join(text))
    return 0


def _chosen(checkout: Checkout, ids: Sequence[str]) -> list[ScenarioFolder]:
    folders = checkout.scenario_folders()
    for name in ids:
        if name not in folders:
            near = difflib.get_close_matches(name, folders, n=3, cutoff=0.4)
            raise UsageError(
                "no scenario has this id",
                expected="one of " + ", ".join(near) if near else None,
                found=name,
                do="run `clawpro scenarios list`",
            )
    return [folders[name] for name in ids or folders]


def _validate(arguments: argparse.Namespace, screen: Screen) -> int:
    checkout = Checkout.find()
    # By folder and not by loaded scenario: a malformed one is a finding here and stops nothing.
    known = {f.name: f for f in files.discover(checkout.root / "scenarios")}
    for name in arguments.ids:
        if name not in known:
            _chosen(checkout, [name])
    found = wired.validate_all(
        [known[n] for n in arguments.ids or known],
        lambda one: _say(screen, wired.lines(one)),
        arguments.workers,
    )
    bad = sum(len(one.findings) for one in found)
    screen.result(
        [{"scenario": f.scenario, "rule": f.rule, "detail": f.detail}
         for one in found for f in one.findings],
        f"{len(arguments.ids or known)} scenario(s), {bad} finding(s)",
    )  # fmt: skip
    return EXIT_NO if bad else EXIT_YES


def _say(screen: Screen, rows: Sequence[str]) -> None:
    for row in rows:
        screen.step(row)


def _new(arguments: argparse.Namespace, screen: Screen) -> int:
    folder = skeleton.write(Checkout.find().root / "scenarios", arguments.id, arguments.surface)
    screen.result(
        {"folder": str(folder)},
        f"{folder}: fill it in (docs/authoring.md), then `clawpro scenarios validate "
        f"{arguments.id}`",
    )
    return EXIT_YES


def _diff(arguments: argparse.Namespace, screen: Screen) -> int:
    checkout = Checkout.find()
    if arguments.against is None:
        frozen = freezing.read(checkout.root)
        mine = checkout.scenario_folders().values()
        rows = freezing.differences(frozen, mine)
        rows = [r for r in rows if not arguments.ids or _names(r) & set(arguments.ids)]
    else:
        rows = []
        for one in _chosen(checkout, arguments.ids):
            rows += folder_diff(
                files.elsewhere(arguments.against, one.scenario), one.folder, one.scenario.id
            )
    screen.result(rows, "\n".join(rows) or "no difference")
    return EXIT_NO if rows else EXIT_YES


def _names(row: str) -> set[str]:
    word = row.strip(" -+~!").split(":")[0]
    return {word, word.split("/")[0]}


def _freeze(arguments: argparse.Namespace, screen: Screen) -> int:
    checkout = Checkout.find()
    path = checkout.root / freezing.LOCK_FILE
    old = freezing.read(checkout.root) if path.exists() else None
    retire = dict(_pair(text) for text in arguments.retire)
    release = freezing.Release(arguments.version, timestamp(now())[:10], arguments.says, retire)
    folders = checkout.scenario_folders().values()
    found = freezing.freeze(old, folders, "holdout", release)
    text = json.dumps(found.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"
    store.write(path, text.encode())
    screen.result(
        {"version": found.version, "root": found.root, "scenarios": len(found.scenarios)},
        f"holdout {found.version}: {len(found.scenarios)} scenarios, root {found.root}",
    )
    return EXIT_YES


def _pair(text: str) -> tuple[str, str | None]:
    old, _, new = text.partition("=")
    return old, new or None


VERBS = (
    Verb(
        "scenarios list",
        "list the scenarios of this checkout",
        _list,
        (arg("--track", choices=("holdout", "full"), help="only one track"),),
    ),
    Verb("scenarios show", "show one scenario whole", _show, (arg("id", help="scenario id"),)),
    Verb(
        "scenarios validate",
        "try everything that scenarios promise (exit 1 if one does not hold)",
        _validate,
        (IDS, arg("--workers", type=int, default=1, help="processes (default: %(default)s)")),
        "No container and no model: live scenarios are played in a simulation of the runtime.",
    ),
    Verb("scenarios new", "write the skeleton of a scenario", _new,
         (arg("id"),
          arg("--surface", required=True, choices=("json", "workspace", *NATIVE_SURFACES)))),
    Verb("scenarios diff", "show what differs from the frozen set, or from another tree",
         _diff, (IDS, arg("--against", type=Path, metavar="CHECKOUT_OR_BUNDLE"))),
    Verb("scenarios freeze", "write the next version of manifests/holdout.lock", _freeze,
         (arg("--version", required=True, metavar="X.Y.Z"),
          arg("--says", required=True, help="the line of the changelog"),
          arg("--retire", action="append", default=[], metavar="OLD[=NEW]",
              help="a released scenario that is gone, and its replacement"))),
)  # fmt: skip
