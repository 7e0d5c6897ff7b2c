"""planning: a plan is a function of the lock alone, and unknown names are refused."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from clawpro_artifact import planning
from clawpro_artifact.errors import InputError
from clawpro_artifact.model.lock import ImagePin
from tests.unit import make

D = "sha256:" + "1" * 64
CODE = planning.CodeDigests(
    version="0.1.0", schemas=D, scoring=D, checking=D, sanitizing=D, runtime_code=D
)
OPENCLAW = make.configuration(
    id="openclaw-reference",
    harness_runtime="openclaw@2026.9.6",
    native_surfaces=["memory"],
    isolation="container",
    transport="gateway",
)
PIN = ImagePin(runtime="openclaw@2026.9.6", image="openclaw-2026.9.6", lock=D, config=D)


def scenarios(*ids: str) -> dict:
    return {i: make.scenario(i) for i in ids}


def locked(manifest, known, images=()):
    return planning.lock(manifest, known, dict.fromkeys(known, D), images, CODE)


def test_every_configuration_takes_every_scenario_k_times_under_a_unique_id():
    known = scenarios("a", "b")
    manifest = make.manifest(configurations=[make.configuration(), OPENCLAW])
    plan = planning.plan(locked(manifest, known, [PIN]), known)
    ids = [t.id for t in plan.trials]
    assert len(ids) == len(set(ids)) == 2 * 2 * 3
    assert ids[0] == "direct-reference/a/0"


def test_the_order_of_known_scenarios_does_not_change_the_lock():
    manifest = make.manifest()
    one = locked(manifest, scenarios("a", "b"))
    other = locked(manifest, scenarios("b", "a"))
    assert one == other


def test_trial_seeds_differ_by_trial_and_by_the_manifests_seed():
    seeds = {planning.trial_seed(s, c, "x", i) for s in (1, 2) for c in "ab" for i in range(3)}
    assert len(seeds) == 12
    assert all(0 <= s < 2**53 for s in seeds)


def test_a_scenario_that_needs_a_workspace_is_not_applicable_to_the_direct_runtime():
    task = make.scenario("tidy", track="full", surface="workspace", answer=None)
    known = {"tidy": task, "a": make.scenario("a")}
    manifest = make.manifest(
        tracks=[{"track": "holdout", "scenarios": "all"}, {"track": "full", "scenarios": ["tidy"]}]
    )
    plan = planning.plan(locked(manifest, known), known)
    assert {t.scenario for t in plan.trials} == {"a"}
    (gap,) = plan.not_applicable
    assert gap.scenario == "tidy"
    assert "no workspace" in gap.reason


def test_an_undeclared_surface_is_not_applicable_with_its_name():
    task = make.scenario("remind", track="full", surface="scheduling", answer=None)
    reason = planning.not_applicable(
        make.manifest(configurations=[OPENCLAW]).configurations[0], task
    )
    assert reason == "the configuration does not declare the surfaces scheduling"


def test_a_surface_that_the_version_does_not_support_is_not_applicable_with_the_locks_reason():
    known = {
        "recall": make.scenario("recall", track="full", surface="memory", answer=None),
        "tidy": make.scenario("tidy", track="full", surface="workspace", answer=None),
    }
    manifest = make.manifest(
        configurations=[OPENCLAW], tracks=[{"track": "full", "scenarios": "all"}]
    )
    pin = PIN.model_copy(update={"unsupported": {"memory": "it has no keyword search"}})
    plan = planning.plan(locked(manifest, known, [pin]), known)
    assert {t.scenario for t in plan.trials} == {"tidy"}
    (gap,) = plan.not_applicable
    assert gap.reason == ("openclaw@2026.9.6 does not support memory: it has no keyword search")


def test_an_image_pin_without_a_gap_is_written_as_before():
    assert set(PIN.model_dump(mode="json")) == {"runtime", "image", "lock", "config"}


def test_an_unknown_scenario_id_names_the_nearest_known_one():
    manifest = make.manifest(tracks=[{"track": "holdout", "scenarios": ["invoice-mach"]}])
    with pytest.raises(InputError) as error:
        locked(manifest, scenarios("invoice-match", "b"))
    assert error.value.exit_code == 3
    assert "invoice-match" in str(error.value)
    assert "invoice-mach" in str(error.value)


def test_a_runtime_without_an_image_lock_says_which_command_makes_one():
    manifest = make.manifest(configurations=[OPENCLAW])
    with pytest.raises(InputError, match=r"clawpro lock add openclaw@2026\.9\.6"):
        locked(manifest, scenarios("a"))


def test_a_manifest_that_plans_nothing_is_refused():
    task = make.scenario("tidy", track="full", surface="workspace", answer=None)
    manifest = make.manifest(tracks=[{"track": "full", "scenarios": "all"}])
    known = {"tidy": task}
    with pytest.raises(InputError, match="plans no trial"):
        planning.plan(locked(manifest, known), known)


@pytest.mark.parametrize("pin", ["openclaw@latest", "openclaw@^2026.9.6", "openclaw", "node@1"])
def test_a_runtime_that_is_not_one_exact_version_is_refused(pin):
    with pytest.raises(ValidationError):
        make.manifest(configurations=[make.configuration(harness_runtime=pin)])


def test_fewer_than_three_trials_are_refused():
    with pytest.raises(ValidationError):
        make.manifest(trials=2)


def test_a_scripted_model_cannot_hide_its_label():
    model = {"source": "scripted", "name": "gpt-best", "policy": "reference"}
    with pytest.raises(ValidationError, match="label"):
        make.manifest(configurations=[make.configuration(base_model=model)])
