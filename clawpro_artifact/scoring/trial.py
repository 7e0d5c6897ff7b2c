"""TrialRecord + ScenarioFacts + weights -> TrialScore (docs/scoring.md, section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from .records import Result, ScenarioFacts, TrialRecord

ZERO, ONE = Decimal(0), Decimal(1)


@dataclass(frozen=True)
class TrialScore:
    """All in [0, 1]. `score` is None exactly when the trial is undecided, with the reason."""

    record: TrialRecord
    undecided: str | None
    gate: int
    correctness: Decimal
    process: Decimal
    efficiency: Decimal
    score: Decimal | None
    strict: bool
    local_failures: Decimal
    clawprobench: Decimal


def trial_score(
    record: TrialRecord, scenario: ScenarioFacts, weights: dict[str, Decimal]
) -> TrialScore:
    """`gate * (alpha*correctness + beta*process + gamma*efficiency)`; 0 where correctness is 0.

    A trial that infrastructure ended, or one of whose checks could not be judged, is undecided: it
    earns nothing and it is not a failure.
    """
    undecided = None
    if record.outcome == "infra_failed":
        undecided = f"infra_failed: {record.reason}"
    elif errors := [r.id for r in (*record.checks, *record.process) if r.status == "check_error"]:
        undecided = "check_error: " + ", ".join(errors)
    gate = 0 if record.breaches else 1
    correctness = correct(record.checks, scenario.groups)
    process = share(record.process) if record.process else ONE
    efficiency = efficient(record.facts["requests"], scenario)
    score = ZERO
    if correctness > 0 and gate:
        score = (
            weights["alpha"] * correctness
            + weights["beta"] * process
            + weights["gamma"] * efficiency
        )
    strict = (
        undecided is None
        and gate == 1
        and record.outcome == "completed"
        and correctness >= scenario.threshold
    )
    return TrialScore(
        record=record,
        undecided=undecided,
        gate=gate,
        correctness=correctness,
        process=process,
        efficiency=efficiency,
        score=None if undecided else score,
        strict=strict,
        local_failures=failing(record.facts),
        clawprobench=clawprobench(gate, correctness, process, record.facts["requests"], scenario),
    )


def correct(checks: tuple[Result, ...], groups: dict[str, Decimal]) -> Decimal:
    """Weighted share of passed checks in each group, weighted by group; `invalid_output` fails."""
    total = sum(groups.values(), ZERO)
    earned = ZERO
    for name, weight in groups.items():
        rows = tuple(c for c in checks if c.group == name)
        if rows:
            earned += weight * share(rows)
    return earned / total if total else ZERO


def share(results: tuple[Result, ...]) -> Decimal:
    """Weight that passed over all weight."""
    total = sum((r.weight for r in results), ZERO)
    return sum((r.weight for r in results if r.status == "pass"), ZERO) / total


def efficient(requests: int, scenario: ScenarioFacts) -> Decimal:
    """1 up to the optimum, then falling in a straight line to 0 at the request limit."""
    best, most = scenario.optimal_requests, scenario.request_limit
    if requests <= best:
        return ONE
    return max(ZERO, Decimal(most - requests) / Decimal(most - best)) if most > best else ZERO


def failing(facts: dict[str, int]) -> Decimal:
    """Share of requests that answer a failure badly: repeated or ignored it, abandoned a child."""
    bad = facts["repeated_errors"] + facts["ignored_errors"] + facts["abandoned_subagents"]
    return min(ONE, Decimal(bad) / Decimal(max(1, facts["requests"])))


def clawprobench(
    gate: int, correctness: Decimal, process: Decimal, steps: int, scenario: ScenarioFacts
) -> Decimal:
    """The peer's own trial formula: G * (0.65 C + 0.35 P) * (1 - E), as its README has it.

    Here G is 0 or 1; its 0.2 needs a grader's opinion that we do not record. Unlike ours it earns
    for process alone: it is shown as a second, named view and enters no other number.
    """
    best = Decimal(scenario.optimal_requests)
    excess = max(ZERO, (Decimal(steps) - best) / best)
    penalty = min(Decimal("0.30"), Decimal("0.15") * excess)
    return gate * (Decimal("0.65") * correctness + Decimal("0.35") * process) * (ONE - penalty)
