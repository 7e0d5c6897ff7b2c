"""drift: a verdict in every case, refused where runs are not alike, and what would decide it."""

from __future__ import annotations

import json
import random

import pytest

from clawpro_artifact.cli import main
from clawpro_artifact.comparing.attribution import attribute
from clawpro_artifact.comparing.drift import Cell, cells, drift, gate
from clawpro_artifact.errors import InputError
from clawpro_artifact.model.gate import Gate
from tests import bundles


def cell(scenario, *scores, strict=True, track="full", surface="workspace", dimension="safety"):
    facts = {"surface": surface, "dimension": dimension}
    return Cell("c", scenario, track, scores, strict, facts)


def run(change=0.0, noise=0.02, n=40, seed=1, track="full"):
    base = [random.Random(i).uniform(0.3, 0.9) for i in range(n)]
    dice = random.Random(seed)
    return [
        cell(f"s{i}", *(b + change + dice.gauss(0, noise) for _ in range(3)), track=track)
        for i, b in enumerate(base)
    ]


def test_a_clear_fall_is_drift():
    found = drift(run(), run(-0.1, seed=2), 0.05)
    assert found.verdict == "drift"
    assert found.tracks[0].test.mean == pytest.approx(-0.1, abs=0.02)


def test_the_same_within_a_margin_is_no_drift():
    assert drift(run(), run(seed=2), 0.05).verdict == "no drift within margin"


def test_too_few_noisy_scenarios_are_undecided_and_say_how_many_trials_would_decide():
    found = drift(run(noise=0.3, n=12), run(noise=0.3, n=12, seed=5), 0.05)
    part = found.tracks[0]
    assert found.verdict == "undecided"
    assert part.detectable > 0.05
    assert part.decisive_k is None or part.decisive_k > 3


def test_nothing_moved_at_all_is_no_drift():
    found = drift(run(noise=0), run(noise=0), 0.05)
    assert found.verdict == "no drift within margin"
    assert found.tracks[0].test.mean == 0


def test_one_drifting_track_is_drift_and_tracks_are_never_pooled():
    before = [*run(), *run(track="holdout")]
    after = [*run(-0.2, seed=2), *run(seed=3, track="holdout")]
    # The same ids on both tracks would collide: they are other scenarios.
    before = [c if c.track == "full" else cell("h" + c.scenario, *c.scores, track="holdout")
              for c in before]  # fmt: skip
    after = [c if c.track == "full" else cell("h" + c.scenario, *c.scores, track="holdout")
             for c in after]  # fmt: skip
    found = drift(before, after, 0.05)
    assert {p.name: p.verdict for p in found.tracks} == {
        "full": "drift", "holdout": "no drift within margin"}  # fmt: skip
    assert found.verdict == "drift"


def test_strict_flips_are_listed_with_the_traces_of_both_sides():
    before = [cell("a", 1, 1, 1), cell("b", 0, 0, 0, strict=False)]
    after = [cell("a", 1, 0, 1, strict=False), cell("b", 0, 0, 0, strict=False)]
    (flip,) = drift(before, after, 0.05).flips
    assert (flip.scenario, flip.lost, flip.after) == ("a", True, "data/traces/c/a/")


def test_other_scenarios_or_other_k_are_refused():
    with pytest.raises(InputError, match="same scenarios"):
        drift([cell("a", 1, 1, 1)], [cell("b", 1, 1, 1)], 0.05)
    with pytest.raises(InputError, match="numbers of trials"):
        drift([cell("a", 1, 1, 1)], [cell("a", 1, 1, 1, 1)], 0.05)
    with pytest.raises(InputError, match="same scenarios"):
        drift([], [], 0.05)


def test_an_undecided_trial_cannot_be_compared():
    scores = {"trials": [{"trial": "c/a/0", "score": None, "undecided": "infra_failed: x"}],
              "scenarios": [{"configuration": "c", "scenario": "a", "strict": None}]}  # fmt: skip
    with pytest.raises(InputError, match="undecided"):
        cells(scores, {"a": {"track": "full", "surface": "workspace", "dimension": "safety"}})


def policy(**more):
    return Gate.model_validate_json(
        json.dumps({"format": "clawpro.gate.v1", "margin": "0.05", **more})
    )


def test_the_gate_is_open_within_its_thresholds_and_names_what_shuts_it():
    small = drift(run(), run(-0.03, seed=2), 0.05)
    assert gate(small, policy(most_lost={"mean_trial_score": "0.04"})) == []
    (reason,) = gate(small, policy(most_lost={"mean_trial_score": "0.01"}))
    assert reason.startswith("full: mean_trial_score fell by 0.03")


def test_a_lost_strict_pass_passes_only_where_it_is_allowed():
    before = [cell("a", 1, 1, 1), cell("b", 1, 1, 1)]
    after = [cell("a", 1, 1, 1, strict=False), cell("b", 1, 1, 1, strict=False)]
    found = drift(before, after, 0.05)
    assert gate(found, policy(allowed=["a"])) == ["b is no longer passed strictly"]


def test_an_undecided_drift_shuts_the_gate_unless_the_policy_says_otherwise():
    found = drift(run(noise=0.3, n=12), run(noise=0.3, n=12, seed=5), 0.05)
    assert gate(found, policy()) == ["the drift is undecided"]
    assert gate(found, policy(undecided="pass")) == []


def replayed(before, score, kind=None, position=0):
    step = {"kind": kind, "position": position, "conversation": "main"}
    return {"trials": [
        {"trial": f"c/{c.scenario}/{i}", "live_score": str(score(c, i)),
         "departures": [step] if kind else []}
        for c in before for i in range(len(c.scores))
    ]}  # fmt: skip


def test_what_the_replay_loses_is_the_surfaces_and_the_rest_the_models():
    before = [cell(f"s{i}", 0.9, 0.9, 0.9) for i in range(4)]
    after = [cell(f"s{i}", 0.6, 0.6, 0.6) for i in range(4)]
    found = attribute(before, after, replayed(before, lambda c, i: 0.8, "tool list"))
    assert (found.total, found.surface, found.model) == pytest.approx((-0.3, -0.1, -0.2))
    assert (found.early, found.late, found.equal, found.noise) == (4, 0, 0, 0)


def test_a_replay_without_departure_leaves_everything_to_the_model():
    before = [cell("s", 0.9, 0.9, 0.9)]
    found = attribute(before, [cell("s", 0.5, 0.7, 0.6)], replayed(before, lambda c, i: 0.9))
    assert (found.surface, found.model) == pytest.approx((0, -0.3))
    assert found.noise == pytest.approx((0.01 / 3) ** 0.5)
    assert found.scenarios[0].departs == ""


def test_a_replay_of_another_run_is_refused():
    before = [cell("s", 0.9, 0.9, 0.9)]
    with pytest.raises(InputError, match="not of this run"):
        attribute(before, before, {"trials": []})


@pytest.fixture
def two(tmp_path):
    """Two signed bundles that differ in nothing but what `bundles` makes of a seed."""
    for name, changes in (("a", {}), ("b", {}), ("c", {"seed": 9})):
        bundles.sign(bundles.composed(tmp_path / f"d{name}", **changes), tmp_path / name)
    key = tmp_path / "key.pem"
    key.write_bytes(bundles.ALICE.public.pem)
    return tmp_path, ["--key", str(key), "--json"]


def test_the_verb_compares_two_bundles(two, capsys):
    place, trust = two
    assert main(["drift", str(place / "a"), str(place / "b"), *trust]) == 1
    found = json.loads(capsys.readouterr().out)
    # One scenario a track and no spread: nothing can be told from it, and the verb says so.
    assert found["verdict"] == "undecided"
    assert {p["name"] for p in found["tracks"]} == {"full", "holdout"}


def test_the_verb_refuses_when_more_than_the_runtime_moved(two, capsys):
    place, trust = two
    assert main(["drift", str(place / "a"), str(place / "c"), *trust]) == 3
    assert "trials" in json.loads(capsys.readouterr().out)["found"]
