"""`clawpro doctor|plan|run|release` -> the pipeline, with progress."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from clawpro_artifact import pipeline, reporting
from clawpro_artifact.adapters import engine, keys
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.adapters.clock import monotonic
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import lines
from clawpro_artifact.formats import documents, publickey
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.pipeline.judging import Judged

MANIFEST = arg(
    "manifest",
    nargs="?",
    default="demonstration",
    help="path, or name in manifests/ (default: %(default)s)",
)
MODEL_NAME = arg("--model-name", metavar="NAME", help="what the endpoint is asked for")
KEY = arg("--key", default=keys.DEFAULT_NAME, help="which signing key (default: %(default)s)")


class _Progress:
    """Counts what is done; says it in one line per trial."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.passed = self.breached = 0
        self.running = ""
        self.began = monotonic()
        self.fresh = 0

    def watch(self) -> pipeline.Watch:
        return pipeline.Watch(self.screen.step, self._started, self._judged)

    def _started(self, spec: TrialSpec) -> None:
        self.running = spec.id
        self.fresh += 1

    def _judged(self, judged: Judged, done: int, total: int) -> None:
        if done == 1:
            self.screen.begin("trials", total)
        self.passed += judged.passed
        self.breached += judged.breached
        word = "breached" if judged.breached else "passed" if judged.passed else "not passed"
        if judged.trial.outcome != "completed":
            word = f"{judged.trial.outcome}: {judged.trial.attempts[-1].reason}"
        tally = f"{self.passed} passed, {self.breached} breached"
        self.screen.advance(
            done,
            total,
            self.running,
            tally,
            f"[{done}/{total}] {judged.trial.spec.id} {word} ({tally}{self._left(done, total)})",
        )

    def _left(self, done: int, total: int) -> str:
        if not self.fresh or done == total:
            return ""
        seconds = (monotonic() - self.began) / max(1, self.fresh) * (total - done)
        return f", about {int(seconds // 60)}:{int(seconds % 60):02d} left"


def _release(arguments: argparse.Namespace, screen: Screen) -> int:
    checkout = Checkout.find()
    progress = _Progress(screen)
    wish = pipeline.Wish(
        key=arguments.key,
        model_name=arguments.model_name,
        with_images=arguments.with_images,
        cosigners=tuple(
            publickey.from_pem(documents.read_bytes(p), str(p)) for p in arguments.cosigner
        ),
    )
    released = pipeline.release(checkout, arguments.manifest, wish, progress.watch())
    screen.result(
        {
            "bundle": str(released.path),
            "bundle_id": released.bundle_id,
            "labels": list(released.report.labels),
            "verdict": released.verdict.as_json(),
            "suites": released.report.scores["suites"],
        },
        "\n".join(
            [
                *lines(released.verdict),
                "",
                *reporting.headline(released.report),
                "",
                *(
                    ["it waits for the other signers: `clawpro cosign BUNDLE --key NAME`"]
                    if wish.cosigners
                    else []
                ),
                f"bundle: {released.path}",
                f"report: {released.path / 'data' / 'report' / 'report.html'}",
                "verify: clawpro keys export > key.pem && "
                f"clawpro verify {released.path} --key key.pem",
            ]
        ),
    )
    return released.verdict.exit_code


def _plan(arguments: argparse.Namespace, screen: Screen) -> int:
    p = pipeline.planned(Checkout.find(), arguments.manifest, arguments.model_name)
    value = {"lock": p.locked.model_dump(mode="json"), "plan": p.plan.model_dump(mode="json")}
    text = [f"{t.id}  {t.track}/{t.surface}" for t in p.plan.trials]
    text += [f"{n.configuration}/{n.scenario}: not applicable, {n.reason}"
             for n in p.plan.not_applicable]  # fmt: skip
    text.append(f"{len(p.plan.trials)} trials, lock {p.plan.lock}")
    screen.result(value, "\n".join(text))
    return 0


def _doctor(arguments: argparse.Namespace, screen: Screen) -> int:
    found = engine.doctor()
    rows = [
        f"{'ok ' if p.why_not is None else 'no '} {p.source}: {p.address}"
        + (f" ({p.product} {p.version}, {p.storage})" if p.why_not is None else f" - {p.why_not}")
        for p in found.probes
    ]
    if found.advice:
        rows.append(found.advice)
    screen.result(asdict(found), "\n".join(rows))
    return 0 if found.chosen is not None or found.can_start_private else 5


VERBS = (
    Verb(
        "release",
        "plan, build, run, judge, score, sign and verify",
        _release,
        (
            MANIFEST,
            KEY,
            MODEL_NAME,
            arg("--with-images", action="store_true", help="put the images into the bundle"),
            arg(
                "--cosigner",
                action="append",
                default=[],
                type=Path,
                metavar="PUBLIC",
                help="announce a second signer: no release before `clawpro cosign` with that key",
            ),
        ),
        "What is finished (images, trials) is used again. The bundle lies in .clawpro/releases/.",
    ),
    Verb("plan", "show the trials that a manifest plans", _plan, (MANIFEST, MODEL_NAME)),
    Verb("doctor", "show which container engines answer, and what to do", _doctor),
)
