"""step 7: no secret pattern and no canary remains."""

from __future__ import annotations

from collections.abc import Iterator

from clawpro_artifact.verifying.case import Case, RefusedError


def secrets(case: Case) -> Iterator[RefusedError]:
    """Step 7."""
    yield from ()
