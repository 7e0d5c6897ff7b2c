"""comparing against the vectors, and 200 random cases each against SciPy itself."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from clawpro_artifact.comparing import paired, spearman
from clawpro_artifact.comparing.correlation import bonett_wright, fisher
from clawpro_artifact.comparing.entries import Figure
from clawpro_artifact.comparing.paired import (
    benjamini_hochberg,
    equivalent,
    holm,
    mcnemar,
    smallest_detectable,
    trials_that_decide,
)
from clawpro_artifact.scoring.passing import pass_at_k, pass_hat_k

VECTORS = json.loads((Path(__file__).parent / "statistics.json").read_text())
CLOSE = 1e-12
CASES = range(200)


def test_rho_and_its_closed_intervals_are_those_of_the_vectors():
    v = VECTORS["spearman"]
    found = spearman(v["x"], v["y"])
    assert found.rho == pytest.approx(v["rho"], abs=CLOSE)
    assert found.p == pytest.approx(v["p_t"], abs=CLOSE)
    assert found.interval == pytest.approx(v["bonett_wright95"], abs=CLOSE)
    assert fisher(v["rho"], 12) == pytest.approx(v["fisher95"], abs=CLOSE)


def test_the_bootstrap_agrees_within_its_monte_carlo_error():
    v = VECTORS["spearman"]
    found = spearman(v["x"], v["y"])
    assert found.bootstrap == pytest.approx(v["boot_percentile95"], abs=0.03)
    assert found.dropped == 0


def test_ties_get_mid_ranks():
    v = VECTORS["spearman"]["ties"]
    assert spearman(v["x"], v["y"]).rho == pytest.approx(v["rho"], abs=CLOSE)


def test_a_constant_column_is_undefined_and_never_0():
    found = spearman([1.0] * 6, [1, 2, 3, 4, 5, 6])
    assert (found.rho, found.alert) == (None, False)
    assert "undefined" in str(found.reason)


def test_the_papers_figure_implies_25_configurations():
    v = VECTORS["paper_spearman"]
    low, high = bonett_wright(v["rho"], round(v["implied_n_bonett_wright"]))
    assert (low, high) == pytest.approx(v["ci"], abs=0.01)
    for n, interval in v["fisher_ci_if_n"].items():
        assert fisher(v["rho"], int(n)) == pytest.approx(interval, abs=CLOSE)


@pytest.mark.parametrize("v", VECTORS["mcnemar"], ids=str)
def test_mcnemar(v):
    found = mcnemar(v["b"], v["c"])
    assert found.p_exact == pytest.approx(v["exact_p"], abs=CLOSE)
    assert found.p_mid == pytest.approx(v["mid_p"], abs=CLOSE)


def test_adjusted_p_values():
    v = VECTORS["multiplicity"]
    assert holm(v["p"]) == pytest.approx(v["holm"], abs=CLOSE)
    assert benjamini_hochberg(v["p"]) == pytest.approx(v["bh"], abs=CLOSE)
    assert holm([]) == benjamini_hochberg([]) == []


def test_the_paired_vector():
    v = VECTORS["paired"]
    found = paired.paired([a - b for a, b in zip(v["a"], v["b"], strict=True)])
    assert (found.mean, found.se, found.p_t) == pytest.approx(
        (v["diff"], v["se"], v["p"]), abs=CLOSE
    )


@pytest.mark.parametrize("v", VECTORS["proportion"], ids=str)
def test_wilson(v):
    low, high = Figure(v["p"], v["n"], count=v["k"]).interval(0.95)
    assert (low, high) == pytest.approx(v["wilson"], abs=CLOSE)


@pytest.mark.parametrize("v", VECTORS["pass_at_k"], ids=str)
def test_pass_at_k(v):
    found = pass_at_k(v["n"], v["c"], v["k"])
    assert found is None if v["v"] is None else float(found) == pytest.approx(v["v"], abs=CLOSE)


@pytest.mark.parametrize("v", VECTORS["pass_hat_k"], ids=str)
def test_pass_hat_k(v):
    found = pass_hat_k(v["n"], v["c"], v["k"])
    assert found is None if v["v"] is None else float(found) == pytest.approx(v["v"], abs=CLOSE)


@pytest.mark.parametrize("v", VECTORS["biased_pass_hat_demo"], ids=str)
def test_the_unbiased_estimator_has_the_true_mean(v):
    p = Decimal(repr(v["p"]))
    chances = [(1 - p) ** 3, 3 * p * (1 - p) ** 2, 3 * p**2 * (1 - p), p**3]
    mean = sum(w * pass_hat_k(3, c, 3) for c, w in enumerate(chances))
    assert float(mean) == pytest.approx(v["true_p3"], abs=CLOSE)


@pytest.mark.parametrize(("n", "drift"), [(36, 0.135), (68, 0.098), (102, 0.080), (170, 0.062)])
def test_the_smallest_drift_that_n_scenarios_show(n, drift):
    assert smallest_detectable(n, 0.125, 3) == pytest.approx(drift, abs=5e-4)


def test_the_trials_that_decide_are_just_enough():
    k = trials_that_decide(102, 0.125, 0.05)
    assert smallest_detectable(102, 0.125, k) <= 0.05 < smallest_detectable(102, 0.125, k - 1)
    assert trials_that_decide(10, 0.125, 0.05, spread=0.2) is None


@pytest.mark.parametrize("seed", CASES)
def test_spearman_is_scipys(seed):
    dice = random.Random(seed)
    n = dice.randint(5, 40)
    x = [dice.randint(0, 9) / 9 for _ in range(n)]
    y = [dice.randint(0, 9) / 9 for _ in range(n)]
    if len(set(x)) == 1 or len(set(y)) == 1:
        pytest.skip("a constant column")
    # By hand from the definition: Pearson over mid-ranks.
    a, b = stats.rankdata(x), stats.rankdata(y)
    assert spearman(x, y).rho == pytest.approx(float(np.corrcoef(a, b)[0, 1]), abs=CLOSE)


@pytest.mark.parametrize("seed", CASES)
def test_wilson_by_its_formula(seed):
    dice = random.Random(seed)
    n = dice.randint(1, 300)
    k = dice.randint(0, n)
    z = stats.norm.ppf(0.975)
    middle = (k + z * z / 2) / (n + z * z)
    reach = z / (n + z * z) * (k * (n - k) / n + z * z / 4) ** 0.5
    low, high = Figure(k / n, n, count=k).interval(0.95)
    want = (0.0 if k == 0 else middle - reach, 1.0 if k == n else middle + reach)
    assert (low, high) == pytest.approx(want, abs=CLOSE)


@pytest.mark.parametrize("seed", CASES)
def test_mcnemar_is_the_binomial_test(seed):
    dice = random.Random(seed)
    lost, won = dice.randint(0, 30), dice.randint(0, 30)
    n = lost + won
    both = sum(
        stats.binom.pmf(i, n, 0.5)
        for i in range(n + 1)
        if stats.binom.pmf(i, n, 0.5) <= stats.binom.pmf(lost, n, 0.5) * (1 + 1e-9)
    )
    assert mcnemar(lost, won).p_exact == pytest.approx(both, abs=1e-11)
    assert mcnemar(lost, won).p_mid <= mcnemar(lost, won).p_exact


@pytest.mark.parametrize("seed", CASES)
def test_t_and_equivalence_are_scipys(seed):
    dice = np.random.default_rng(seed)
    d = dice.normal(0.02, 0.2, dice.integers(3, 60))
    found = paired.paired(list(d))
    assert found.p_t == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=CLOSE)
    low, high = stats.t.interval(0.95, len(d) - 1, d.mean(), stats.sem(d))
    assert found.interval == pytest.approx((low, high), abs=CLOSE)
    # TOST at 5 % says yes exactly where the 90 % interval lies inside the margin.
    inner = stats.t.interval(0.90, len(d) - 1, d.mean(), stats.sem(d))
    inside = max(-inner[0], inner[1]) < 0.05
    assert (equivalent(list(d), 0.05) < 0.05) == inside


@pytest.mark.parametrize("seed", CASES)
def test_holm_and_bh_by_their_definitions(seed):
    dice = random.Random(seed)
    p = [dice.random() ** 2 for _ in range(dice.randint(1, 12))]
    m = len(p)
    for i, value in enumerate(p):
        smaller = [q for q in p if q < value or (q == value)]
        step = max((m - sum(r < q for r in p)) * q for q in smaller)
        assert holm(p)[i] == pytest.approx(min(1.0, step), abs=CLOSE)
        larger = [q for q in p if q >= value]
        up = min(m * q / sum(r <= q for r in p) for q in larger)
        assert benjamini_hochberg(p)[i] == pytest.approx(min(1.0, up), abs=CLOSE)
