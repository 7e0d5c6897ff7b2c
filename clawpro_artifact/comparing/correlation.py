"""two columns over the same configurations -> Spearman's rho with its intervals and its alert."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import stats

from clawpro_artifact.comparing.entries import Entry
from clawpro_artifact.errors import InputError

ALERT_BELOW = 0.3
LEAST, STABLE_FROM = 5, 10
RESAMPLES, SEED = 10_000, 20260826


@dataclass(frozen=True)
class Correlation:
    """`rho` is None, with `reason`, where it is not defined or not reported.

    `interval`: Bonett and Wright (2000), deterministic. `bootstrap`: percentile over
    configurations; `dropped` resamples had a constant column. `alert`: rho below 0.3; `supported`:
    its upper bound is below 0.3 too.
    """

    n: int
    rho: float | None
    reason: str | None = None
    p: float | None = None
    interval: tuple[float, float] | None = None
    bootstrap: tuple[float, float] | None = None
    dropped: int = 0
    unstable: bool = False
    alert: bool = False
    supported: bool = False

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self)

    def words(self) -> str:
        """One line for a person."""
        if self.rho is None or self.interval is None:
            return f"rho not reported: {self.reason}"
        text = (
            f"rho = {self.rho:.4f} [{self.interval[0]:.3f}, {self.interval[1]:.3f}], n = {self.n}"
        )
        if self.unstable:
            text += ", unstable (fewer than 10 configurations)"
        if self.alert:
            text += f"; ALERT below {ALERT_BELOW}, "
            text += "supported" if self.supported else "not supported by the interval"
        return text


def spearman(x: Sequence[float], y: Sequence[float], seed: int = SEED) -> Correlation:
    """Mid-ranks for ties. InputError for columns of different length or with a non-number."""
    if len(x) != len(y) or not all(map(math.isfinite, (*x, *y))):
        raise InputError("two columns of numbers of one length are needed",
                         expected=f"{len(x)} finite numbers", found=str(len(y)))  # fmt: skip
    n = len(x)
    if n < LEAST:
        return Correlation(n, None, f"{n} common configurations, at least {LEAST} are needed")
    if len(set(x)) == 1 or len(set(y)) == 1:
        return Correlation(n, None, "a column is constant: undefined")
    found = stats.spearmanr(x, y)
    rho = float(found.statistic)
    interval = bonett_wright(rho, n)
    bootstrap, dropped = _bootstrap(np.asarray(x, float), np.asarray(y, float), seed)
    return Correlation(
        n=n,
        rho=rho,
        p=float(found.pvalue),
        interval=interval,
        bootstrap=bootstrap,
        dropped=dropped,
        unstable=n < STABLE_FROM,
        alert=rho < ALERT_BELOW,
        supported=rho < ALERT_BELOW and interval[1] < ALERT_BELOW,
    )


def bonett_wright(rho: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """tanh(atanh(rho) +- z * sqrt((1 + rho^2/2) / (n - 3))); Psychometrika 65 (2000) 23-28."""
    inner = _inner(rho, n)
    low, high = _around(inner, math.sqrt((1 + inner * inner / 2) / (n - 3)), confidence)
    return min(low, rho), max(high, rho)


def fisher(rho: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """tanh(atanh(rho) +- z / sqrt(n - 3)), as the literature quotes it; for comparison only."""
    return _around(_inner(rho, n), 1 / math.sqrt(n - 3), confidence)


def _around(rho: float, se: float, confidence: float) -> tuple[float, float]:
    reach = float(stats.norm.ppf((1 + confidence) / 2)) * se
    middle = math.atanh(rho)
    return math.tanh(middle - reach), math.tanh(middle + reach)


def _inner(rho: float, n: int) -> float:
    """A perfect rank correlation is no certainty: the next smaller one that n ranks can have."""
    most = 1 - 12 / (n**3 - n)
    return max(-most, min(most, rho))


def _bootstrap(
    x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], seed: int
) -> tuple[tuple[float, float] | None, int]:
    """Percentile interval over resampled configurations; constant resamples are dropped."""
    pick = draws(seed, "spearman", RESAMPLES, len(x))
    a, b = stats.rankdata(x[pick], axis=1), stats.rankdata(y[pick], axis=1)
    a -= a.mean(axis=1, keepdims=True)
    b -= b.mean(axis=1, keepdims=True)
    scale = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    good = scale > 0
    if not good.any():
        return None, RESAMPLES
    rhos = (a * b).sum(axis=1)[good] / scale[good]
    low, high = np.percentile(rhos, [2.5, 97.5])
    return (float(low), float(high)), int((~good).sum())


def draws(seed: int, label: str, resamples: int, n: int) -> np.ndarray[Any, Any]:
    """(resamples, n) indices below n from a counter hash: NumPy's streams hold only per build.

    Row r is SHAKE-256 of `clawpro.resample.v1/{seed}/{label}/{r}`, four bytes (big-endian) an
    index, times n, shifted right by 32; the bias is below n / 2**32.
    """
    rows = b"".join(
        hashlib.shake_256(f"clawpro.resample.v1/{seed}/{label}/{r}".encode()).digest(4 * n)
        for r in range(resamples)
    )
    words = np.frombuffer(rows, dtype=">u4").astype(np.uint64).reshape(resamples, n)
    return (words * np.uint64(n) >> np.uint64(32)).astype(np.int64)


def cross_track(entries: Iterable[Entry], view: str = "mean_trial_score") -> Correlation:
    """Rho between the tracks `full` and `holdout` over the configurations that have both.

    Not reported where the common configurations did other scenarios, or under other conditions.
    """
    by: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        figure = entry.figures.get(view)
        if figure is not None and figure.value is not None:
            by.setdefault(entry.configuration, {})[entry.track] = entry
    both = [v for _, v in sorted(by.items()) if {"full", "holdout"} <= set(v)]
    columns = []
    for track in ("full", "holdout"):
        found = [pair[track] for pair in both]
        if any(e.names != found[0].names or e.signature != found[0].signature for e in found):
            reason = f"the configurations differ in scenarios or conditions on {track}"
            return Correlation(len(both), None, reason)
        columns.append([e.figures[view].value or 0.0 for e in found])
    return spearman(columns[0], columns[1])
