"""Manifest -> signed bundle and its verdict: the release, as a list of plain calls."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from clawpro_artifact import building, bundling, planning, reporting, running, verifying
from clawpro_artifact.adapters import engine, environment, keys, salts
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.adapters.runs import INTERRUPTED, RunFolder
from clawpro_artifact.adapters.runtimes.openclaw import scratch_prefix
from clawpro_artifact.building.assemble import Workshop
from clawpro_artifact.bundling import BundleFile, ReleaseContent, ReleaseInfo
from clawpro_artifact.errors import IncompleteError
from clawpro_artifact.formats import canonical, jsonio
from clawpro_artifact.formats.publickey import PublicKey, Signer
from clawpro_artifact.model.bundle import Verdict
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.report import Report
from clawpro_artifact.model.trial import CleanTrial
from clawpro_artifact.pipeline import changes, safety
from clawpro_artifact.pipeline.executing import ContainerExecutor
from clawpro_artifact.pipeline.history import ReleaseHistory
from clawpro_artifact.pipeline.inputs import Planned, planned
from clawpro_artifact.pipeline.judging import Judge, Judged, scenario_rows
from clawpro_artifact.pipeline.spool import Part, Spool
from clawpro_artifact.pipeline.wiring import Wiring
from clawpro_artifact.scoring.__main__ import rescore

__all__ = ["Planned", "Released", "Watch", "planned", "release", "run_trials", "scored"]

WORKERS = 2


@dataclass(frozen=True)
class Watch:
    """Who is told how it goes."""

    step: Callable[[str], None] = lambda text: None
    started: Callable[[TrialSpec], None] = lambda spec: None
    judged: Callable[[Judged, int, int], None] = lambda judged, done, total: None


@dataclass(frozen=True)
class Released:
    """What a release leaves: `path` of the bundle, `bundle_id` its index digest."""

    path: Path
    bundle_id: str
    report: Report
    verdict: Verdict


@dataclass(frozen=True)
class Wish:
    """What a person wants of a release besides its manifest.

    `key`: name of the signing key. `model_name`: what an endpoint is asked for. `with_images`: put
    the images into the bundle. `cosigners`: public keys that will sign it too (`clawpro cosign`).
    """

    key: str
    model_name: str | None = None
    with_images: bool = False
    cosigners: tuple[PublicKey, ...] = ()


def release(checkout: Checkout, manifest: str, wish: Wish, watch: Watch) -> Released:
    """Plan, build, run, judge, score, report, bundle, verify.

    What is finished already (images, trials) is used again. Raises the errors of each stage;
    IncompleteError if a trial stays undecided, after its bundle was *not* written.
    """
    p = planned(checkout, manifest, wish.model_name)
    watch.step(f"plan {p.name}: {len(p.plan.trials)} trials of {p.locked.manifest.name}")
    key, is_new = keys.load_or_create(keys.path_of(wish.key), keys.passphrase())
    if is_new:
        watch.step(f"new signing key {key.public.keyid[:16]} in {keys.path_of(wish.key)}")
    judged = run_trials(checkout, p, watch)
    content, report = scored(checkout, p, judged)
    out = checkout.work / "releases" / f"{report.name}-{report.version}-{p.name}" / "bundle"
    history = ReleaseHistory(checkout.work, report.name, key)
    if out.exists():
        watch.step("the bundle of this plan is there already; verifying it")
    else:
        watch.step("writing and signing the bundle")
        changed = changes.since_last(history, content, [key.public])
        whole = replace(
            content,
            notes=content.notes + changed,
            extra=(*_attached(p, wish), *_safety(p, content), *_attested(p, content, [key])),
        )
        info = ReleaseInfo(
            report.name,
            report.version,
            report.created,
            report.software,
            sequence=history.next,
            previous=history.last,
            log_key=key.public,
            signers=(key.public, *wish.cosigners) if wish.cosigners else (),
        )
        bundling.bundle(bundling.compose(whole), [key], info, out, history.log)
    watch.step("verifying it with the public key")
    history.note(out)
    verdict = verifying.verify(out, [key.public], render=reporting.render)
    return Released(out, verdict.bundle_id or "", report, verdict)


def run_trials(
    checkout: Checkout,
    p: Planned,
    watch: Watch,
    *,
    folder: Path | None = None,
    cassettes: Callable[[str], CleanTrial] | None = None,
) -> Mapping[str, Judged]:
    """Every trial of the plan, judged, by id; containers only where the plan asks for one.

    `folder`: where the run lies, by default the checkout's own place for this plan. `cassettes`:
    trial id -> the trial whose recorded responses answer instead of any model.
    """
    run = RunFolder(folder or checkout.work / "runs" / p.name)
    needs = [c for c in p.locked.manifest.configurations if planning.needs_image(c)]
    with run.hold(p.locked, p.plan), engine.opened() if needs else nullcontext() as docker:
        if docker is not None:
            docker.sweep(p.name)
            clear_scratch(p.name)
            workshop = Workshop(say=watch.step)
            for pin in p.locked.images:
                watch.step(f"image {pin.image} {pin.config[:23]}")
                building.build(p.images[pin.image], docker, workshop)
        wiring = Wiring(p.locked, p.folders, docker, p.name, cassettes)
        judge = Judge(
            run=run,
            clean=run.root / "clean",
            folders=p.folders,
            secrets=environment.secret_values(
                c.base_model.api_key_env
                for c in p.locked.manifest.configurations
                if c.base_model.api_key_env
            ),
            salt_key=salts.salt_key(keys.folder().parent / "salt.key"),
            execute=None
            if docker is None
            else ContainerExecutor(docker, p.locked.images[0].config, p.name),
        )
        found: Spool[Judged] = Spool(run.root)
        trials = running.run(
            p.plan,
            {name: (f.scenario, f.folder) for name, f in p.folders.items()},
            folder=run,
            host_key=wiring.host_key,
            make_host=wiring.make_host,
            assemble=wiring.assemble,
            max_attempts=p.locked.manifest.attempts.max_attempts,
            workers=WORKERS,
            on_start=lambda started: watch.started(started.spec),
        )
        for trial in trials:
            judged = judge(trial)
            found.keep(trial.spec.id, judged)
            watch.judged(judged, len(found), len(p.plan.trials))
    return found


def clear_scratch(run: str) -> None:
    """Remove the temporary folders that a killed process of this run left."""
    for path in Path(tempfile.gettempdir()).glob(f"{scratch_prefix(run)}-*"):
        shutil.rmtree(path, ignore_errors=True)


def scored(
    checkout: Checkout, p: Planned, judged: Mapping[str, Judged]
) -> tuple[ReleaseContent, Report]:
    """Scores and report of judged trials, and all that ships."""
    clean = RunFolder(checkout.work / "runs" / p.name).root / "clean"
    manifest = p.locked.manifest
    records = _lines([judged[t.id].record for t in p.plan.trials])
    rows = scenario_rows(
        (p.folders[pin.id].scenario for pin in p.locked.scenarios),
        {pin.id: pin.digest for pin in p.locked.scenarios},
        manifest.limits.requests,
    )
    scores = rescore(canonical.encode(p.locked), _lines(rows), records)
    trials: Mapping[str, CleanTrial] = Part(judged, lambda j: j.trial)
    ended = max(
        a.started_at for t in trials.values() for a in t.attempts if a.reason != INTERRUPTED
    )
    report = reporting.report(p.locked, p.plan, trials, jsonio.parse(scores, "scores.json"), ended)
    if report.exclusions:
        first = report.exclusions[0]
        raise IncompleteError(
            "the run is incomplete: no figure is published",
            where=str(checkout.work / "runs" / p.name),
            expected=f"{len(p.plan.trials)} scored trials",
            found=f"{len(report.exclusions)} undecided, first {first.trial}: {first.reason}",
            do="find the cause, then begin the run anew with another manifest version",
        )
    data = canonical.encode(report)
    content = ReleaseContent(
        lock=p.locked,
        plan=p.plan,
        definitions={pin.id: p.folders[pin.id].folder for pin in p.locked.scenarios},
        code=p.code,
        images={i.image: canonical.encode(p.images[i.image].lock)
                for i in p.locked.images},
        trials=trials,
        results=Part(judged, lambda j: j.results),
        blob=lambda digest: clean / digest.removeprefix("sha256:"),
        records=records,
        scenarios=_lines(rows),
        scores=scores,
        report=data,
        page=reporting.page(report, data),
        notes=manifest.notes,
    )  # fmt: skip
    return content, report


def _attached(p: Planned, wish: Wish) -> Iterator[BundleFile]:
    """SBOM and build provenance of every image; the images themselves where that is wished."""
    for pin in p.locked.images:
        image = p.images[pin.image]
        sbom, origin = building.sbom(image), building.provenance(image)
        yield BundleFile(f"data/sbom/{pin.image}.cdx.json", canonical.encode(sbom))
        yield BundleFile(f"data/provenance/{pin.image}.json", canonical.encode(origin))

    if wish.with_images:
        images = [p.images[pin.image] for pin in p.locked.images]
        for path, source in building.layout(images, Workshop()).items():
            yield BundleFile(f"data/oci/{path}", source)


def _safety(p: Planned, content: ReleaseContent) -> Iterator[BundleFile]:
    scenarios = {pin.id: p.folders[pin.id].scenario for pin in p.locked.scenarios}
    return safety.files(
        safety.Evidence(p.locked, p.plan, scenarios, content.trials, content.results)
    )


def _attested(
    p: Planned, content: ReleaseContent, signers: Sequence[Signer]
) -> Iterator[BundleFile]:
    document = jsonio.parse(content.scores, "scores.json")
    return bundling.attestations(p.locked, content.scores, document, signers)


def _lines(rows: list[dict[str, object]]) -> bytes:
    return b"".join(canonical.encode(row) + b"\n" for row in rows)
