"""folders of scenarios -> findings on standard output; exit 1 if there is any."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from clawpro_artifact import checking
from clawpro_artifact.adapters.clock import monotonic
from clawpro_artifact.adapters.programs import run_over
from clawpro_artifact.adapters.simulation import Played
from clawpro_artifact.errors import EXIT_NO, EXIT_YES, ClawproError
from clawpro_artifact.formats import scenarios
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model import canary
from clawpro_artifact.model.trial import CheckResult, CleanTrial
from clawpro_artifact.sanitizing import clean_digest, sanitize
from clawpro_artifact.validating import Tools, validate, validate_suite
from clawpro_artifact.validating.findings import Judge, Read


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


def _print_kinds() -> None:
    for name, one in sorted(checking.KINDS.items()):
        fields = [
            f"{field}{'' if info.is_required() else '?'}: {_shown(info.annotation)}"
            for field, info in one.arguments.model_fields.items()
        ]
        print(f"{name}: {one.says}\n    {', '.join(fields)}")


def _shown(annotation: object) -> str:
    plain = isinstance(annotation, type) and not hasattr(annotation, "__args__")
    name = annotation.__name__ if plain and isinstance(annotation, type) else str(annotation)
    return name.replace("typing.", "").replace("clawpro_artifact.", "")


def main(arguments: Sequence[str]) -> int:
    """Validate the scenarios in these folders (or below them); with none, print how to call it."""
    if list(arguments) == ["--kinds"]:
        _print_kinds()
        return EXIT_YES
    if not arguments:
        print("usage: python -m clawpro_artifact.validating --kinds | FOLDER...", file=sys.stderr)
        return 2
    folders = [f for a in arguments for f in scenarios.discover(Path(a))]
    loaded: list[ScenarioFolder] = []
    bad = 0
    started = monotonic()
    for folder in folders:
        try:
            scenario = scenarios.load(folder)
            checking.typed_arguments(scenario.scenario)
            found = validate(scenario, TOOLS)
        except ClawproError as error:
            print(f"{folder.name}: MALFORMED\n{error}")
            bad += 1
            continue
        loaded.append(scenario)
        simulated = "" if scenario.scenario.track == "holdout" else " (simulation)"
        print(f"{folder.name}: {'ok' if not found else f'{len(found)} finding(s)'}{simulated}")
        for finding in found:
            print(f"  {finding.rule}: {finding.detail}")
        bad += len(found)
    for finding in validate_suite(loaded, TOOLS):
        print(f"{finding.scenario}: {finding.rule}: {finding.detail}")
        bad += 1
    print(f"{len(folders)} scenario(s), {bad} finding(s), {monotonic() - started:.1f} s")
    return EXIT_NO if bad or not folders else EXIT_YES


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
