"""`clawpro score|import-results` and the cost view: bounds, dates, and what is not known."""

from __future__ import annotations

import json
import shutil

import pytest

from clawpro_artifact.cli import main
from clawpro_artifact.comparing.costs import PriceTable, read_prices, spending
from clawpro_artifact.errors import InputError
from tests import bundles
from tests.unit.test_cli import checkout  # noqa: F401

PRICES = PriceTable.model_validate({
    "format": "clawpro.prices.v1", "currency": "USD", "date": "2026-12-01", "source": "by hand",
    "models": {"m": {"input": "2.50", "cached_input": "0.25", "output": "10"},
               "half": {"input": "2.50"}, "plain": {"input": "1", "output": "2"}},
})  # fmt: skip


def row(index=0, outcome="completed", ms=1000, **usage):
    given = {"input_tokens": 1000, "cached_input_tokens": 400, "output_tokens": 200} | usage
    return {"configuration": "c", "scenario": "s", "index": index, "outcome": outcome,
            "usage": given, "duration_ms": ms}  # fmt: skip


def spent(rows, model="m", prices=PRICES):
    (found,) = spending(rows, {"s": "full"}, {"c": model}, prices)
    return found


def test_a_cost_is_as_by_hand_and_dated():
    """600 * 2.50 + 400 * 0.25 + 200 * 10 = 3,600 per million: 0.0036; three of them 0.0108."""
    cost = spent([row(0), row(1), row(2)])["cost"]
    assert (cost["total"], cost["per_trial"]) == ("0.010800", "0.003600")
    assert (cost["currency"], cost["date"], cost["source"]) == ("USD", "2026-12-01", "by hand")
    assert cost["table"].startswith("sha256:")


@pytest.mark.parametrize(
    ("rows", "model", "prices", "words"),
    [
        ([row()], "m", None, "no price table"),
        ([row()], "unknown", PRICES, "no price of unknown"),
        ([row()], "half", PRICES, "no price of half"),
        ([row()], "plain", PRICES, "no price of cached input of plain"),
        ([row(0), row(1, output_tokens=None)], "m", PRICES, "c/s/1 reported no tokens"),
    ],
)
def test_an_unknown_price_or_count_is_none_with_its_reason(rows, model, prices, words):
    cost = spent(rows, model, prices)["cost"]
    assert cost["total"] is None
    assert words in cost["reason"]


def test_uncached_input_is_said_when_nothing_was_reported():
    cost = spent([row(cached_input_tokens=None)], "plain")["cost"]
    assert cost["total"] == "0.001400"
    assert "priced as uncached" in cost["reason"]


def test_tokens_are_summed_by_class_and_none_where_one_is_missing():
    tokens = spent([row(0), row(1, output_tokens=None)])["tokens"]
    assert tokens["input_tokens"] == {"total": 2000, "reported": 2}
    assert tokens["output_tokens"] == {"total": None, "reported": 1}
    assert tokens["reasoning_tokens"] == {"total": None, "reported": 0}


def test_latency_is_of_decided_trials_alone():
    rows = [row(i, ms=ms) for i, ms in enumerate([1000, 2000, 9000])]
    rows.append(row(3, outcome="infra_failed", ms=1))
    assert spent(rows)["latency"] == {
        "n": 3, "median_ms": 2000, "p95_ms": 9000, "total_ms": 12000,
    }  # fmt: skip


def test_a_price_that_is_a_float_is_refused_with_its_pointer(tmp_path):
    table = PRICES.model_dump(mode="json")
    table["models"]["m"]["input"] = 2.5
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(table))
    with pytest.raises(InputError, match="/models/m/input"):
        read_prices(path)


def test_a_bundle_is_scored_with_its_views_cost_and_weights(tmp_path, capsys):
    bundles.sign(bundles.files(tmp_path / "definitions"), tmp_path / "bundle")
    (tmp_path / "key.pem").write_bytes(bundles.ALICE.public.pem)
    words = ["score", str(tmp_path / "bundle"), "--key", str(tmp_path / "key.pem")]
    assert main(words) == 0
    out = capsys.readouterr().out
    for text in ("mean_trial_score", "strict_of_k", "pass@1 from 3 trials", "FinalScore",
                 "weights: alpha", "cost unknown (no price table was given)"):  # fmt: skip
        assert text in out
    assert main([*words, "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert {s["configuration"] for s in value["spending"]} == {
        "claw-reference", "direct-reference",
    }  # fmt: skip
    assert value["undecided"] == 0


def test_a_bundle_that_nobody_vouches_for_is_not_scored(tmp_path):
    bundles.sign(bundles.files(tmp_path / "definitions"), tmp_path / "bundle")
    (tmp_path / "key.pem").write_bytes(bundles.EVE.public.pem)
    assert main(["score", str(tmp_path / "bundle"), "--key", str(tmp_path / "key.pem")]) == 8


def test_a_run_is_scored_by_its_name_as_the_release_scored_it(checkout, capsys):  # noqa: F811
    assert main(["release", "--json"]) == 0
    suites = json.loads(capsys.readouterr().out)["suites"]
    (run,) = (checkout / ".clawpro" / "runs").iterdir()
    assert main(["score", run.name[:6], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["suites"] == suites


def test_an_unfinished_run_shows_bounds_and_is_exit_six(checkout, capsys):  # noqa: F811
    assert main(["release", "--json"]) == 0
    (run,) = (checkout / ".clawpro" / "runs").iterdir()
    (one,) = sorted((run / "trials").glob("*/*/0"))[:1]
    shutil.rmtree(one)
    capsys.readouterr()
    assert main(["score", run.name]) == 6
    out, err = capsys.readouterr()
    assert "mean_trial_score   between" in out
    assert "no attempt has finished" in err


def test_a_run_whose_scenario_has_changed_is_exit_four(checkout, capsys):  # noqa: F811
    assert main(["release", "--json"]) == 0
    (run,) = (checkout / ".clawpro" / "runs").iterdir()
    prompt = next((checkout / "scenarios").glob("holdout/*/prompt.md"))
    prompt.write_text(prompt.read_text() + "\nmore\n")
    assert main(["score", run.name]) == 4


@pytest.mark.parametrize("name", ["0123", "../.."])
def test_a_run_that_is_not_there_is_exit_three(name, checkout, capsys):  # noqa: F811
    (checkout / ".clawpro" / "runs").mkdir(parents=True)
    assert main(["score", name]) == (3 if name == "0123" else 2)


def test_imported_results_are_shown_with_their_source(tmp_path, capsys):
    table = tmp_path / "results.csv"
    lines = ["configuration,scenario,trial,score,passed,outcome"]
    lines += [f"c,s{s},{i},{0.5},true,completed" for s in range(2) for i in range(3)]
    table.write_text("\n".join(lines) + "\n")
    assert main(["import-results", str(table), "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    (entry,) = value["entries"]
    assert entry["figures"]["mean_trial_score"]["value"] == 0.5
    assert entry["figures"]["strict_of_k"]["count"] == 2
    assert entry["signature"] == {"track": "full", "k": 3, "unit": "scenario", "format": "csv"}
    assert len(value["rows"]) == 6


@pytest.mark.parametrize("score", ["NaN", "1.7", "nan", "-0.1", "null"])
def test_an_imported_score_that_is_none_is_exit_three_with_its_pointer(score, tmp_path, capsys):
    rows = [f'{{"configuration":"c","scenario":"s","trial":{i},"score":{score},"passed":true,'
            '"outcome":"completed"}' for i in range(3)]  # fmt: skip
    path = tmp_path / "results.jsonl"
    path.write_text("\n".join(rows).replace(":nan", ':"nan"'))
    assert main(["import-results", str(path)]) == 3
    assert "#/score" in capsys.readouterr().err
