"""`clawpro scenarios ...` -> what exists, and whether it keeps its promises."""

from __future__ import annotations

import argparse

from rich.table import Table

from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.errors import UsageError
from clawpro_artifact.formats import scenarios as files

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
    columns = ("id", "track", "surface", "domain", "dimension", "difficulty", "language")
    table = Table(*columns, box=None)
    for row in rows:
        table.add_row(*(str(row[c]) for c in columns))
    screen.table(table)
    return 0


def _show(arguments: argparse.Namespace, screen: Screen) -> int:
    folders = Checkout.find().scenario_folders()
    folder = folders.get(arguments.id)
    if folder is None:
        raise UsageError(
            "no scenario has this id", found=arguments.id, do="run `clawpro scenarios list`"
        )
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


VERBS = (
    Verb(
        "scenarios list",
        "list the scenarios of this checkout",
        _list,
        (arg("--track", choices=("holdout", "full"), help="only one track"),),
    ),
    Verb("scenarios show", "show one scenario whole", _show, (arg("id", help="scenario id"),)),
)
