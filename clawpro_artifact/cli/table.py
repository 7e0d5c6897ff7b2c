"""the verbs of `clawpro`, as one table."""

from __future__ import annotations

from clawpro_artifact.cli import (
    auditing,
    breaches,
    comparing,
    drifting,
    exchanging,
    images,
    keeping,
    keys,
    openings,
    release,
    replaying,
    scenarios,
    scoring,
    stamping,
    surfaces,
    verify,
)
from clawpro_artifact.cli.verb import Verb

VERBS: tuple[Verb, ...] = (
    *release.VERBS,
    *verify.VERBS,
    *auditing.VERBS,
    *breaches.VERBS,
    *scoring.VERBS,
    *comparing.VERBS,
    *replaying.VERBS,
    *drifting.VERBS,
    *scenarios.VERBS,
    *exchanging.VERBS,
    *images.VERBS,
    *keys.VERBS,
    *openings.VERBS,
    *keeping.VERBS,
    *stamping.VERBS,
    *surfaces.VERBS,
)
