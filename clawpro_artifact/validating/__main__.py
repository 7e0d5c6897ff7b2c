"""folders of scenarios -> findings on standard output; exit 1 if there is any."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from clawpro_artifact import checking
from clawpro_artifact.adapters.clock import monotonic
from clawpro_artifact.errors import EXIT_NO, EXIT_YES
from clawpro_artifact.formats import scenarios
from clawpro_artifact.validating.wired import lines, validate_all


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
    started = monotonic()
    found = validate_all(folders, lambda one: print("\n".join(lines(one)), flush=True))
    bad = sum(len(one.findings) for one in found)
    print(f"{len(folders)} scenario(s), {bad} finding(s), {monotonic() - started:.1f} s")
    return EXIT_NO if bad or not folders else EXIT_YES


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
