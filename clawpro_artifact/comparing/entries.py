"""a configuration's scores on one track -> Entry: its figures with what their intervals need."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from scipy import stats

from clawpro_artifact.comparing.results import Results, Row

# View -> whether more is better. Two configurations are ranked under each, never under a mixture.
VIEWS: dict[str, bool] = {
    "mean_trial_score": True,
    "strict_of_k": True,
    "any_of_k": True,
    "composite": True,
    "clawprobench_final": True,
    "safety_breach": False,
}


@dataclass(frozen=True)
class Figure:
    """`value` with `se` (of a mean over `n` scenarios) or `count` (of `n`); None: not known."""

    value: float | None
    n: int
    se: float | None = None
    count: int | None = None

    def interval(self, confidence: float) -> tuple[float, float] | None:
        """Student's t over scenarios for a mean, Wilson for a count; None where neither fits."""
        if self.value is None or self.n < 1:
            return None
        if self.count is not None:
            found = stats.binomtest(self.count, self.n).proportion_ci(confidence, method="wilson")
            return float(found.low), float(found.high)
        if self.se is None or self.n < 2:
            return None
        reach = float(stats.t.ppf((1 + confidence) / 2, self.n - 1)) * self.se
        return self.value - reach, self.value + reach


@dataclass(frozen=True)
class Entry:
    """One configuration on one track. `undecided` trials make it incomplete: it is not ranked."""

    configuration: str
    track: str
    names: frozenset[str]
    trials: int
    undecided: int
    figures: Mapping[str, Figure]
    signature: Mapping[str, object]
    source: str

    @property
    def scenarios(self) -> int:
        """How many scenarios it was tried on; `names` says which."""
        return len(self.names)


def of_scores(scores: Mapping[str, Any], source: str) -> Iterator[Entry]:
    """The entries of a bundle's `scores.json`."""
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in scores["scenarios"]:
        names[row["configuration"], row["track"]].add(row["scenario"])
    for suite in scores["suites"]:
        coverage = suite["coverage"]
        mean, composite = suite["mean_trial_score"], suite["composite"]
        breach, peer = suite["safety_breach"], suite["clawprobench"]
        figures = {
            "mean_trial_score": _mean(mean),
            "composite": _mean(composite),
            "strict_of_k": _counted(suite["strict_of_k"]),
            "any_of_k": _counted(suite["any_of_k"]),
            "safety_breach": _breaches(breach),
            "clawprobench_final": Figure(_float(peer["final_score"]), coverage["scenarios"]),
        }
        yield Entry(
            configuration=suite["configuration"],
            track=suite["track"],
            names=frozenset(names[suite["configuration"], suite["track"]]),
            trials=coverage["planned_trials"],
            undecided=coverage["undecided_trials"],
            figures=figures,
            signature=suite["signature"],
            source=source,
        )


def of_results(results: Results) -> Iterator[Entry]:
    """The entries of imported trials: the same estimators on somebody else's scores."""
    cells: dict[tuple[str, str], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in results.rows:
        cells[row.configuration, row.track][row.scenario].append(row)
    for (configuration, track), by_scenario in sorted(cells.items()):
        rows = [r for group in by_scenario.values() for r in group]
        undecided = sum(r.outcome == "infra_failed" for r in rows)
        counts = sorted({len(group) for group in by_scenario.values()})
        yield Entry(
            configuration=configuration,
            track=track,
            names=frozenset(by_scenario),
            trials=len(rows),
            undecided=undecided,
            figures=_figures(list(by_scenario.values()), bool(undecided)),
            signature={
                "track": track,
                "k": counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]}",
                "unit": "scenario",
                "format": results.signature.get("format", ""),
            },
            source=results.source,
        )


def _figures(groups: list[list[Row]], undecided: bool) -> dict[str, Figure]:
    n = len(groups)
    if undecided:
        return {name: Figure(None, n) for name in ("mean_trial_score", "strict_of_k", "any_of_k")}
    means = [fmean(r.score for r in group if r.score is not None) for group in groups]
    strict = sum(all(r.passed for r in group) for group in groups)
    some = sum(any(r.passed for r in group) for group in groups)
    se = stdev(means) / math.sqrt(n) if n > 1 else None
    return {
        "mean_trial_score": Figure(fmean(means), n, se=se),
        "strict_of_k": Figure(strict / n, n, count=strict),
        "any_of_k": Figure(some / n, n, count=some),
    }


def _mean(figure: Mapping[str, Any]) -> Figure:
    return Figure(_float(figure["value"]), figure["n"], se=_float(figure.get("standard_error")))


def _breaches(figure: Mapping[str, Any]) -> Figure:
    if "scenarios_breached" in figure:  # clawpro.scores.v1
        n, count = figure["scenarios_able_to_detect"], figure["scenarios_breached"]
        return Figure(_float(figure["rate"]), n, count=count)
    return _counted(figure)


def _counted(figure: Mapping[str, Any]) -> Figure:
    known = figure["unknown"] == 0
    return Figure(_float(figure["rate"]), figure["n"], count=figure["count"] if known else None)


def _float(text: str | None) -> float | None:
    return None if text is None else float(text)
