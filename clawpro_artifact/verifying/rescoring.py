"""a bundle's records -> scores by the installed scoring code, which alone is ever run."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable

from clawpro_artifact import scoring
from clawpro_artifact.formats import trees
from clawpro_artifact.model import bundle as names
from clawpro_artifact.scoring.__main__ import rescore
from clawpro_artifact.scoring.records import RecordError
from clawpro_artifact.verifying.case import Case, RefusedError


@functools.cache
def installed_digest() -> str:
    """Tree digest of the scoring code that runs here, comparable to the lock's `scoring`.

    The code may lie in a zipapp, so that it is listed as resources.
    """
    return "sha256:" + hashlib.sha256(trees.tree_lines(dict(_files()))).hexdigest()


def _files(folder: Traversable | None = None, prefix: str = "") -> Iterator[tuple[str, str]]:
    for entry in (folder or resources.files(scoring)).iterdir():
        if entry.name in trees.IGNORED_NAMES:
            continue
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, hashlib.sha256(entry.read_bytes()).hexdigest()


def scores(case: Case) -> bytes:
    """The bytes that `results/scores.json` should have; RefusedError for what cannot be scored."""
    lock, scenarios, records = (
        case.read(path) for path in (names.LOCK, names.SCENARIOS, names.RECORDS)
    )
    try:
        return rescore(lock, scenarios, records)
    except RecordError as error:
        raise RefusedError("records-malformed", str(error)) from None
