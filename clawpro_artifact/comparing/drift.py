"""two runs of the same scenarios -> what the difference is, how sure, and what would decide it.

`drift | no drift within margin | undecided`, never silence. Each track is tested for itself (paired
t on scenario means), Holm over the tracks; surfaces and dimensions are exploration
(Benjamini-Hochberg). Not significant is not the same: equivalence is a test of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, variance
from typing import Any, Literal

from clawpro_artifact.comparing.paired import (
    ALPHA,
    PERMUTATIONS,
    Flips,
    Paired,
    benjamini_hochberg,
    equivalent,
    holm,
    mcnemar,
    paired,
    smallest_detectable,
    trials_that_decide,
)
from clawpro_artifact.errors import InputError
from clawpro_artifact.model.gate import Gate

Verdict = Literal["drift", "no drift within margin", "undecided"]


@dataclass(frozen=True)
class Cell:
    """One scenario of one run: its trials' scores, and its strict pass. `facts` group it."""

    configuration: str
    scenario: str
    track: str
    scores: tuple[float, ...]
    strict: bool
    facts: Mapping[str, str]


@dataclass(frozen=True)
class _Settings:
    margin: float
    k: int
    permutations: int


@dataclass(frozen=True)
class Part:
    """One family member: a track, surface or dimension. `adjusted`: Holm or BH over its family."""

    name: str
    test: Paired
    adjusted: float | None
    p_equivalent: float | None
    flips: Flips
    detectable: float
    decisive_k: int | None
    verdict: Verdict


@dataclass(frozen=True)
class Flip:
    """A scenario whose strict pass changed, with the traces to look at on both sides."""

    scenario: str
    lost: bool
    before: str
    after: str


@dataclass(frozen=True)
class Drift:
    """The whole answer. `verdict`: drift where any track drifts, no drift where all are shown to
    lie within the margin, else undecided."""

    margin: float
    k: int
    tracks: tuple[Part, ...]
    surfaces: tuple[Part, ...]
    dimensions: tuple[Part, ...]
    flips: tuple[Flip, ...]
    verdict: Verdict

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {"format": "clawpro.drift.v1", **asdict(self)}


def drift(
    before: Sequence[Cell], after: Sequence[Cell], margin: float, permutations: int = PERMUTATIONS
) -> Drift:
    """Compare two runs, paired by (configuration, scenario).

    InputError where the two do not hold the same cells with the same number of trials.
    """
    pairs = _pairs(before, after)
    k = len(pairs[0][0].scores)
    full = [(a, b) for a, b in pairs if a.track == "full"]
    settings = _Settings(margin, k, permutations)
    tracks = _parts(pairs, lambda c: c.track, settings, holm)
    surfaces = _parts(full, lambda c: c.facts["surface"], settings, benjamini_hochberg)
    dimensions = _parts(pairs, lambda c: c.facts["dimension"], settings, benjamini_hochberg)
    flips = tuple(
        Flip(a.scenario, a.strict, _trace(a), _trace(b)) for a, b in pairs if a.strict != b.strict
    )
    said = {p.verdict for p in tracks}
    verdict: Verdict = "undecided"
    if "drift" in said:
        verdict = "drift"
    elif said == {"no drift within margin"}:
        verdict = "no drift within margin"
    return Drift(margin, k, tracks, surfaces, dimensions, flips, verdict)


def gate(found: Drift, policy: Gate) -> list[str]:
    """Why a runtime version is not taken; empty if the gate is open."""
    rows = []
    if found.verdict == "undecided" and policy.undecided == "fail":
        rows.append("the drift is undecided")
    if found.verdict == "drift" and not policy.most_lost:
        rows.append("there is drift")
    for part in found.tracks:
        for view, most in policy.most_lost.items():
            lost = -part.test.mean
            if view == "strict_of_k":
                lost = (part.flips.lost - part.flips.won) / part.test.n
            if lost > float(most):
                rows.append(f"{part.name}: {view} fell by {lost:.4f}, at most {most} may be lost")
    rows += [
        f"{flip.scenario} is no longer passed strictly"
        for flip in found.flips
        if flip.lost and policy.allowed and flip.scenario not in policy.allowed
    ]
    return rows


def _pairs(before: Sequence[Cell], after: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    one = {(c.configuration, c.scenario): c for c in before}
    other = {(c.configuration, c.scenario): c for c in after}
    odd = sorted(set(one) ^ set(other))
    if odd or not one:
        raise InputError(
            "the two runs do not hold the same scenarios",
            expected=f"{len(one)} pairs of configuration and scenario on both sides",
            found=f"{len(odd)} on one side only, first {' / '.join(odd[0])}" if odd else "none",
        )
    sizes = {len(c.scores) for c in (*one.values(), *other.values())}
    if len(sizes) != 1:
        raise InputError("the numbers of trials differ", found=", ".join(map(str, sorted(sizes))))
    return [(one[name], other[name]) for name in sorted(one)]


def _parts(
    pairs: Sequence[tuple[Cell, Cell]],
    name_of: Callable[[Cell], str],
    settings: _Settings,
    adjust: Callable[[Sequence[float]], list[float]],
) -> tuple[Part, ...]:
    groups: dict[str, list[tuple[Cell, Cell]]] = defaultdict(list)
    for pair in pairs:
        groups[name_of(pair[0])].append(pair)
    tests = {
        name: paired(_differences(rows), settings.permutations)
        for name, rows in sorted(groups.items())
    }
    p = {name: _p(test) for name, test in tests.items()}
    known = [name for name in tests if p[name] is not None]
    adjusted = dict(zip(known, adjust([v for n in known if (v := p[n]) is not None]), strict=True))
    return tuple(
        _part(name, groups[name], test, adjusted.get(name), settings)
        for name, test in tests.items()
    )


def _part(
    name: str,
    rows: Sequence[tuple[Cell, Cell]],
    test: Paired,
    adjusted: float | None,
    settings: _Settings,
) -> Part:
    margin, k = settings.margin, settings.k
    p_equivalent = equivalent(_differences(rows), margin)
    within = fmean(_variance(c.scores) for pair in rows for c in pair)
    # What is left of the spread of d once the trials' own noise is taken away.
    spread = max(0.0, (test.sd or 0.0) ** 2 - 2 * within / k)
    verdict: Verdict = "undecided"
    if adjusted is not None and adjusted < ALPHA:
        verdict = "drift"
    elif p_equivalent is not None and p_equivalent < ALPHA:
        verdict = "no drift within margin"
    return Part(
        name=name,
        test=test,
        adjusted=adjusted,
        p_equivalent=p_equivalent,
        flips=mcnemar(
            sum(a.strict and not b.strict for a, b in rows),
            sum(b.strict and not a.strict for a, b in rows),
        ),
        detectable=smallest_detectable(len(rows), within, k, spread),
        decisive_k=trials_that_decide(len(rows), within, margin, spread),
        verdict=verdict,
    )


def _p(test: Paired) -> float | None:
    """t, or the sign test where all differences are equal and t is not defined."""
    return test.p_permutation if test.p_t is None else test.p_t


def _differences(rows: Sequence[tuple[Cell, Cell]]) -> list[float]:
    return [fmean(b.scores) - fmean(a.scores) for a, b in rows]


def _variance(scores: Sequence[float]) -> float:
    return variance(scores) if len(scores) > 1 else 0.0


def _trace(cell: Cell) -> str:
    return f"data/traces/{cell.configuration}/{cell.scenario}/"


def cells(
    scores: Mapping[str, Any],
    facts: Mapping[str, Mapping[str, Any]],
    renamed: Mapping[str, str] | None = None,
) -> list[Cell]:
    """The cells of a bundle's `scores.json`; `facts`: scenario id -> its line of scenarios.jsonl.

    `renamed`: configuration id -> the id it is compared under. InputError where a trial is
    undecided: a score that is missing is neither lost nor kept.
    """
    by: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in scores["trials"]:
        configuration, scenario, _ = row["trial"].split("/")
        if row["score"] is None:
            raise InputError(
                "a trial is undecided: this run cannot be compared",
                where=row["trial"],
                found=str(row["undecided"]),
            )
        by[configuration, scenario].append(float(row["score"]))
    strict = {(s["configuration"], s["scenario"]): bool(s["strict"]) for s in scores["scenarios"]}
    return [
        Cell(
            configuration=(renamed or {}).get(name[0], name[0]),
            scenario=name[1],
            track=str(facts[name[1]]["track"]),
            scores=tuple(values),
            strict=strict[name],
            facts={k: str(facts[name[1]][k]) for k in ("surface", "dimension")},
        )
        for name, values in by.items()
    ]
