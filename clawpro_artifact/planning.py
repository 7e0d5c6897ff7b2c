"""Manifest + Scenarios + ImagePins -> Lock -> RunPlan."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.canonical import digest
from clawpro_artifact.formats.imagenames import image_name
from clawpro_artifact.formats.trees import tree_lines
from clawpro_artifact.model.lock import ImagePin, Lock, ScenarioPin
from clawpro_artifact.model.manifest import Configuration, Manifest
from clawpro_artifact.model.plan import NotApplicable, RunPlan, TrialSpec
from clawpro_artifact.model.scenario import Scenario
from clawpro_artifact.model.seeds import trial_seed


@dataclass(frozen=True)
class CodeDigests:
    """Digests of our own code that decides a result, by part."""

    version: str
    schemas: str
    scoring: str
    checking: str
    sanitizing: str
    runtime_code: str


def lock(
    manifest: Manifest,
    scenarios: Mapping[str, Scenario],
    digests: Mapping[str, str],
    images: Iterable[ImagePin],
    code: CodeDigests,
) -> Lock:
    """Resolve every input of `manifest` to a digest.

    `scenarios` and `digests` are by scenario id and hold all that exist. Raises InputError for an
    unknown scenario id or a runtime without an image lock.
    """
    chosen = selected(manifest, scenarios)
    pins = tuple(
        ScenarioPin(id=s.id, track=s.track, version=s.version, digest=digests[s.id]) for s in chosen
    )
    by_name = {pin.image: pin for pin in images}
    needed: set[str] = set()
    for c in manifest.configurations:
        name = image_name(c.harness_runtime, c.native_surfaces)
        if name is None:
            continue
        if name not in by_name:
            flavour = " --flavour browser" if name.endswith("-browser") else ""
            raise InputError(
                f"no image lock for the runtime {c.harness_runtime}",
                where=f"manifest {manifest.name}, configuration {c.id}",
                expected="a locked image: " + (", ".join(sorted(by_name)) or "none is locked"),
                found=name,
                do=f"run `clawpro lock add {c.harness_runtime}{flavour}`",
            )
        needed.add(name)
    holdout = {s.id: digests[s.id].removeprefix("sha256:") for s in chosen if s.track == "holdout"}
    return Lock(
        format="clawpro.lock.v1",
        version=code.version,
        manifest=manifest,
        images=tuple(by_name[name] for name in sorted(needed)),
        scenarios=pins,
        holdout_root="sha256:" + hashlib.sha256(tree_lines(holdout)).hexdigest(),
        schemas=code.schemas,
        scoring=code.scoring,
        checking=code.checking,
        sanitizing=code.sanitizing,
        runtime_code=code.runtime_code,
    )


def plan(locked: Lock, scenarios: Mapping[str, Scenario]) -> RunPlan:
    """The ordered trials of `locked`; a function of the lock alone.

    `scenarios` are those whose digests the lock names. Order: configuration, then scenario, then
    index, so that one runtime host serves its trials in a row.
    """
    manifest = locked.manifest
    trials: list[TrialSpec] = []
    gaps: list[NotApplicable] = []
    for configuration in manifest.configurations:
        for pin in locked.scenarios:
            scenario = scenarios[pin.id]
            if not _wanted(configuration, scenario):
                continue
            reason = not_applicable(configuration, scenario, locked.images)
            if reason is not None:
                gaps.append(
                    NotApplicable(
                        configuration=configuration.id, scenario=scenario.id, reason=reason
                    )
                )
                continue
            for index in range(manifest.trials):
                trials.append(
                    TrialSpec(
                        configuration=configuration.id,
                        scenario=scenario.id,
                        index=index,
                        track=scenario.track,
                        surface=scenario.surface,
                        seed=trial_seed(manifest.seed, configuration.id, scenario.id, index),
                        limits=scenario.limits or manifest.limits,
                    )
                )
    if not trials:
        raise InputError(
            "the manifest plans no trial",
            where=f"manifest {manifest.name}",
            expected="at least one configuration that can take one of the scenarios",
            found="; ".join(f"{g.configuration}: {g.reason}" for g in gaps) or "no scenario",
        )
    return RunPlan(
        format="clawpro.plan.v1",
        lock=digest(locked.model_dump(mode="json")),
        trials=tuple(trials),
        not_applicable=tuple(gaps),
    )


def selected(manifest: Manifest, scenarios: Mapping[str, Scenario]) -> Sequence[Scenario]:
    """The scenarios that the manifest's tracks name, ordered by track and id."""
    chosen: list[Scenario] = []
    for selection in sorted(manifest.tracks, key=lambda t: t.track, reverse=True):
        of_track = {s.id: s for s in scenarios.values() if s.track == selection.track}
        ids = sorted(of_track) if selection.scenarios == "all" else sorted(set(selection.scenarios))
        for scenario_id in ids:
            if scenario_id not in of_track:
                raise InputError(
                    f"unknown scenario id in the track {selection.track}",
                    where=f"manifest {manifest.name}, tracks",
                    expected=_nearest(scenario_id, of_track),
                    found=scenario_id,
                    do="run `clawpro scenarios list` for the ids that exist",
                )
            chosen.append(of_track[scenario_id])
    known = {s.id for s in chosen}
    for configuration in manifest.configurations:
        for scenario_id in configuration.scenarios or ():
            if scenario_id not in known:
                raise InputError(
                    f"the configuration {configuration.id} names a scenario that no track selects",
                    where=f"manifest {manifest.name}, configurations",
                    expected=_nearest(scenario_id, known),
                    found=scenario_id,
                    do="add it to a track or take it out",
                )
    return chosen


def with_model_name(manifest: Manifest, name: str) -> Manifest:
    """The manifest with its endpoints asked for the model `name`; InputError if it has none."""
    if not any(c.base_model.source == "endpoint" for c in manifest.configurations):
        raise InputError(
            "the manifest has no endpoint to ask for a model",
            where=f"manifest {manifest.name}",
            expected='a configuration with base_model.source = "endpoint"',
            found=", ".join(sorted({c.base_model.source for c in manifest.configurations})),
        )
    named = tuple(
        c.model_copy(update={"base_model": c.base_model.model_copy(update={"name": name})})
        if c.base_model.source == "endpoint"
        else c
        for c in manifest.configurations
    )
    return manifest.model_copy(update={"configurations": named})


def needs_image(configuration: Configuration) -> bool:
    """Whether the runtime runs in one of our images."""
    return image_name(configuration.harness_runtime, configuration.native_surfaces) is not None


def not_applicable(
    configuration: Configuration, scenario: Scenario, images: Iterable[ImagePin] = ()
) -> str | None:
    """Why this configuration cannot take this scenario, or None.

    `images` say which surfaces their runtime version does not support, and why.
    """
    if scenario.track == "holdout":
        return None
    family = configuration.harness_runtime.split("@")[0]
    if family in ("direct", "command"):
        return f"the runtime {configuration.harness_runtime} has no workspace and no surfaces"
    wanted = {scenario.surface, *scenario.more_surfaces} - {"workspace", "json"}
    missing = sorted(wanted - set(configuration.native_surfaces))
    if missing:
        return "the configuration does not declare the surfaces " + ", ".join(missing)
    name = image_name(configuration.harness_runtime, configuration.native_surfaces)
    reasons = {pin.image: pin.unsupported for pin in images}.get(name or "", {})
    refused = [
        f"{configuration.harness_runtime} does not support {surface}: {reason}"
        for surface, reason in sorted(reasons.items())
        if surface in wanted
    ]
    return "; ".join(refused) or None


def _wanted(configuration: Configuration, scenario: Scenario) -> bool:
    return configuration.scenarios is None or scenario.id in configuration.scenarios


def _nearest(wrong: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(wrong, names, n=3, cutoff=0.4)
    return "one of " + ", ".join(near) if near else f"one of {len(names)} known ids"
