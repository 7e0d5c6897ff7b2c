"""leaderboards: what may stand in one table, what is tied, and other people's results."""

from __future__ import annotations

import json

import pytest

from clawpro_artifact.cli import main
from clawpro_artifact.comparing import Entry, Figure, leaderboard, of_results, read_results
from clawpro_artifact.comparing.correlation import cross_track, spearman
from clawpro_artifact.errors import IncompleteError, InputError
from tests import bundles

SIGNATURE = {"track": "full", "k": 3}


def names(n, first=0):
    return frozenset(f"s{i}" for i in range(first, first + n))


def entry(name, value, se=0.01, n=50, undecided=0, signature=SIGNATURE, first=0, **more):
    figures = {"mean_trial_score": Figure(value, n, se=se)}
    figures |= {view: Figure(v, n, count=round(v * n)) for view, v in more.items()}
    return Entry(name, "full", names(n, first), 3 * n, undecided, figures, signature, "test")


def places(board, view="mean_trial_score"):
    return {p.configuration: p for p in board.tables[0].places[view]}


def test_the_better_value_has_the_smaller_rank_and_the_same_value_the_same():
    found = places(leaderboard([entry("a", 0.5), entry("b", 0.7), entry("c", 0.5)]))
    assert {n: p.rank for n, p in found.items()} == {"b": 1, "a": 2, "c": 2}


def test_overlapping_intervals_are_one_group_and_leave_ranks_open():
    board = leaderboard([entry("a", 0.70), entry("b", 0.69), entry("c", 0.30)])
    found = places(board)
    assert [(found[n].group, found[n].best, found[n].worst) for n in "abc"] == [
        (1, 1, 2), (1, 1, 2), (2, 3, 3)]  # fmt: skip


def test_fewer_breaches_are_better():
    board = leaderboard([entry("a", 0.5, safety_breach=0.4), entry("b", 0.5, safety_breach=0.0)])
    assert places(board, "safety_breach")["b"].rank == 1


def test_rank_changes_between_views_are_listed():
    board = leaderboard([entry("a", 0.6, strict_of_k=0.1), entry("b", 0.5, strict_of_k=0.4)])
    moves = board.tables[0].moves()
    assert moves[0] == {
        "configuration": "a",
        "ranks": {"mean_trial_score": 1, "strict_of_k": 2},
        "spread": 1,
    }


def test_different_coverage_is_not_ranked_together():
    board = leaderboard([entry("a", 0.5), entry("b", 0.9, n=20)])
    assert sorted(t.scenarios for t in board.tables) == [20, 50]


def test_as_many_but_other_scenarios_are_not_ranked_together():
    board = leaderboard([entry("a", 0.5), entry("b", 0.7, first=1)])
    assert [len(t.places["mean_trial_score"]) for t in board.tables] == [1, 1]


def test_undecided_trials_keep_a_configuration_out_and_say_why():
    board = leaderboard([entry("a", 0.5), entry("b", 0.9, undecided=2)])
    assert board.unranked == (("b", "full: 2 trials are undecided"),)
    assert list(places(board)) == ["a"]


def test_different_signatures_are_refused_naming_what_differs():
    other = {**SIGNATURE, "weights": "sha256:1"}
    with pytest.raises(InputError, match="different signatures") as caught:
        leaderboard([entry("a", 0.5), entry("b", 0.6, signature=other)])
    assert "weights = sha256:1" in str(caught.value)


def test_a_configuration_twice_is_refused():
    with pytest.raises(InputError, match="there twice"):
        leaderboard([entry("a", 0.5), entry("a", 0.6)])


def test_rho_needs_5_configurations_and_is_unstable_below_10():
    assert spearman([1, 2, 3, 4], [1, 2, 3, 4]).rho is None
    assert spearman(range(5), [0, 2, 1, 3, 4]).unstable
    assert not spearman(range(10), [0, 2, 1, 3, 4, 5, 6, 7, 9, 8]).unstable


def test_an_alert_says_whether_its_interval_supports_it():
    weak = spearman(range(12), [5, 9, 1, 11, 0, 3, 8, 2, 10, 6, 4, 7])
    assert (weak.alert, weak.supported) == (True, False)
    assert "not supported" in weak.words()
    against = spearman(range(30), range(30, 0, -1))
    assert (against.alert, against.supported) == (True, True)


def test_the_tracks_are_correlated_over_common_configurations():
    def both(name, full, closed):
        one = entry(name, full)
        return [one, Entry(name, "holdout", names(50), 150, 0,
                           {"mean_trial_score": Figure(closed, 50)}, SIGNATURE, "t")]  # fmt: skip

    entries = [e for i in range(6) for e in both(f"c{i}", i / 10, (5 - i) / 10)]
    assert cross_track([*entries, entry("only-full", 0.1)]).rho == pytest.approx(-1)
    other = cross_track([*entries, *both("d", 0.2, 0.3), entry("c0", 0.1, n=20)])
    assert other.rho is None
    assert "differ in scenarios" in other.words()


def test_a_perfect_correlation_of_few_is_no_certainty():
    """At n = 5 the next smaller rho is 0.9: tanh(1.4722 - 1.96 * sqrt(1.405 / 2)) = -0.1690."""
    low, high = spearman(range(5), range(5)).interval
    assert (low, high) == (pytest.approx(-0.1690, abs=1e-3), pytest.approx(1))


PLAIN = "configuration,scenario,trial,score,passed,outcome\n" + "".join(
    f"{c},{s},{t},{0.5 if c == 'a' else 0.25},{'true' if c == 'a' else 'false'},completed\n"
    for c in "ab"
    for s in "xyz"
    for t in range(3)
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(PLAIN)
    return path


def test_a_plain_table_becomes_entries(table):
    a, b = of_results(read_results(table))
    assert (a.figures["mean_trial_score"].value, b.figures["mean_trial_score"].value) == (0.5, 0.25)
    assert (a.figures["strict_of_k"].count, b.figures["strict_of_k"].count) == (3, 0)


def test_json_lines_say_the_same_as_the_table(table, tmp_path):
    lines = [
        json.dumps({"configuration": c, "scenario": s, "trial": t, "passed": c == "a",
                    "score": 0.5 if c == "a" else 0.25, "outcome": "completed"})
        for c in "ab" for s in "xyz" for t in range(3)
    ]  # fmt: skip
    other = tmp_path / "r.jsonl"
    other.write_text("\n".join(lines))
    assert read_results(other).rows == read_results(table).rows


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("a,x,0,0.5", "a,x,0,nan", "out of range"),
        ("a,x,0,0.5", "a,x,0,1.7", "out of range"),
        ("a,x,0,0.5", "a,x,0,high", "no number"),
        ("a,x,0,0.5", "a,x,zero,0.5", "no number"),
        ("a,x,0,0.5", "a,x,-1,0.5", "a trial's number"),
        ("a,x,0,0.5", "a,x,1,0.5", "there twice"),
        ("a,x,0,0.5,true,completed", "a,x,0,0.5,true,crashed", "outcome is unknown"),
        ("a,x,0,0.5,true,completed", "a,x,0,,,completed", "do not go together"),
        ("a,x,0,0.5,true,completed", "a,x,0,0.5,true,infra_failed", "do not go together"),
        ("a,x,0,0.5,true,completed", "a,x,0,0.5,maybe,completed", "neither true nor false"),
        ("a,x,0,0.5,true,completed", "a,x,0,0.5,true", "number of cells"),
        ("score,passed", "points,passed", "columns are others"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused_with_its_line(old, new, words, table):
    table.write_text(PLAIN.replace(old, new, 1))
    with pytest.raises(InputError, match=words) as caught:
        read_results(table)
    assert "r.csv" in str(caught.value.where)


def test_two_trials_of_a_scenario_are_incomplete(table):
    table.write_text(PLAIN.replace("a,x,2,0.5,true,completed\n", ""))
    with pytest.raises(IncompleteError, match="fewer than three"):
        read_results(table)


def test_an_infrastructure_failure_is_nobodys_score(table):
    table.write_text(PLAIN.replace("a,x,2,0.5,true,completed", "a,x,2,,,infra_failed"))
    a, _ = of_results(read_results(table))
    assert (a.undecided, a.figures["mean_trial_score"].value) == (1, None)


def clawprobench(status="success", **trial):
    one = {"trial_id": 0, "score": 0.8, "passed": True, "safety_passed": True,
           "execution": {"status": status}} | trial  # fmt: skip
    return {"model": "m/x", "scenarios": [{"scenario_id": "s1", "trials": [one] * 3}]}


def written(tmp_path, value):
    path = tmp_path / "report.json"
    path.write_text(json.dumps(value))
    return path


def test_a_clawprobench_report_is_read(tmp_path):
    rows = read_results(written(tmp_path, clawprobench())).rows
    assert [(r.score, r.passed, r.outcome) for r in rows] == [(0.8, True, "completed")] * 3


def test_a_pass_that_broke_a_safety_rule_is_none(tmp_path):
    rows = read_results(written(tmp_path, clawprobench(safety_passed=False))).rows
    assert [r.passed for r in rows] == [False] * 3


def test_an_execution_failure_of_clawprobench_is_undecided(tmp_path):
    rows = read_results(written(tmp_path, clawprobench("timeout", score=0.2198))).rows
    assert [(r.score, r.outcome) for r in rows] == [(None, "infra_failed")] * 3


def test_a_missing_field_is_named(tmp_path):
    report = clawprobench()
    del report["scenarios"][0]["trials"][0]["score"]
    with pytest.raises(InputError, match="missing") as caught:
        read_results(written(tmp_path, report))
    assert str(caught.value.where).endswith("#/scenarios/0/trials/0#/score")


def tau2(*reasons):
    runs = [
        {"task_id": "7", "trial": i, "termination_reason": reason,
         "reward_info": None if reason == "timeout" else {"reward": 1.0}}
        for i, reason in enumerate(reasons)
    ]  # fmt: skip
    info = {"agent_info": {"implementation": "llm_agent", "llm": "m"},
            "environment_info": {"domain_name": "airline"}}  # fmt: skip
    return {"info": info, "tasks": [], "simulations": runs}


def test_tau2_results_are_read_with_their_termination_reasons(tmp_path):
    value = tau2("user_stop", "timeout", "infrastructure_error")
    rows = read_results(written(tmp_path, value)).rows
    assert rows[0].configuration == "llm_agent/m"
    assert rows[0].scenario == "airline/7"
    assert [(r.score, r.passed, r.outcome) for r in rows] == [
        (1.0, True, "completed"),
        (0.0, False, "timed_out"),
        (None, None, "infra_failed"),
    ]


def test_an_unknown_termination_reason_is_refused(tmp_path):
    with pytest.raises(InputError, match="termination reason"):
        read_results(written(tmp_path, tau2("vanished", "user_stop", "user_stop")))


def test_a_file_of_another_kind_is_refused(tmp_path):
    with pytest.raises(InputError, match="no results file"):
        read_results(written(tmp_path, {"results": []}))


def test_the_verb_ranks_a_bundle_and_a_table(table, tmp_path, capsys):
    bundles.sign(bundles.files(tmp_path / "d"), tmp_path / "b")
    key = tmp_path / "key.pem"
    key.write_bytes(bundles.ALICE.public.pem)
    assert main(["rank", str(tmp_path / "b"), str(table), "--key", str(key), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {t["track"] for t in found["tables"]} >= {"full"}
    assert {found["cross_track"][v]["rho"] for v in ("strict_of_k", "any_of_k")} == {None}


def test_the_verb_does_not_rank_a_bundle_that_nobody_vouches_for(tmp_path):
    bundles.sign(bundles.files(tmp_path / "d"), tmp_path / "b")
    key = tmp_path / "key.pem"
    key.write_bytes(bundles.EVE.public.pem)
    assert main(["rank", str(tmp_path / "b"), "--key", str(key)]) == 8
