"""total drift + a replay of the old run on the new runtime -> surface, model response, noise.

The replay holds the model still: the score that its recorded choices earn on the new runtime, minus
the score they earned on the old one, is the runtime's own doing. What the live run on the new
runtime differs beyond that is the model's answer to the changed surface. Both carry the noise of k
trials, which is told beside them. Per scenario the two parts add up to the total exactly.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, variance
from typing import Any

from clawpro_artifact.comparing.drift import Cell
from clawpro_artifact.errors import InputError


@dataclass(frozen=True)
class Share:
    """One scenario: `total = surface + model`. `departs`: kind and request of the first step that
    the replay did not take as recorded, before the model chose anything (`early`) or later."""

    scenario: str
    total: float
    surface: float
    model: float
    departs: str
    early: bool


@dataclass(frozen=True)
class Attribution:
    """Means over scenarios; `noise` is the standard error that k trials alone put on the total."""

    total: float
    surface: float
    model: float
    noise: float
    early: int
    late: int
    equal: int
    scenarios: tuple[Share, ...]

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self)


def attribute(
    before: Sequence[Cell], after: Sequence[Cell], replay: Mapping[str, Any]
) -> Attribution:
    """`replay`: the document of `clawpro replay BEFORE --runtime ... --json`.

    InputError where it does not cover every trial of `before`, with a score.
    """
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    first: dict[tuple[str, str], tuple[str, bool]] = {}
    for trial in replay["trials"]:
        configuration, scenario, _ = trial["trial"].split("/")
        if trial["live_score"] is None:
            raise InputError("a replayed trial has no score", where=trial["trial"],
                             do="replay the whole bundle")  # fmt: skip
        scores[configuration, scenario].append(float(trial["live_score"]))
        if trial["departures"] and (configuration, scenario) not in first:
            step = trial["departures"][0]
            words = f"{step['kind']} at request {step['position']} of {step['conversation']}"
            first[configuration, scenario] = words, step["position"] == 0
    new = {(c.configuration, c.scenario): c for c in after}
    shares = []
    noise = 0.0
    for cell in before:
        name = (cell.configuration, cell.scenario)
        if len(scores.get(name, ())) != len(cell.scores) or name not in new:
            raise InputError("the replay is not of this run", where=" / ".join(name),
                             expected=f"{len(cell.scores)} replayed trials",
                             found=str(len(scores.get(name, ()))))  # fmt: skip
        old = fmean(cell.scores)
        total, surface = fmean(new[name].scores) - old, fmean(scores[name]) - old
        words, early = first.get(name, ("", False))
        shares.append(Share(cell.scenario, total, surface, total - surface, words, early))
        noise += (_variance(cell.scores) + _variance(new[name].scores)) / len(cell.scores)
    n = len(shares)
    return Attribution(
        total=fmean(s.total for s in shares),
        surface=fmean(s.surface for s in shares),
        model=fmean(s.model for s in shares),
        noise=math.sqrt(noise) / n,
        early=sum(s.early for s in shares),
        late=sum(bool(s.departs) and not s.early for s in shares),
        equal=sum(not s.departs for s in shares),
        scenarios=tuple(shares),
    )


def _variance(scores: Sequence[float]) -> float:
    return variance(scores) if len(scores) > 1 else 0.0
