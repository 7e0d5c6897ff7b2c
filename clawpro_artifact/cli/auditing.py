"""`clawpro rescore|regrade|diff` -> what an auditor asks of bundles that verified."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from clawpro_artifact import checking, verifying
from clawpro_artifact.adapters import clock
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import BUNDLE, TRUST, lines, trusted
from clawpro_artifact.errors import EXIT_NO, EXIT_YES, TrustError
from clawpro_artifact.formats import jsonio, scenarios
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.formats.shipped import Shipped
from clawpro_artifact.formats.trees import tree_digest
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.scenario import Scenario
from clawpro_artifact.model.trial import CheckResult, CleanTrial
from clawpro_artifact.scoring.__main__ import rescore
from clawpro_artifact.verifying import difference, regrading


@contextmanager
def verified_bundle(path: Path, arguments: argparse.Namespace) -> Iterator[Shipped]:
    """A bundle's content; only once it has been verified with the caller's keys."""
    verdict = verifying.verify(path, trusted(arguments), now=clock.now())
    if verdict.answer != "yes" or verdict.bundle_id is None:
        raise TrustError(
            "the bundle does not verify, so nothing in it is used",
            where=str(path),
            found="\n" + "\n".join(lines(verdict)),
        )
    with open_bundle(path) as container:
        yield Shipped(container, verdict.bundle_id)


def _rescore(arguments: argparse.Namespace, screen: Screen) -> int:
    with verified_bundle(arguments.bundle, arguments) as shipped:
        found = rescore(
            shipped.read(names.LOCK), shipped.read(names.SCENARIOS), shipped.read(names.RECORDS)
        )
        same = found == shipped.read(names.SCORES)
        trials = len(jsonio.parse(found, "scores")["trials"])
    word = "identical to the last digit" if same else "DIFFERENT"
    screen.result({"same": same, "trials": trials}, f"{trials} trials re-scored: {word}")
    return EXIT_YES if same else EXIT_NO


def _regrade(arguments: argparse.Namespace, screen: Screen) -> int:
    with (
        verified_bundle(arguments.bundle, arguments) as shipped,
        tempfile.TemporaryDirectory(prefix="clawpro-") as place,
    ):
        installed = tree_digest(Path(checking.__file__).parent)
        found = regrading.regrade(shipped, _grader(shipped, Path(place)), installed)
    rows = [f"{d.trial} {d.check}: shipped {d.shipped}, now {d.now}" for d in found.differences]
    code = "the locked checking code" if found.same_code else "OTHER checking code than the lock's"
    rows.append(f"{found.checks} checks of {found.trials} trials with {code}: "
                f"{len(found.differences)} differ")  # fmt: skip
    screen.result(found.as_json(), "\n".join(rows))
    return found.exit_code


Grade = Callable[[Scenario, CleanTrial, Callable[[str], bytes]], Sequence[CheckResult]]


def _grader(shipped: Shipped, place: Path) -> Grade:
    """Checks over shipped evidence; definitions are laid out as plain files and never run."""
    ready: dict[str, scenarios.ScenarioFolder] = {}

    def folder(scenario_id: str) -> scenarios.ScenarioFolder:
        if scenario_id not in ready:
            root = place / scenario_id
            for name in shipped.definition(scenario_id):
                target = root / name
                target.parent.mkdir(parents=True, exist_ok=True)
                data = shipped.read(f"data/definitions/{scenario_id}/{name}")
                target.write_bytes(data)
            ready[scenario_id] = scenarios.load(root)
        return ready[scenario_id]

    def grade(
        scenario: Scenario, trial: CleanTrial, read: Callable[[str], bytes]
    ) -> Sequence[CheckResult]:
        task = folder(scenario.id)
        context = checking.Context(trial, read, schema=task.schema(), expected=task.expected())
        return checking.check(scenario, context)

    return grade


def _diff(arguments: argparse.Namespace, screen: Screen) -> int:
    with (
        verified_bundle(arguments.bundle, arguments) as one,
        verified_bundle(arguments.other, arguments) as other,
    ):
        found = difference.difference(one, other)
        if arguments.only:
            found.comparable(arguments.only)
    rows = []
    for move in found.moves:
        rows.append(f"{move.axis}: {move.at}: {move.before} -> {move.after}")
        rows += [f"    {line}" for line in move.diff]
    rows.append("axes that moved: " + (", ".join(found.axes) or "none"))
    screen.result(found.as_json(), "\n".join(rows))
    return found.exit_code


VERBS = (
    Verb("rescore", "compute every number of a bundle again", _rescore, (BUNDLE, *TRUST)),
    Verb("regrade", "make every check of a bundle again on its evidence", _regrade,
         (BUNDLE, *TRUST)),
    Verb("diff", "say what moved between two bundles, by axis (exit 1 if anything)", _diff,
         (BUNDLE, arg("other", type=Path, metavar="OTHER"), *TRUST,
          arg("--only", metavar="AXIS", help="refuse if anything but this axis moved"))),
)  # fmt: skip
