"""trials and their check results -> the safety report and process anomalies that ship beside them.

A reviewer (EU AI Act articles 12 and 15, ISO/IEC 42001 A.6.2.6, SOC 2 CC7) finds here what was
breached, when and by which call, which trials could have shown a breach, and which guards were in
force. Everything follows from the shipped trials: who has the bundle can make it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clawpro_artifact.bundling import BundleFile
from clawpro_artifact.checking import anomalies as process
from clawpro_artifact.formats import canonical
from clawpro_artifact.model.lock import Lock
from clawpro_artifact.model.plan import RunPlan
from clawpro_artifact.model.scenario import Scenario
from clawpro_artifact.model.trace import Event
from clawpro_artifact.model.trial import CheckResult, CleanTrial

REPORT = "data/safety/report.json"
ANOMALIES = "data/safety/anomalies.json"


@dataclass(frozen=True)
class Evidence:
    """What both documents are made from; `trials` and `results` by trial id."""

    lock: Lock
    plan: RunPlan
    scenarios: Mapping[str, Scenario]
    trials: Mapping[str, CleanTrial]
    results: Mapping[str, Sequence[CheckResult]]


def documents(evidence: Evidence) -> dict[str, bytes]:
    """Path in a bundle -> bytes of the safety report and of the anomalies, in one pass."""
    breaches: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    counted: dict[str, list[tuple[bool, bool]]] = {}
    able = 0
    for spec in evidence.plan.trials:
        trial, results = evidence.trials[spec.id], evidence.results[spec.id]
        scenario = evidence.scenarios[spec.scenario]
        able += bool(scenario.safety and results)
        breaches += _breaches(trial, results, scenario)
        found = process.anomalies(trial.events)
        rows += [{"trial": spec.id, **a.as_json()} for a in found]
        if results:
            passed = all(r.status == "pass" for r in results if r.role != "process")
            counted.setdefault(spec.configuration, []).append((passed, bool(found)))
    guards = {c.id: list(c.safety_gates) for c in evidence.lock.manifest.configurations}
    report = {
        "format": "clawpro.safety.v1",
        "plan": canonical.digest(evidence.plan),
        "guards": guards,
        "trials": len(evidence.plan.trials),
        "able": able,
        "breached": len({b["trial"] for b in breaches}),
        "breaches": breaches,
        "detectors": {
            s: [{"rule": r.id, "says": r.says} for r in scenario.safety]
            for s, scenario in sorted(evidence.scenarios.items())
            if scenario.safety
        },
    }
    anomalous = {
        "format": "clawpro.process-anomalies.v1",
        "detector": process.VERSION,
        "configurations": {
            name: process.gap([p for p, _ in pairs], [a for _, a in pairs])
            for name, pairs in sorted(counted.items())
        },
        "anomalies": rows,
    }
    return {REPORT: canonical.encode(report), ANOMALIES: canonical.encode(anomalous)}


def files(evidence: Evidence) -> Iterator[BundleFile]:
    """The same as files of a bundle."""
    for path, data in documents(evidence).items():
        yield BundleFile(path, data)


def _breaches(
    trial: CleanTrial, results: Sequence[CheckResult], scenario: Scenario
) -> Iterator[dict[str, Any]]:
    says = {rule.id: rule.says for rule in scenario.safety}
    for result in results:
        if result.role == "safety" and result.status == "fail":
            yield {
                "trial": trial.spec.id,
                "rule": result.id,
                "says": says[result.id],
                "detail": result.detail,
                "evidence": result.evidence,
                "moment": moment(trial.events, result),
            }


def moment(events: Sequence[Event], result: CheckResult) -> dict[str, Any] | None:
    """The first call or words that made what the rule forbids, or None if only the end shows it.

    By the file change that names the call, else by the first call whose arguments hold the marker,
    path or text that the check recorded.
    """
    needles = _needles(result)
    calls = {e.data.get("call"): e for e in events if e.kind == "tool_call"}
    for event in events:
        if event.kind == "file_change" and event.data.get("path") in needles:
            call = calls.get(event.data.get("call"))
            return _at(call if call is not None else event)
        if event.kind == "tool_call":
            said = json.dumps(event.data.get("arguments"), ensure_ascii=False)
            if any(json.dumps(n, ensure_ascii=False)[1:-1] in said for n in needles):
                return _at(event)
        if event.kind == "model_response" and any(n in _said(event) for n in needles):
            return _at(event)
    # Without calls the answer alone can be what broke the rule.
    words = [e for e in events if e.kind == "model_response" and _said(e)]
    return None if calls or not words else _at(words[-1])


def _said(event: Event) -> str:
    return str(event.data.get("text") or "")


def _needles(result: CheckResult) -> list[str]:
    """Texts of at least six characters that tell the forbidden thing."""
    kind, _, name = result.detail.partition(" ")
    found = [f"[[canary:{name}]]", f"[[canary:{name}:"] if kind == "canary" else []
    found += [str(path) for path in result.evidence.get("paths", ())]
    stack: list[Any] = [result.evidence.get("first")]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack += [v for k, v in item.items() if k in ("text", "form", "url", "name", "message")
                      or not isinstance(v, str)]  # fmt: skip
            stack += [v for k, v in item.items() if isinstance(v, str) and len(v) >= 16]
        elif isinstance(item, list):
            stack += item
        elif isinstance(item, str):
            found.append(item)
    return [text for text in found if len(text) >= 6]


def _at(event: Event) -> dict[str, Any]:
    return {
        "seq": event.seq,
        "t_ms": event.t_ms,
        "conversation": event.conversation,
        "call": event.data.get("call"),
        "tool": event.data.get("tool"),
        "witness": event.witness,
    }
