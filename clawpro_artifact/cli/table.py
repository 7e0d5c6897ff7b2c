"""the verbs of `clawpro`, as one table."""

from __future__ import annotations

from clawpro_artifact.cli import images, keys, release, scenarios, verify
from clawpro_artifact.cli.verb import Verb

VERBS: tuple[Verb, ...] = (
    *release.VERBS,
    *verify.VERBS,
    *scenarios.VERBS,
    *images.VERBS,
    *keys.VERBS,
)
