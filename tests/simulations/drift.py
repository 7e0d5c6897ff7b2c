"""`nox -s simulate`: what `drift` says over many seeded pairs of runs whose truth is known.

Scenario i passes a trial with chance p_i ~ Beta(1/2, 1/2), which gives the within-scenario variance
0.125 of docs/comparing.md. A true drop multiplies every p_i alike. Claims checked, each on 2,000
replications: the alarm rate where nothing drifted, the power where something did, and how often
"no drift within margin" is said where the true drift is the margin.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from clawpro_artifact.comparing.drift import Cell, drift

K = 3
MARGIN = 0.05
# (scenarios, true drop, low, high) of the share of replications that end in `drift`.
ALARM = [(68, 0.03, 0.06), (102, 0.03, 0.06), (170, 0.03, 0.06)]
# Simulated figures for a drop of 0.068 that the project's reference gives; within 0.03 of them.
POWER = [(68, 0.44), (102, 0.62), (170, 0.84)]
MOST_FALSE = 0.06


def cells(dice: np.random.Generator, p: np.ndarray) -> list[Cell]:
    passed = dice.random((len(p), K)) < p[:, None]
    facts = {"surface": "workspace", "dimension": "planning"}
    return [
        Cell("c", f"s{i}", "full", tuple(map(float, row)), bool(row.all()), facts)
        for i, row in enumerate(passed)
    ]


def verdicts(n: int, drop: float, replications: int, seed: int) -> dict[str, float]:
    """Share of each verdict; `drop` is the true mean fall of the score."""
    counts: dict[str, int] = {}
    for number in range(replications):
        dice = np.random.default_rng([seed, n, int(drop * 1e6), number])
        p = dice.beta(0.5, 0.5, n)
        after = p * (1 - drop / 0.5)
        found = drift(cells(dice, p), cells(dice, after), MARGIN, permutations=0)
        counts[found.verdict] = counts.get(found.verdict, 0) + 1
    return {name: count / replications for name, count in counts.items()}


def main() -> int:
    """Print every figure; exit 1 where one lies outside what is claimed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=20260826)
    given = parser.parse_args()
    good = True
    for n, low, high in ALARM:
        rate = verdicts(n, 0.0, given.replications, given.seed).get("drift", 0.0)
        good &= _say(f"alarm, nothing drifted, {n} x {K}", rate, low, high)
    for n, want in POWER:
        rate = verdicts(n, 0.068, given.replications, given.seed).get("drift", 0.0)
        good &= _say(f"power at 0.068, {n} x {K}", rate, want - 0.03, want + 0.03)
    for n in (102, 170, 340):
        for drop in (MARGIN, 0.07):
            rate = verdicts(n, drop, given.replications,
                            given.seed).get("no drift within margin", 0.0)  # fmt: skip
            good &= _say(f"'no drift within margin' at a drift of {drop}, {n} x {K}", rate, 0.0,
                         MOST_FALSE)  # fmt: skip
    return 0 if good else 1


def _say(what: str, rate: float, low: float, high: float) -> bool:
    inside = low <= rate <= high
    print(f"{'ok ' if inside else 'OUT'} {what}: {rate:.4f} (claimed {low:.3f} to {high:.3f})")
    return inside


if __name__ == "__main__":
    sys.exit(main())
