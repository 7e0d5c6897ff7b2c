"""a verified bundle (+ another runtime) -> its trials again, with the recorded responses."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clawpro_artifact import building, planning, replaying
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.building.locks import LockedImage
from clawpro_artifact.errors import InputError, PinError, UsageError
from clawpro_artifact.formats import canonical, jsonio, scenarios
from clawpro_artifact.formats.imagenames import image_name
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.formats.shipped import Shipped
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.lock import ImagePin, Lock
from clawpro_artifact.model.manifest import Configuration
from clawpro_artifact.model.plan import RunPlan, TrialSpec
from clawpro_artifact.model.trial import CleanTrial
from clawpro_artifact.pipeline import Watch, run_trials
from clawpro_artifact.pipeline.inputs import Planned, code_folders
from clawpro_artifact.pipeline.judging import Judged
from clawpro_artifact.replaying import Replayed
from clawpro_artifact.scoring.__main__ import rescore


@dataclass(frozen=True)
class Chosen:
    """What to replay. `trials`: ids, or empty for all; `runtime`: `openclaw@X`, or the recorded."""

    trials: tuple[str, ...] = ()
    runtime: str | None = None


def replay(
    checkout: Checkout,
    shipped: Shipped,
    chosen: Chosen,
    watch: Watch,
    said: Callable[[Replayed], None] = lambda one: None,
) -> list[Replayed]:
    """Every chosen trial again, in the pinned image (or that of `runtime`), without any model.

    Raises PinError if this checkout's image is not the pinned one, UsageError for an unknown trial.
    """
    plan = shipped.plan()
    wanted = _wanted(plan, chosen)
    checks = shipped.checks()
    records = {
        f"{r['configuration']}/{r['scenario']}/{r['index']}": r
        for r in (
            jsonio.parse(line, names.RECORDS)
            for line in shipped.read(names.RECORDS).split(b"\n")
            if line
        )
    }
    found: list[Replayed] = []
    with tempfile.TemporaryDirectory(prefix="clawpro-") as place:
        root = Path(place)
        planned = _planned(checkout, shipped, plan, wanted, chosen, root / "definitions")
        cassettes = _Cassettes(shipped, {spec.id: spec for spec in wanted})
        done = run_trials(
            checkout, planned, watch, folder=root / "run", cassettes=cassettes.__getitem__
        )
        old, new = _scores(shipped.scores()), _scored(planned, shipped, done)
        for spec in planned.plan.trials:
            live = done[spec.id]
            compared = replaying.compare(
                shipped.trial(spec),
                checks[spec.id],
                records[spec.id],
                live.trial,
                live.results,
                live.record,
            )
            one = replace(compared, score=old.get(spec.id), live_score=new.get(spec.id))
            said(one)
            found.append(one)
    return found


def _scores(document: Any) -> dict[str, str | None]:
    return {row["trial"]: row["score"] for row in document["trials"]}


def _scored(
    planned: Planned, shipped: Shipped, done: Mapping[str, Judged]
) -> dict[str, str | None]:
    """Scores of the replayed trials; none where not all k of each scenario were replayed."""
    records = b"".join(
        canonical.encode(done[spec.id].record) + b"\n" for spec in planned.plan.trials
    )
    try:
        data = rescore(canonical.encode(planned.locked), shipped.read(names.SCENARIOS), records)
    except ValueError:
        return {}
    return _scores(jsonio.parse(data, "scores"))


def _wanted(plan: RunPlan, chosen: Chosen) -> list[TrialSpec]:
    known = {spec.id: spec for spec in plan.trials}
    for name in chosen.trials:
        if name not in known:
            raise UsageError(
                "the bundle has no such trial", expected="configuration/scenario/index", found=name
            )
    return [known[name] for name in chosen.trials] or list(plan.trials)


def _planned(
    checkout: Checkout,
    shipped: Shipped,
    plan: RunPlan,
    wanted: list[TrialSpec],
    chosen: Chosen,
    place: Path,
) -> Planned:
    """The bundle's own lock and plan, cut to what is wanted, over its own definitions."""
    locked = shipped.lock()
    folders = {name: _folder(shipped, name, place) for name in {s.scenario for s in wanted}}
    images = {i.name: i for i in building.read_all(checkout.root / "images")}
    if chosen.runtime is not None:
        locked = _moved(locked, chosen.runtime, images)
    used = {s.configuration for s in wanted}
    needed = {
        name
        for c in locked.manifest.configurations
        if c.id in used and (name := image_name(c.harness_runtime, c.native_surfaces)) is not None
    }
    pins = tuple(pin for pin in locked.images if pin.image in needed)
    for pin in pins:
        _same_image(pin, images)
    known = {name: f.scenario for name, f in folders.items()}
    by_id = {c.id: c for c in locked.manifest.configurations}
    trials = tuple(
        s
        for s in wanted
        if planning.not_applicable(by_id[s.configuration], known[s.scenario], pins) is None
    )
    if not trials:
        raise InputError("no chosen trial can run on this runtime", found=str(chosen.runtime))
    locked = locked.model_copy(update={"images": pins})
    cut = plan.model_copy(
        update={"trials": trials, "lock": canonical.digest(locked.model_dump(mode="json"))}
    )
    return Planned(locked, cut, folders, images, code_folders())


def _folder(shipped: Shipped, scenario_id: str, place: Path) -> ScenarioFolder:
    for name in shipped.definition(scenario_id):
        target = place / scenario_id / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(shipped.read(f"data/definitions/{scenario_id}/{name}"))
    return scenarios.load(place / scenario_id)


def _moved(locked: Lock, runtime: str, images: Mapping[str, LockedImage]) -> Lock:
    """The same lock with every OpenClaw configuration on `runtime`; ids and seeds stay."""

    def moved(c: Configuration) -> Configuration:
        on_openclaw = c.harness_runtime.startswith("openclaw@")
        return c.model_copy(update={"harness_runtime": runtime}) if on_openclaw else c

    configurations = tuple(map(moved, locked.manifest.configurations))
    wanted = {image_name(c.harness_runtime, c.native_surfaces) for c in configurations} - {None}
    missing = sorted(str(name) for name in wanted if name not in images)
    if missing:
        raise InputError(
            "no image lock for this runtime",
            expected="one of " + ", ".join(sorted(images)),
            found=missing[0],
            do=f"run `clawpro lock add {runtime}`",
        )
    return locked.model_copy(
        update={
            "manifest": locked.manifest.model_copy(update={"configurations": configurations}),
            "images": tuple(images[str(name)].pin for name in sorted(map(str, wanted))),
        }
    )


def _same_image(pin: ImagePin, images: Mapping[str, LockedImage]) -> None:
    mine = images.get(pin.image)
    if mine is None or mine.pin != pin:
        raise PinError(
            "this checkout's image is not the one of the bundle",
            where=f"images/{pin.image}",
            expected=pin.config,
            found="no lock" if mine is None else mine.pin.config,
            do="check out the version that released the bundle",
        )


class _Cassettes:
    """Shipped trials by id, read when their replay begins."""

    def __init__(self, shipped: Shipped, specs: Mapping[str, TrialSpec]) -> None:
        self._shipped = shipped
        self._specs = specs

    def __getitem__(self, trial: str) -> CleanTrial:
        return self._shipped.trial(self._specs[trial])

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)
