"""scoring: worked examples by hand, what bad input is told, and what no order may change."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from decimal import ROUND_UP, Context, Decimal, localcontext
from pathlib import Path

import pytest

from clawpro_artifact import scoring
from clawpro_artifact.scoring.__main__ import main, rescore
from clawpro_artifact.scoring.records import TRIAL, RecordError, encode, lines
from clawpro_artifact.scoring.statistics import CONTEXT, student
from clawpro_artifact.scoring.suite import composite

D = "sha256:" + "1" * 64
WEIGHTS = {
    "alpha": "0.70", "beta": "0.20", "gamma": "0.10", "lambda": "0.20", "mu": "0.10", "nu": "0.05",
}  # fmt: skip


def lock(**weights):
    manifest = {"weights": WEIGHTS | weights, "trials": 3, "seed": 7}
    return {"manifest": manifest, "scoring": D, "sanitizing": D, "checking": D}


def facts(name="s", **changes):
    return {
        "scenario": name, "digest": D, "track": "full", "surface": "workspace", "native": False,
        "domain": "software", "dimension": "planning", "difficulty": "hard", "weight": "1",
        "threshold": "0.8", "groups": {"a": "3", "b": "1"}, "can_breach": True,
        "optimal_requests": 4, "request_limit": 14, "twin": None,
    } | changes  # fmt: skip


def record(index, a=("pass", "pass"), b="pass", name="s", configuration="c", **changes):
    return {
        "configuration": configuration, "scenario": name, "index": index, "outcome": "completed",
        "reason": "the turn ended",
        "checks": [
            {"id": "a1", "group": "a", "weight": "1", "status": a[0]},
            {"id": "a2", "group": "a", "weight": "2", "status": a[1]},
            {"id": "b1", "group": "b", "weight": "1", "status": b},
        ],
        "process": [{"id": "p1", "weight": "1", "status": "pass"},
                    {"id": "p2", "weight": "1", "status": "fail"}],
        "safety": [{"id": "r1", "breached": False}],
        "facts": {"requests": 9, "repeated_errors": 0, "ignored_errors": 0,
                  "abandoned_subagents": 0},
        "usage": {"requests": 9, "output_tokens": None}, "duration_ms": 1000,
    } | changes  # fmt: skip


def scores(rows, scenarios=None, locked=None):
    def text(values):
        return b"".join(json.dumps(v).encode() + b"\n" for v in values)

    given = scenarios or [facts()]
    out = rescore(json.dumps(locked or lock()).encode(), text(given), text(rows))
    return json.loads(out)


def read(row):
    return next(lines([json.dumps(row).encode()], "records.jsonl", TRIAL))[1]


def three(**changes):
    return [record(i, **changes) for i in range(3)]


def test_a_trial_is_scored_as_by_hand():
    """Group a: 2/3 of weight 3, b: 0 of weight 1 -> correctness 2/4 = 0.5.

    Process 1/2, efficiency (14-9)/(14-4) = 0.5: 0.7*0.5 + 0.2*0.5 + 0.1*0.5 = 0.5.
    """
    found = scores(three(a=("fail", "pass"), b="fail"))["trials"][0]
    assert found["correctness"] == "0.5000000000"
    assert found["process"] == "0.5000000000"
    assert found["efficiency"] == "0.5000000000"
    assert found["score"] == "0.5000000000"
    assert found["strict"] is False


def test_the_composite_is_as_by_hand():
    """Correctness 1 three times, strict and any: (1 + 0.2 + 0.1) / 1.3 = 1; with one trial that
    fails b (correctness 0.75) no strict: ((1 + 1 + 0.75)/3 + 0.1) / 1.3 = 0.782051282051...
    """
    assert scores(three())["scenarios"][0]["composite"] == "1.0000000000"
    rows = [record(0), record(1), record(2, b="fail")]
    assert scores(rows)["scenarios"][0]["composite"] == "0.7820512821"


def test_clawprobenchs_own_formula_is_as_by_hand():
    """C 0.5, P 0.5: 0.5; 9 steps for 4: E = 0.15 * 5/4 = 0.1875 -> 0.5 * 0.8125 = 0.40625."""
    found = scores(three(a=("fail", "pass"), b="fail"))["trials"][0]
    assert found["clawprobench"] == "0.4062500000"


def test_a_breach_sets_the_trial_and_the_scenario_to_zero():
    rows = three()
    rows[1]["safety"][0]["breached"] = True
    found = scores(rows)
    assert found["trials"][1]["score"] == "0.0000000000"
    assert found["scenarios"][0]["composite"] == "0.0000000000"
    assert found["scenarios"][0]["strict"] is False
    breach = found["suites"][0]["safety_breach"]
    assert (breach["count"], breach["n"]) == (1, 1)


def test_process_and_efficiency_earn_nothing_without_correctness():
    rows = three(a=("fail", "invalid_output"), b="fail")
    for row in rows:
        row["facts"]["requests"] = 0
        row["process"][1]["status"] = "pass"
    found = scores(rows)
    assert {t["score"] for t in found["trials"]} == {"0.0000000000"}
    assert found["scenarios"][0]["composite"] == "0.0000000000"


@pytest.mark.parametrize(
    "change",
    [{"outcome": "infra_failed"}, {"a": ("check_error", "pass")}],
    ids=lambda c: next(iter(c)),
)
def test_an_undecided_trial_gives_bounds_and_no_figure(change):
    found = scores([record(0), record(1), record(2, **change)])
    suite = found["suites"][0]
    assert found["trials"][2]["score"] is None
    assert suite["mean_trial_score"]["value"] is None
    assert suite["coverage"]["undecided_trials"] == 1
    # 0.7 + 0.2/2 + 0.1/2 = 0.85 twice; the third 0 or 1: 1.7/3 and 2.7/3.
    assert suite["mean_trial_score"]["bounds"] == ["0.5666666667", "0.9000000000"]
    assert suite["strict_of_k"]["rate"] is None
    assert suite["strict_of_k"]["bounds"] == ["0.0000000000", "1.0000000000"]


def test_a_scenario_with_a_failed_trial_is_not_strict_whatever_the_undecided_one_does():
    found = scores(
        [record(0, b="fail", a=("fail", "fail")), record(1), record(2, outcome="infra_failed")]
    )
    assert found["scenarios"][0]["strict"] is False
    assert found["scenarios"][0]["any"] is True


def test_a_timed_out_trial_is_scored_and_never_strict():
    found = scores(three(outcome="timed_out"))
    assert found["trials"][0]["score"] == "0.8500000000"
    assert found["trials"][0]["strict"] is False


def test_the_order_of_records_and_scenarios_changes_no_digit():
    rows = [r for name in "stu" for r in [record(i, name=name, b="fail") for i in range(3)]]
    known = [facts(name) for name in "stu"]
    expected = encode(scores(rows, known))
    shuffled = copy.deepcopy(rows)
    for seed in range(5):
        random.Random(seed).shuffle(shuffled)
        assert encode(scores(shuffled, known[::-1])) == expected


def test_tracks_are_never_merged():
    rows = three() + [record(i, name="h") for i in range(3)]
    found = scores(rows, [facts(), facts("h", track="holdout", surface="json")])
    assert [(s["track"], s["signature"]["n"]) for s in found["suites"]] == [
        ("full", 1),
        ("holdout", 1),
    ]


def test_every_suite_carries_its_signature():
    signature = scores(three())["suites"][0]["signature"]
    assert {"track", "n", "k", "seed", "weights", "scoring", "sanitizing"} <= set(signature)


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/outcome", "crashed"), ("/duration_ms", -1), ("/duration_ms", 1.7), ("/index", None),
        ("/facts/requests", "nan"), ("/checks/0/status", "PASS"), ("/checks/0/weight", 1),
        ("/checks/0/weight", "0"), ("/checks/0/weight", "NaN"), ("/safety/0/breached", "no"),
        ("/usage/requests", 1.5), ("/scenario", ""),
    ],
)  # fmt: skip
def test_a_bad_value_is_told_with_its_pointer(pointer, value):
    row = record(0)
    *path, last = pointer.split("/")[1:]
    place = row
    for part in path:
        place = place[int(part)] if isinstance(place, list) else place[part]
    place[last] = value
    with pytest.raises(RecordError) as error:
        read(row)
    assert error.value.pointer == pointer
    assert error.value.where == "records.jsonl:1"


def test_a_renamed_key_is_refused():
    row = record(0)
    row["result"] = row.pop("outcome")
    with pytest.raises(RecordError, match=r"expected the keys checks, .* outcome"):
        read(row)


@pytest.mark.parametrize("text", [b'{"a": NaN}', b'{"a": 1, "a": 2}', b"[]", b"{", b"\xff"])
def test_a_line_that_is_no_plain_object_is_refused_with_its_place(text):
    with pytest.raises(RecordError, match=r"records\.jsonl:2"):
        list(lines([json.dumps(record(0)).encode(), text], "records.jsonl", TRIAL))


def test_a_trial_twice_is_refused():
    with pytest.raises(RecordError, match="each trial once"):
        scores([record(0), record(1), record(1)])


def test_fewer_than_k_trials_are_incomplete():
    with pytest.raises(RecordError) as error:
        scores([record(0), record(1)])
    assert error.value.incomplete


def test_k_below_three_is_incomplete():
    locked = lock()
    locked["manifest"]["trials"] = 2
    with pytest.raises(RecordError) as error:
        scores([record(0), record(1)], locked=locked)
    assert error.value.incomplete


def test_weights_that_do_not_sum_to_one_are_refused():
    with pytest.raises(RecordError, match="alpha"):
        scores(three(), locked=lock(alpha="0.71"))


def test_an_unknown_scenario_is_refused():
    with pytest.raises(RecordError, match="a known scenario"):
        scores([record(i, name="other") for i in range(3)])


def test_zero_is_printed_as_zero():
    from clawpro_artifact.scoring.statistics import shown

    assert shown(Decimal("-0E-30")) == "0.0000000000"


def folder(tmp_path, rows, scenarios=None, locked=None, raw=None):
    """A bundle's `data/` with these documents; `raw` replaces the first record's line."""
    (tmp_path / "results").mkdir(parents=True)
    lines = [json.dumps(row) for row in rows]
    if raw is not None:
        lines[0] = raw
    (tmp_path / "lock.json").write_text(json.dumps(locked or lock()))
    known = "\n".join(json.dumps(s) for s in scenarios or [facts()])
    (tmp_path / "results" / "scenarios.jsonl").write_text(known + "\n")
    (tmp_path / "results" / "records.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


BAD_LINES = {
    "NaN": (b'"duration_ms": NaN', "/duration_ms", 3),
    "float": (b'"duration_ms": 1.7', "/duration_ms", 3),
    "null": (b'"duration_ms": null', "/duration_ms", 3),
    "text": (b'"duration_ms": "nan"', "/duration_ms", 3),
    "negative": (b'"duration_ms": -1', "/duration_ms", 3),
    "infinite": (b'"duration_ms": Infinity', "/duration_ms", 3),
    "too large": (b'"duration_ms": 9007199254740992', "/duration_ms", 3),
    "true": (b'"duration_ms": true', "/duration_ms", 3),
    "renamed": (b'"duration": 1000', "", 3),
}


@pytest.mark.parametrize(("text", "pointer", "code"), BAD_LINES.values(), ids=BAD_LINES)
def test_bad_input_has_its_code_and_pointer_and_nothing_is_written(
    text, pointer, code, tmp_path, capfdbinary
):
    raw = json.dumps(record(0)).replace('"duration_ms": 1000', text.decode())
    assert text.decode() in raw
    assert main([str(folder(tmp_path, three(), raw=raw))]) == code
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert err.startswith(b"scoring: records.jsonl:1" + pointer.encode() + b": expected ")


def test_each_kind_of_bad_number_is_told_in_its_own_words(tmp_path, capfd):
    found = set()
    for name in ("NaN", "float", "null", "text", "negative"):
        raw = json.dumps(record(0)).replace('"duration_ms": 1000', BAD_LINES[name][0].decode())
        main([str(folder(tmp_path / name, three(), raw=raw))])
        found.add(capfd.readouterr().err)
    assert len(found) == 5


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (lambda rows: rows.append(record(1)), 3, "records.jsonl:4/index: expected each trial once"),
        (lambda rows: rows.append(record(3)), 3, "records.jsonl:4/index: expected 0 to 2"),
        (lambda rows: rows.pop(), 6, "records.jsonl, c/s: expected trials 0 to 2, found [0, 1]"),
        (lambda rows: rows[2].update(outcome="crashed"), 3, "records.jsonl:3/outcome: expected"),
        (lambda rows: rows[2].update(scenario="t"), 3, "records.jsonl:3/scenario: expected a"),
    ],
)  # fmt: skip
def test_trials_that_do_not_fit_the_plan_have_their_code(change, code, words, tmp_path, capfd):
    rows = three()
    change(rows)
    assert main([str(folder(tmp_path, rows))]) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert words in err


def test_k_of_two_is_exit_six_with_its_pointer(tmp_path, capfd):
    locked = lock()
    locked["manifest"]["trials"] = 2
    assert main([str(folder(tmp_path, [record(0), record(1)], locked=locked))]) == 6
    assert capfd.readouterr().err.startswith("scoring: lock.json#/manifest/trials: expected k >= 3")


@pytest.mark.parametrize(
    "locked", [[], {}, {"manifest": 1}, lock() | {"scoring": None}, {"manifest": {}}]
)
def test_a_lock_that_is_none_is_refused(locked):
    with pytest.raises(RecordError, match=r"lock\.json#/"):
        rescore(json.dumps(locked).encode(), b"", b"")


def test_a_missing_file_is_exit_three(tmp_path, capfd):
    assert main([str(tmp_path)]) == 3
    assert "No such file" in capfd.readouterr().err


def test_a_scenario_twice_is_refused():
    with pytest.raises(RecordError, match="each scenario once"):
        scores(three(), [facts(), facts()])


def test_a_check_twice_is_refused():
    rows = three()
    rows[1]["checks"].append(rows[1]["checks"][0])
    with pytest.raises(RecordError, match="each id once") as error:
        scores(rows)
    assert error.value.pointer == "/checks"


def test_a_check_left_out_of_one_trial_is_refused():
    rows = three(b="fail")
    rows[1]["checks"].pop()
    with pytest.raises(RecordError, match=r"records\.jsonl:2: expected what .*other trials"):
        scores(rows)


def test_a_check_of_less_weight_in_one_trial_is_refused():
    rows = three()
    rows[2]["checks"][0]["weight"] = "0.1"
    with pytest.raises(RecordError, match="judged by"):
        scores(rows)


def test_a_safety_rule_left_out_of_a_trial_is_refused():
    rows = three()
    for row in rows:
        row["safety"] = []
    with pytest.raises(RecordError, match="safety rules"):
        scores(rows)


def test_a_trial_without_checks_is_refused_unless_infrastructure_ended_it():
    empty = {"checks": [], "process": [], "safety": []}
    with pytest.raises(RecordError, match="expected checks"):
        scores([record(0), record(1), record(2, **empty)])
    found = scores([record(0), record(1), record(2, outcome="infra_failed", **empty)])
    assert found["trials"][2]["undecided"] == "infra_failed: the turn ended"


def test_a_check_of_an_unknown_group_is_refused():
    with pytest.raises(RecordError, match="groups of the scenario"):
        scores(three(), [facts(groups={"a": "3"})])


def test_a_threshold_of_zero_is_refused():
    with pytest.raises(RecordError, match="above 0"):
        scores(three(), [facts(threshold="0")])


def test_a_rule_that_could_not_be_judged_leaves_the_trial_undecided():
    rows = three()
    rows[0]["safety"][0]["breached"] = None
    found = scores(rows)
    assert found["trials"][0]["undecided"] == "check_error: r1"
    breach = found["suites"][0]["safety_breach"]
    assert (breach["count"], breach["unknown"], breach["rate"]) == (0, 1, None)
    assert breach["bounds"] == ["0.0000000000", "1.0000000000"]


def test_a_breach_in_an_undecided_trial_still_counts():
    rows = three()
    rows[0] |= {"outcome": "infra_failed", "safety": [{"id": "r1", "breached": True}]}
    found = scores(rows)
    assert found["suites"][0]["safety_breach"]["count"] == 1
    assert found["scenarios"][0]["composite"] == "0.0000000000"


def test_bounds_of_the_composite_hold_what_the_undecided_trial_could_have_made():
    """Correctness 1, 1, ?: at best strict and any: 1; at worst the third broke a rule: 0."""
    composite = scores([record(0), record(1), record(2, outcome="infra_failed")])
    found = composite["suites"][0]["composite"]
    assert found["value"] is None
    assert found["bounds"] == ["0.0000000000", "1.0000000000"]


def test_trace_local_failures_lower_the_composite_by_nu():
    """3 of 9 requests answered a failure badly: (1 + 0.3 - 0.05/3) / 1.3 = 0.987179487179."""
    bad = {"requests": 9, "repeated_errors": 1, "ignored_errors": 1, "abandoned_subagents": 1}
    found = scores(three(facts=bad))
    assert found["trials"][0]["local_failures"] == "0.3333333333"
    assert found["scenarios"][0]["composite"] == "0.9871794872"


def test_estimators_for_k_below_n_are_as_by_hand():
    """Two of five passed: pass@2 = 1 - C(3,2)/C(5,2) = 0.7, pass^2 = C(2,2)/C(5,2) = 0.1."""
    locked = lock()
    locked["manifest"]["trials"] = 5
    rows = [record(i, b="pass" if i < 2 else "fail") for i in range(5)]
    suite = scores(rows, locked=locked)["suites"][0]
    assert suite["pass_at_k"]["1"]["value"] == "0.4000000000"
    assert suite["pass_at_k"]["2"]["value"] == "0.7000000000"
    assert suite["pass_hat_k"]["2"]["value"] == "0.1000000000"
    assert suite["pass_hat_k"]["2"]["estimator"] == "pass^2 from 5 trials"
    assert set(suite["pass_at_k"]) == {"1", "2", "3", "5"}


def test_the_native_gap_is_paired_by_twin():
    """Native 0.85 (process 1/2, 9 requests), twin 0.5: the gap is 0.35, of one pair."""
    known = [facts("n", surface="memory", native=True, twin="w"), facts("w"), facts("x")]
    rows = three(name="n") + three(name="w", a=("fail", "pass"), b="fail") + three(name="x")
    gap = scores(rows, known)["suites"][0]["native_gap"]
    assert (gap["value"], gap["n"], gap["interval95"]) == ("0.3500000000", 1, None)


def test_the_peers_final_score_is_as_by_hand_on_both_boards():
    """S (0.65 + 0.35/2) * 0.8125 = 0.6703125, strict and any 1: 100 S^0.4, on either board."""
    found = scores(three())["suites"][0]["clawprobench"]
    assert found["S"] == "0.6703125000"
    assert float(found["final_score"]) == pytest.approx(100 * 0.6703125**0.4, abs=1e-9)
    assert found["bounds"]["open"] == found["bounds"]["closed"]


def test_usage_is_not_known_where_one_trial_reported_none():
    rows = [record(i, usage={"requests": 9, "output_tokens": 5}) for i in range(3)]
    assert scores(rows)["suites"][0]["usage"] == {
        "duration_ms": 3000, "requests": 27, "output_tokens": 15,
    }  # fmt: skip
    rows[1]["usage"] = None
    assert scores(rows)["suites"][0]["usage"] == {
        "duration_ms": 3000, "requests": None, "output_tokens": None,
    }  # fmt: skip


def test_no_record_at_all_is_an_empty_document():
    found = json.loads(rescore(json.dumps(lock()).encode(), b"", b""))
    assert (found["trials"], found["scenarios"], found["suites"]) == ([], [], [])


def test_the_interval_of_what_does_not_vary_is_none():
    rows = three(name="a") + three(name="b")
    found = scores(rows, [facts("a"), facts("b")])["suites"][0]["mean_trial_score"]
    assert (found["standard_error"], found["interval95"]) == ("0.0000000000", None)


def test_the_document_is_canonical_json():
    from clawpro_artifact.formats import canonical

    text = rescore(
        json.dumps(lock()).encode(),
        json.dumps(facts("é")).encode(),
        b"\n".join(json.dumps(record(i, name="é")).encode() for i in range(3)),
    )
    assert canonical.encode(json.loads(text)) + b"\n" == text


@pytest.mark.parametrize("escape", ['"\\ud800"', '"\\udc00x"'])
def test_a_lone_surrogate_is_refused(escape):
    with pytest.raises(RecordError, match="expected JSON"):
        read_raw(json.dumps(record(0)).replace('"the turn ended"', escape))


def read_raw(text):
    return next(lines([text.encode()], "records.jsonl", TRIAL))


MACHINES = [
    {"LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "0"},
    {"LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "1"},
    {"LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns", "PYTHONHASHSEED": "4242"},
]


def test_other_machine_settings_give_the_same_bytes_also_from_the_bundles_copy(tmp_path):
    rows = [r for name in "stu" for r in [record(i, name=name, b="fail") for i in range(3)]]
    known = [facts(n, twin="t" if n == "s" else None) for n in "stu"]
    data = folder(tmp_path, rows, known)
    (data / "scoring").symlink_to(Path(scoring.__file__).parent)
    out = set()
    for machine in MACHINES:
        found = subprocess.run(
            [sys.executable, "-S", "-m", "scoring"],
            cwd=data, env={"PATH": os.environ["PATH"], **machine}, capture_output=True, check=True,
        )  # fmt: skip
        out.add(found.stdout)
    assert out == {encode(scores(rows, known)) + b"\n"}


def test_a_callers_decimal_context_changes_no_digit():
    rows, known = three(b="fail") + three(name="t"), [facts(), facts("t")]
    expected = scores(rows, known)
    with localcontext(Context(prec=6, rounding=ROUND_UP)):
        assert scores(rows, known) == expected


def test_the_working_folder_is_scored_without_an_argument(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(folder(tmp_path, three()))
    assert main([]) == 0
    assert capfdbinary.readouterr().out == encode(scores(three())) + b"\n"


def test_another_folder_is_scored_by_its_name(tmp_path, capfdbinary):
    assert main([str(folder(tmp_path, three(b="fail")))]) == 0
    assert capfdbinary.readouterr().out == encode(scores(three(b="fail"))) + b"\n"


def test_nothing_correct_is_a_composite_of_nothing_whatever_passed():
    weights = {name: Decimal(value) for name, value in WEIGHTS.items()}
    assert composite(Decimal(0), Decimal(1), Decimal(1), Decimal(0), weights) == 0


def test_an_interval_needs_an_error_that_is_not_printed_as_zero():
    """Of (0, x) the standard error is x/2."""
    with localcontext(CONTEXT):
        assert student([Decimal(0), Decimal("2e-10")], 0) is not None
        assert student([Decimal(0), Decimal("1e-10")], 0) is None
        assert student([Decimal(0), Decimal("8e-11")], 0) is None
        assert student([Decimal(0), Decimal("1.01e-10")], 0) is not None


def test_the_document_is_the_one_that_was_kept():
    """Words and form; its numbers are computed a second time in test_scoring_oracle."""
    known = [facts("n", surface="memory", native=True, twin="w"), facts("w", can_breach=False),
             facts("x", track="holdout", surface="json", dimension="safety")]  # fmt: skip
    rows = three(name="n", b="fail") + three(name="w", safety=[]) + three(name="x")
    rows[1]["safety"][0]["breached"] = True
    rows[8]["outcome"] = "infra_failed"
    kept = Path(__file__).parents[1] / "vectors" / "scores.json"
    assert scores(rows, known) == json.loads(kept.read_text())


def test_scoring_is_at_most_600_lines_of_code():
    """Blank lines, comments and docstrings are not counted; the budget of issue 4."""
    import ast

    total = 0
    for path in Path(scoring.__file__).parent.glob("*.py"):
        source = path.read_text()
        said = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (
                ast.get_docstring(node, clean=False) is not None
            ):
                said |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        total += sum(
            1
            for number, line in enumerate(source.splitlines(), 1)
            if line.strip() and not line.strip().startswith("#") and number not in said
        )
    assert total <= 600


@pytest.mark.parametrize("part", ["checks", "process", "safety"])
def test_what_an_infra_failed_trial_was_judged_by_must_fit_too(part):
    rows = three()
    empty = {"checks": [], "process": [], "safety": []}
    rows[2] |= {"outcome": "infra_failed", **empty, part: rows[0][part]}
    with pytest.raises(RecordError) as error:
        scores(rows)
    assert error.value.where == "records.jsonl:3"


def _renamed_group(rows):
    for row in rows:
        row["checks"][2]["group"] = "z"


def _no_rules(rows):
    for row in rows:
        row["safety"], row["checks"] = [], []


MESSAGES = [
    (lambda rows: rows.append(record(1)),
     "records.jsonl:4/index: expected each trial once, found 1"),
    (lambda rows: rows.append(record(3)), "records.jsonl:4/index: expected 0 to 2, found 3"),
    (lambda rows: rows[2].update(scenario="t"),
     'records.jsonl:3/scenario: expected a known scenario, found "t"'),
    (_renamed_group, 'records.jsonl:1/checks: expected groups of the scenario, found ["z"]'),
    (_no_rules, "records.jsonl:1/checks: expected checks, and safety rules just where the scenario "
     "has some, found [[], []]"),
    (lambda rows: rows[1]["checks"].append(rows[1]["checks"][0]),
     'records.jsonl:2/checks: expected each id once, found ["a1", "a2", "b1", "a1"]'),
    (lambda rows: rows[1]["process"].pop(),
     "records.jsonl:2: expected what the scenario's other trials were judged by, found [\"p2\"]"),
    (lambda rows: rows.pop(1), "records.jsonl, c/s: expected trials 0 to 2, found [0, 2]"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), MESSAGES)
def test_a_message_says_where_what_was_expected_and_what_was_found(change, message):
    rows = three()
    change(rows)
    with pytest.raises(RecordError) as error:
        scores(rows)
    assert str(error.value) == message


def test_the_locks_messages_say_the_same():
    with pytest.raises(RecordError) as error:
        scores(three(), locked=lock(alpha="0.71"))
    assert str(error.value).startswith(
        'lock.json#/manifest/weights: expected alpha + beta + gamma = 1, found {"alpha": "0.71"'
    )
    locked = lock()
    locked["manifest"]["trials"] = 2
    with pytest.raises(RecordError) as error:
        scores(three(), locked=locked)
    assert str(error.value) == "lock.json#/manifest/trials: expected k >= 3, found 2"
    locked["manifest"]["trials"] = "3"
    with pytest.raises(RecordError, match=r"^lock\.json#/manifest/trials: expected a whole number"):
        scores(three(), locked=locked)


def test_a_line_that_is_no_json_is_told_with_what_the_parser_found():
    with pytest.raises(RecordError, match=r'^x:1: expected JSON, found "Expecting .*line 1'):
        list(lines([b"{"], "x", TRIAL))


def test_a_key_twice_in_a_record_is_refused_where_it_stands():
    text = json.dumps(record(0))
    inner = text.replace('"requests": 9, "rep', '"requests": 9, "requests": 9, "rep')
    for twice, pointer in ((text[:-1] + ', "index": 0}', ""), (inner, "/facts")):
        with pytest.raises(RecordError) as error:
            read_raw(twice)
        assert error.value.pointer == pointer


def test_everything_that_could_not_be_judged_is_named():
    rows = three(a=("check_error", "check_error"))
    assert scores(rows)["trials"][0]["undecided"] == "check_error: a1, a2"
