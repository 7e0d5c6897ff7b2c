"""`clawpro replay` -> pipeline.replay."""

from __future__ import annotations

import argparse

from clawpro_artifact import replaying
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.cli.auditing import verified_bundle
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import BUNDLE, TRUST
from clawpro_artifact.errors import EXIT_NO, EXIT_YES
from clawpro_artifact.formats import normal
from clawpro_artifact.pipeline import Watch
from clawpro_artifact.pipeline.replay import Chosen, replay
from clawpro_artifact.replaying import Replayed


def _replay(arguments: argparse.Namespace, screen: Screen) -> int:
    checkout = Checkout.find()
    with verified_bundle(arguments.bundle, arguments) as shipped:
        found = replay(
            checkout,
            shipped,
            Chosen(tuple(arguments.trial), arguments.runtime),
            Watch(step=screen.step),
            lambda one: screen.step(_line(one)),
        )
    equal = sum(one.equal for one in found)
    kinds = replaying.counted(found)
    rows = [f"{kind}: in {n['trials']} trials, first in {n['first']}" for kind, n in kinds.items()]
    rows.append(f"{equal} of {len(found)} trials went as recorded (under {normal.VERSION})")
    screen.result(
        {
            "format": "clawpro.replay.v1",
            "normaliser": normal.VERSION,
            "equal": equal,
            "trials": [one.as_json() for one in found],
            "kinds": kinds,
        },
        "\n".join(rows),
    )
    return EXIT_YES if equal == len(found) else EXIT_NO


def _line(one: Replayed) -> str:
    first = one.first
    if one.equal or first is None:
        return f"{one.trial}: as recorded" if one.equal else f"{one.trial}: record differs"
    return (
        f"{one.trial}: departs at request {first.position} of {first.conversation}: {first.kind} "
        f"{first.pointer}\n    recorded: {first.recorded!r}\n    live:     {first.live!r}"
    )


VERBS = (
    Verb(
        "replay",
        "execute trials again with the recorded model responses (exit 1 if they depart)",
        _replay,
        (
            BUNDLE,
            *TRUST,
            arg("--trial", action="append", default=[], metavar="ID", help="only this one"),
            arg("--runtime", metavar="openclaw@VERSION", help="in another runtime version"),
        ),
        "No model and no key: the cassette answers. In the pinned image everything must go as "
        "recorded;\nin another, the first step that departs is shown, classified and counted.",
    ),
)  # fmt: skip
