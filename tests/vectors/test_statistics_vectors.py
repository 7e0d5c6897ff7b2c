"""scoring.statistics and scoring.passing against other people's answers.

`statistics.json` was computed with SciPy 1.17.1 and NumPy 2.4.6 by the project's reference (copied
from its shared folder); Wilson intervals are compared with SciPy's own here.
"""

from __future__ import annotations

import json
import random
from decimal import Decimal, localcontext
from pathlib import Path

import pytest
from scipy.stats import binomtest

from clawpro_artifact.scoring.passing import pass_at_k, pass_hat_k
from clawpro_artifact.scoring.statistics import CONTEXT, mean, standard_error, student, wilson

VECTORS = json.loads((Path(__file__).parent / "statistics.json").read_text())


@pytest.mark.parametrize("name", ["pass_at_k", "pass_hat_k"])
def test_estimators_equal_the_vectors(name):
    function = {"pass_at_k": pass_at_k, "pass_hat_k": pass_hat_k}[name]
    for row in VECTORS[name]:
        found = function(row["n"], row["c"], row["k"])
        if row["v"] is None:
            assert found is None
        else:
            assert float(found) == pytest.approx(row["v"], abs=1e-12)


def test_wilson_equals_scipy_in_200_random_cases():
    chance = random.Random(1)
    with localcontext(CONTEXT):
        for _ in range(200):
            n = chance.randint(1, 500)
            count = chance.randint(0, n)
            low, high = wilson(count, n)
            expected = binomtest(count, n).proportion_ci(0.95, method="wilson")
            assert float(low) == pytest.approx(expected.low, abs=1e-12)
            assert float(high) == pytest.approx(expected.high, abs=1e-12)


def test_the_standard_error_equals_numpys():
    import numpy as np

    chance = random.Random(2)
    with localcontext(CONTEXT):
        for _ in range(50):
            values = [Decimal(chance.randint(0, 1000)) / 1000 for _ in range(chance.randint(2, 90))]
            floats = np.array([float(v) for v in values])
            expected = floats.std(ddof=1) / np.sqrt(len(floats))
            assert float(standard_error(values)) == pytest.approx(expected, abs=1e-12)
            assert float(mean(values)) == pytest.approx(floats.mean(), abs=1e-12)


def test_the_error_of_scenario_means_and_its_interval_are_those_of_the_vectors():
    """Six scenarios of three trials; treating trials as independent would give 0.1182."""
    given = VECTORS["se"]
    with localcontext(CONTEXT):
        means = [mean([Decimal(int(v)) for v in row]) for row in given["scores"]]
        assert float(mean(means)) == pytest.approx(given["mean"], abs=1e-12)
        error = float(standard_error(means))
        assert error == pytest.approx(given["se_task_means_ddof1"], abs=1e-12)
        low, high = student(means, 0)
        assert float(low) == pytest.approx(given["t_ci95"][0], abs=1e-12)
        # The vector goes on to 1.02; a mean of scores cannot.
        assert (high, given["t_ci95"][1] > 1) == (1, True)
