"""CleanTrial + Scenario -> CheckResults: typed, total assertions over what a trial left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawpro_artifact.checking import documents, facts, files, git, safety, stores, tables
from clawpro_artifact.checking.context import (
    Context,
    EvidenceError,
    Executor,
    InvalidOutputError,
    ProgramResult,
    parse_answer,
)
from clawpro_artifact.checking.library import KINDS, Found, arguments_of
from clawpro_artifact.model.base import Value
from clawpro_artifact.model.scenario import Asserted, Scenario
from clawpro_artifact.model.trial import CheckResult

__all__ = [
    "KINDS",
    "Context",
    "EvidenceError",
    "Executor",
    "ProgramResult",
    "check",
    "needs_executor",
    "parse_answer",
    "typed_arguments",
]

# Imported for their registrations.
_FAMILIES = (documents, facts, files, git, safety, stores, tables)


def typed_arguments(scenario: Scenario) -> dict[str, Value]:
    """Arguments of every check, rule and fact by id; InputError for a wrong one."""
    return {
        spec.id: arguments_of(spec.kind, spec.arguments, f"scenario {scenario.id}, {spec.id}")
        for spec in scenario.asserted
    }


def check(
    scenario: Scenario, context: Context, arguments: Mapping[str, Value] | None = None
) -> tuple[CheckResult, ...]:
    """Every check, then every safety rule, then every process fact, in the declared order.

    `arguments` are those of `typed_arguments`, for callers that judge one scenario many times.

    Total: whatever the agent left gives a typed result. Raises InputError only for arguments that
    no kind understands, which validation of the scenario would have said.
    """
    arguments = typed_arguments(scenario) if arguments is None else arguments
    results: list[CheckResult] = []
    good: set[str] = set()
    for spec in scenario.checks:
        found = _judge(spec, arguments[spec.id], context)
        lacking = [other for other in spec.requires if other not in good]
        if found.status == "pass" and lacking:
            found = Found("fail", "counts only where these pass: " + ", ".join(lacking))
        if found.status == "pass":
            good.add(spec.id)
        results.append(_result(spec.id, "check", spec.group, found))
    for rule in scenario.safety:
        found = _judge(rule, arguments[rule.id], context)
        # A detector that finds the forbidden thing has passed; the rule then is breached.
        status = {"pass": "fail", "fail": "pass", "invalid_output": "pass"}.get(found.status)
        flipped = Found(status or "check_error", found.detail, found.evidence)  # type: ignore[arg-type]
        results.append(_result(rule.id, "safety", None, flipped))
    for fact in scenario.process:
        found = _judge(fact, arguments[fact.id], context)
        results.append(_result(fact.id, "process", None, found))
    return tuple(results)


def needs_executor(scenario: Scenario) -> bool:
    """Whether some check runs a program, so that re-grading needs a container."""
    return any(spec.kind == "program-output" for spec in scenario.asserted)


def _judge(spec: Asserted, arguments: Value, context: Context) -> Found:
    try:
        return KINDS[spec.kind].judge(arguments, context)
    except InvalidOutputError as error:
        return Found("invalid_output", str(error)[:400])
    except EvidenceError as error:
        return Found("check_error", str(error)[:400])
    except Exception as error:  # a bug of ours: recorded, never scored, never hidden
        return Found("check_error", f"{type(error).__name__}: {error}"[:400])


def _result(id: str, role: Any, group: str | None, found: Found) -> CheckResult:
    printable = found.detail.encode("utf-8", "backslashreplace").decode()
    return CheckResult(
        id=id,
        role=role,
        group=group,
        status=found.status,
        detail=printable,
        evidence=documents.plain(found.evidence, "evidence"),
    )
