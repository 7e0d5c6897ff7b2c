"""a bundle's records -> scores by the installed scoring code, which alone is ever run."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from clawpro_artifact import scoring
from clawpro_artifact.formats import trees
from clawpro_artifact.verifying.case import Case, UncheckedError

MISSING = True


@functools.cache
def installed_digest() -> str:
    """Tree digest of the scoring code that runs here, comparable to the lock's `scoring`."""
    folder = Path(scoring.__file__).parent
    if folder.is_dir():
        return trees.tree_digest(folder)
    return hashlib.sha256(b"").hexdigest()


def scores(case: Case) -> bytes:
    """The bytes that `results/scores.json` should have."""
    raise UncheckedError("no-scoring", "scoring is not installed")
