"""a verified bundle -> its check results made again from the evidence, and where they differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from clawpro_artifact.formats.shipped import Shipped
from clawpro_artifact.model.scenario import Scenario
from clawpro_artifact.model.trial import CheckResult, CleanTrial

# Checks live in another stage: the caller passes them in.
Grade = Callable[[Scenario, CleanTrial, Callable[[str], bytes]], Sequence[CheckResult]]


@dataclass(frozen=True)
class Difference:
    """A check whose result is another now; None: there is none."""

    trial: str
    check: str
    shipped: str | None
    now: str | None


@dataclass(frozen=True)
class Regrade:
    """`same_code`: the checking code here is the one of the lock; only then must nothing differ."""

    trials: int
    checks: int
    same_code: bool
    differences: tuple[Difference, ...]

    @property
    def exit_code(self) -> int:
        """0 if nothing differs, else 1."""
        return 1 if self.differences else 0

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "format": "clawpro.regrade.v1",
            "trials": self.trials,
            "checks": self.checks,
            "same_code": self.same_code,
            "differences": [
                {"trial": d.trial, "check": d.check, "shipped": d.shipped, "now": d.now}
                for d in self.differences
            ],
        }


def regrade(shipped: Shipped, grade: Grade, installed_checking: str) -> Regrade:
    """Runs `grade` on the shipped evidence of every trial that was graded.

    `installed_checking`: tree digest of the checking code that `grade` is. A difference of detail
    or evidence counts, not only one of status. InputError for an unreadable bundle.
    """
    plan, recorded = shipped.plan(), shipped.checks()
    scenarios: dict[str, Scenario] = {}
    differences: list[Difference] = []
    trials = checks = 0
    for spec in plan.trials:
        old = {r.id: r for r in recorded[spec.id]}
        if not old:
            continue  # never graded: infra_failed
        if spec.scenario not in scenarios:
            scenarios[spec.scenario] = shipped.scenario(spec.scenario)
        trial = shipped.trial(spec)
        new = {r.id: r for r in grade(scenarios[spec.scenario], trial, shipped.blob)}
        trials += 1
        checks += len(new)
        for check in [*old, *(c for c in new if c not in old)]:
            before, after = old.get(check), new.get(check)
            if before != after:
                differences.append(Difference(spec.id, check, _short(before), _short(after)))
    same = installed_checking == shipped.lock().checking
    return Regrade(trials, checks, same, tuple(differences))


def _short(result: CheckResult | None) -> str | None:
    return None if result is None else f"{result.status}: {result.detail}".removesuffix(": ")
