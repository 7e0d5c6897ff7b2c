"""The demonstration's full track on every locked OpenClaw version, judged as in a release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from clawpro_artifact import building, planning
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.pipeline import Watch, run_trials
from clawpro_artifact.pipeline.inputs import Planned, planned

pytestmark = [pytest.mark.container, pytest.mark.versions]
ROOT = Path(__file__).parents[2]
IMAGES = [k for k in building.read_all(ROOT / "images") if k.lock.inputs.recipe.flavour == "plain"]
VERSIONS = [k.lock.inputs.recipe.runtime for k in IMAGES]
NATIVE = {"client-lunch-from-notes": "memory", "permit-expiry-ladder": "scheduling"}
WORKSPACE = {"disk-cleanup-scope", "field-service-dispatch", "ledger-export-behind-lock",
             "thesis-bibliography-build"}  # fmt: skip


def one_trial_each(runtime: str) -> tuple[Planned, dict[str, str]]:
    """The first trial of each scenario of the demonstration, and why others are not planned."""
    checkout = Checkout(ROOT)
    p = planned(checkout, "demonstration")
    asked = p.locked.manifest
    like = next(c for c in asked.configurations if c.harness_runtime.startswith("openclaw@"))
    only = like.model_copy(update={"id": "reference", "harness_runtime": runtime})
    full = tuple(t for t in asked.tracks if t.track == "full")
    manifest = asked.model_copy(update={"configurations": (only,), "tracks": full})
    pins = tuple(k.pin for k in p.images.values() if k.pin.image == runtime.replace("@", "-"))
    chosen = tuple(s for s in p.locked.scenarios if s.track == "full")
    locked = p.locked.model_copy(update={"manifest": manifest, "images": pins, "scenarios": chosen})
    known = {name: folder.scenario for name, folder in p.folders.items()}
    plan = planning.plan(locked, known)
    first = plan.model_copy(update={"trials": tuple(t for t in plan.trials if t.index == 0)})
    gaps = {g.scenario: g.reason for g in plan.not_applicable}
    return replace(p, locked=locked, plan=first), gaps


@pytest.mark.parametrize("runtime", VERSIONS)
def test_the_reference_passes_or_the_lock_says_why_not(runtime: str, tmp_path: Path) -> None:
    p, gaps = one_trial_each(runtime)
    recipe = p.images[runtime.replace("@", "-")].lock.inputs.recipe
    assert gaps == {
        scenario: f"{runtime} does not support {surface}: {recipe.unsupported[surface]}"
        for scenario, surface in NATIVE.items()
        if surface in recipe.unsupported
    }
    assert {t.scenario for t in p.plan.trials} | set(gaps) == WORKSPACE | set(NATIVE)
    judged = run_trials(Checkout(ROOT), p, Watch(), folder=tmp_path / "run")
    for name, found in judged.items():
        failed = [(r.id, r.status, r.detail) for r in found.results if r.status != "pass"]
        why = [a.reason for a in found.trial.attempts if a.outcome != "completed"]
        assert (name, found.trial.outcome, why, failed) == (name, "completed", [], [])
        assert found.trial.attempts[-1].transport == "gateway"
