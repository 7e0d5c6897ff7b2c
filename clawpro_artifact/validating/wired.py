"""scenario folders -> findings, with checking and sanitizing wired in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from clawpro_artifact import checking
from clawpro_artifact.adapters.programs import run_over
from clawpro_artifact.adapters.simulation import Played
from clawpro_artifact.errors import ClawproError
from clawpro_artifact.formats import scenarios
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model import canary
from clawpro_artifact.model.trial import CheckResult, CleanTrial
from clawpro_artifact.sanitizing import clean_digest, sanitize
from clawpro_artifact.validating import Tools, validate, validate_suite
from clawpro_artifact.validating.findings import Finding, Judge, Read


def _judge(folder: ScenarioFolder) -> Judge:
    schema, expected = folder.schema(), folder.expected()
    arguments = checking.typed_arguments(folder.scenario)

    def judge(trial: CleanTrial, read: Read) -> Sequence[CheckResult]:
        context = checking.Context(trial, read, schema=schema, expected=expected, execute=_execute)
        return checking.check(folder.scenario, context, arguments)

    return judge


def _execute(
    files: Mapping[str, bytes], command: Sequence[str], stdin: bytes, timeout_s: int
) -> checking.ProgramResult:
    out = run_over(files, command, stdin, timeout_s)
    return checking.ProgramResult(out.exit_code, out.stdout, out.timed_out)


def _clean(folder: ScenarioFolder, played: Played) -> tuple[CleanTrial, Mapping[str, bytes]]:
    values = canary.values(played.trial.spec.seed, folder.scenario)
    kept: dict[str, bytes] = {}

    def write(data: bytes) -> str:
        digest = clean_digest(data)
        kept[digest] = data
        return digest

    clean = sanitize(played.trial, values, (), b"simulation", played.blobs.__getitem__, write)
    return clean, kept


TOOLS = Tools(judge=_judge, clean=_clean)


@dataclass(frozen=True)
class Validated:
    """What was found in one folder; `track` is None where its documents are malformed."""

    name: str
    track: str | None
    findings: tuple[Finding, ...]


def validate_all(
    folders: Iterable[Path],
    watch: Callable[[Validated], None] = lambda one: None,
    workers: int = 1,
) -> list[Validated]:
    """Every scenario alone, then what only shows between them (as `suite`, where there is any).

    The answer does not depend on `workers`, the number of processes.
    """
    wanted = list(folders)
    found: list[Validated] = []
    with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
        for one in (pool.map if pool else map)(validate_one, wanted):
            found.append(one)
            watch(one)
    sound = {one.name for one in found if one.track is not None}
    loaded = [scenarios.load(folder) for folder in wanted if folder.name in sound]
    if between := tuple(validate_suite(loaded, TOOLS)):
        found.append(Validated("suite", None, between))
        watch(found[-1])
    return found


def validate_one(folder: Path) -> Validated:
    """One scenario alone; malformed documents are a finding."""
    try:
        scenario = scenarios.load(folder)
        checking.typed_arguments(scenario.scenario)
        found = tuple(validate(scenario, TOOLS))
    except ClawproError as error:
        return Validated(folder.name, None, (Finding(folder.name, "malformed", str(error)),))
    return Validated(folder.name, scenario.scenario.track, found)


def lines(one: Validated) -> list[str]:
    """What a person reads of one scenario."""
    simulated = " (simulation)" if one.track == "full" else ""
    verdict = f"{len(one.findings)} finding(s)" if one.findings else "ok"
    return [f"{one.name}: {verdict}{simulated}"] + [
        f"  {'' if f.scenario == one.name else f.scenario + ': '}{f.rule}: {f.detail}"
        for f in one.findings
    ]
