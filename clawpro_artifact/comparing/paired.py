"""differences per scenario between two runs -> tests, equivalence, and what n could have shown.

The unit is the scenario: `d[i]` is the mean of B's trials minus the mean of A's on scenario i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from clawpro_artifact.errors import InputError

ALPHA, POWER = 0.05, 0.80
PERMUTATIONS, SEED = 9999, 20260826


@dataclass(frozen=True)
class Paired:
    """Mean difference with its t interval; `p_t` and `p_permutation` are two-sided.

    None where fewer than two scenarios, or differences that are all equal, leave nothing to test.
    """

    n: int
    mean: float
    sd: float | None
    se: float | None
    interval: tuple[float, float] | None
    p_t: float | None
    p_permutation: float | None
    smallest_detectable: float | None


@dataclass(frozen=True)
class Flips:
    """Strict passes: `lost` of A that B did not make, `won` the other way (exact McNemar)."""

    lost: int
    won: int
    p_exact: float
    p_mid: float


def paired(differences: Sequence[float], permutations: int = PERMUTATIONS) -> Paired:
    """Paired t and sign-flip permutation (none for 0 of them).

    InputError for no scenario or a non-number.
    """
    if not differences or not all(map(math.isfinite, differences)):
        raise InputError("finite differences of at least one scenario are needed",
                         found=f"{len(differences)} values")  # fmt: skip
    d = np.asarray(differences, float)
    n, mean = len(d), float(d.mean())
    if n < 2:
        return Paired(n, mean, None, None, None, None, None, None)
    sd = float(d.std(ddof=1))
    se = sd / math.sqrt(n)
    if sd == 0:
        # No spread: t is undefined. All equal to 0 is no difference; else the sign test is exact.
        p = 1.0 if mean == 0 else 2.0 * 0.5**n
        return Paired(n, mean, sd, se, (mean, mean), None, min(1.0, p), 0.0)
    reach = float(stats.t.ppf(1 - ALPHA / 2, n - 1)) * se
    return Paired(
        n=n,
        mean=mean,
        sd=sd,
        se=se,
        interval=(mean - reach, mean + reach),
        p_t=float(stats.ttest_1samp(d, 0.0).pvalue),
        p_permutation=_sign_flips(d, permutations) if permutations else None,
        smallest_detectable=_both_tails() * se,
    )


def _sign_flips(d: np.ndarray[Any, Any], permutations: int) -> float:
    found = stats.permutation_test(
        (d,),
        lambda x, axis: np.mean(x, axis=axis),
        permutation_type="samples",
        n_resamples=permutations,
        vectorized=True,
        rng=np.random.default_rng(SEED),
    )
    return float(found.pvalue)


def mcnemar(lost: int, won: int) -> Flips:
    """Exact two-sided p, and mid-p, which is less conservative (Fagerland et al. 2013)."""
    n, least = lost + won, min(lost, won)
    if n == 0:
        return Flips(lost, won, 1.0, 1.0)
    exact = float(stats.binomtest(least, n, 0.5).pvalue)
    point = float(stats.binom.pmf(least, n, 0.5))
    # Equal counts are the middle of the distribution: both tails meet in one point.
    mid = 1 - point / 2 if lost == won else exact - point
    return Flips(lost, won, exact, mid)


def equivalent(differences: Sequence[float], margin: float) -> float | None:
    """TOST: p of "the true mean difference lies outside +-margin"; None with no spread to judge.

    Schuirmann (1987): the larger of two one-sided t tests.
    """
    if not margin > 0:
        raise InputError("an equivalence margin is above 0", found=str(margin))
    d = np.asarray(differences, float)
    if len(d) < 2:
        return None
    if float(d.std(ddof=1)) == 0:
        return 0.0 if abs(float(d.mean())) < margin else 1.0
    above = stats.ttest_1samp(d, -margin, alternative="greater").pvalue
    below = stats.ttest_1samp(d, margin, alternative="less").pvalue
    return float(max(above, below))


def smallest_detectable(n: int, within_variance: float, k: int, spread: float = 0.0) -> float:
    """Drift found with 80 % power at alpha 0.05 by n scenarios of k trials on each side.

    `within_variance`: of trials around their scenario's mean; `spread`: variance between scenarios
    of the true drift.
    """
    return _both_tails() * math.sqrt((spread + 2 * within_variance / k) / n)


def trials_that_decide(
    n: int, within_variance: float, drift: float, spread: float = 0.0
) -> int | None:
    """Smallest k at which n scenarios find `drift`; None where no k does (too few scenarios)."""
    room = n * (drift / _both_tails()) ** 2 - spread
    if room <= 0:
        return None
    return max(1, math.ceil(2 * within_variance / room))


def holm(p: Sequence[float]) -> list[float]:
    """Holm (1979) step-down adjusted p values, in the order given."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted = [0.0] * len(p)
    running = 0.0
    for position, i in enumerate(order):
        running = max(running, min(1.0, (len(p) - position) * p[i]))
        adjusted[i] = running
    return adjusted


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg (1995) adjusted p values, in the order given."""
    return [float(v) for v in stats.false_discovery_control(list(p))] if p else []


def _both_tails() -> float:
    return float(stats.norm.ppf(1 - ALPHA / 2) + stats.norm.ppf(POWER))
