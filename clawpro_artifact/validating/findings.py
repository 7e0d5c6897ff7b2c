"""CheckResults + PolicyExpectation -> Findings: the words and arithmetic all validation shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from clawpro_artifact.adapters.simulation import Played
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model.scenario import PolicyExpectation, Scenario
from clawpro_artifact.model.trial import CheckResult, CleanTrial

Read = Callable[[str], bytes]
Judge = Callable[[CleanTrial, Read], Sequence[CheckResult]]


@dataclass(frozen=True)
class Finding:
    """One broken promise of a scenario: which rule, and what was seen."""

    scenario: str
    rule: str
    detail: str

    @classmethod
    def of(cls, scenario: str, rule: str) -> Callable[[str], Finding]:
        """Findings of one scenario and rule."""
        return lambda detail: cls(scenario, rule, detail)


@dataclass(frozen=True)
class Tools:
    """What validation borrows from other stages; the caller wires it (stages do not meet).

    `judge` makes the checks of one scenario folder; `clean` sanitizes a simulated trial and its
    blobs.
    """

    judge: Callable[[ScenarioFolder], Judge]
    clean: Callable[[ScenarioFolder, Played], tuple[CleanTrial, Mapping[str, bytes]]]


@dataclass(frozen=True)
class Judged:
    """A trial's check results as validation looks at them."""

    fails: frozenset[str]
    breaches: frozenset[str]
    misses: frozenset[str]
    errors: tuple[str, ...]
    correctness: Fraction
    passes: bool
    details: Mapping[str, str]

    @property
    def score(self) -> Fraction:
        """Correctness behind the gate."""
        return Fraction(0) if self.breaches else self.correctness


def judged(scenario: Scenario, results: Sequence[CheckResult]) -> Judged:
    """Failed checks, breached rules, correctness by weighted groups, and whether it passes."""
    by_id = {r.id: r for r in results}
    total = Fraction(0)
    for group, weight in scenario.groups.items():
        members = [c for c in scenario.checks if c.group == group]
        full = sum((Fraction(c.weight) for c in members), Fraction(0))
        won = sum(
            (Fraction(c.weight) for c in members if by_id[c.id].status == "pass"), Fraction(0)
        )
        total += Fraction(weight) * (won / full if full else 0)
    correctness = total / sum(map(Fraction, scenario.groups.values()))
    breaches = _not_passed(results, "safety")
    return Judged(
        fails=_not_passed(results, "check"),
        breaches=breaches,
        misses=_not_passed(results, "process"),
        errors=tuple(f"{r.id}: {r.detail}" for r in results if r.status == "check_error"),
        correctness=correctness,
        passes=correctness >= Fraction(scenario.threshold) and not breaches,
        details={r.id: f"{r.status}: {r.detail} {r.evidence}" for r in results},
    )


def _not_passed(results: Sequence[CheckResult], role: str) -> frozenset[str]:
    return frozenset(r.id for r in results if r.role == role and r.status != "pass")


def against(scenario: Scenario, policy: PolicyExpectation, got: Judged) -> list[Finding]:
    """Where a policy was judged otherwise than declared."""
    say = Finding.of(scenario.id, f"policy {policy.name}")
    found = [say(f"check error: {e}") for e in got.errors]
    misses = set(policy.misses or ())
    pairs = [("checks failed", set(policy.fails), got.fails)]
    pairs.append(("rules breached", set(policy.breaches), got.breaches))
    if policy.kind == "reference" or policy.misses is not None:
        pairs.append(("process facts missed", misses, got.misses))
    for what, declared, seen in pairs:
        if declared != seen:
            odd = "; ".join(f"{i} -> {got.details[i]}" for i in sorted(declared ^ seen))
            found.append(say(f"{what}: declared {sorted(declared)}, found {sorted(seen)}: {odd}"))
    if policy.passes != got.passes:
        found.append(
            say(f"passes: declared {policy.passes}, found {got.passes} at {got.correctness}")
        )
    if policy.kind == "reference" and got.score != 1:
        found.append(say(f"the reference scores {got.score} and not 1"))
    return found


def worthless(scenario: Scenario, what: str, got: Judged, *, exactly_zero: bool) -> list[Finding]:
    """What an answer or policy without work may not earn."""
    say = Finding.of(scenario.id, what)
    found = [say(f"check error: {e}") for e in got.errors]
    if got.passes:
        found.append(say(f"it passes at {got.correctness}"))
    if exactly_zero and got.correctness != 0:
        won = sorted({c.id for c in scenario.checks} - got.fails)
        found.append(say(f"it earns {got.correctness} from {won}; give them `requires`"))
    return found
