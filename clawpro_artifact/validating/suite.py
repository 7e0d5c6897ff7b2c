"""all ScenarioFolders -> Findings: what only shows between scenarios."""

from __future__ import annotations

from collections.abc import Sequence

from clawpro_artifact.formats.scenarios import ScenarioFolder, home
from clawpro_artifact.validating.findings import Finding, Tools
from clawpro_artifact.validating.holdout import Desk, reference_text


def validate_suite(folders: Sequence[ScenarioFolder], tools: Tools) -> list[Finding]:
    """Unique ids, titles and tests; the right place; twins that exist; no answer fits another."""
    found: list[Finding] = []
    for what in ("id", "title", "tests"):
        seen: dict[str, str] = {}
        for folder in folders:
            value = str(getattr(folder.scenario, what))
            if value in seen:
                found.append(Finding(folder.scenario.id, "suite", f"same {what} as {seen[value]}"))
            seen.setdefault(value, folder.scenario.id)
    for folder in folders:
        place = home(folder.scenario)
        if not folder.folder.resolve().as_posix().endswith("/" + place):
            found.append(Finding(folder.scenario.id, "suite", f"it belongs in {place}"))
    return found + _foreign_answers(folders, tools)


def _foreign_answers(folders: Sequence[ScenarioFolder], tools: Tools) -> list[Finding]:
    desks = [Desk(f, tools) for f in folders if f.scenario.track == "holdout"]
    answers = {d.folder.scenario.id: reference_text(d) for d in desks}
    found = []
    for desk in desks:
        own = desk.folder.scenario.id
        for other, answer in answers.items():
            if other != own and desk.judge(answer).passes:
                found.append(Finding(own, "suite", f"the answer of {other} passes"))
    return found
