"""steps 8 and 9: the numbers follow from the recorded checks, and the report says these numbers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from clawpro_artifact.formats import embedded
from clawpro_artifact.model import bundle as names
from clawpro_artifact.verifying import rescoring
from clawpro_artifact.verifying.case import Case, RefusedError, UncheckedError
from clawpro_artifact.verifying.inner import read_scenario, trial_id
from clawpro_artifact.verifying.trials import record_facts


def scores(case: Case) -> Iterator[RefusedError]:
    """Step 8: records are what the checks say, and scoring them again gives the same bytes.

    The installed scoring code is used, never the bundle's. If it is not the code that the lock
    pins, equal bytes still show the numbers right; different bytes then decide nothing.
    """
    yield from _records(case)
    found = rescoring.scores(case)
    same_code = rescoring.installed_digest() == case.document(names.LOCK, "lock")["scoring"]
    if found == case.read(names.SCORES):
        return
    if not same_code:
        raise UncheckedError(
            "other-scoring-code",
            "the installed scoring code is not the one of the lock and gives other numbers; "
            "verify with the version that the lock names",
        )
    yield RefusedError("scores-differ", f"{names.SCORES}: scoring the records again gives others")


def _records(case: Case) -> Iterator[RefusedError]:
    plan = case.document(names.PLAN, "plan")
    planned = [trial_id(spec) for spec in plan["trials"]]
    checks = case.lines(names.CHECKS, "checks-line")
    records = case.lines(names.RECORDS, None)
    definitions: dict[str, dict[str, Any]] = {}
    for spec, row, record in zip_longest(plan["trials"], checks, records):
        if spec is None or row is None or record is None:
            detail = f"{names.RECORDS}, {names.CHECKS}: not a row for each of {len(planned)} trials"
            yield RefusedError("records-differ", detail)
            return
        name = trial_id(spec)
        if row["trial"] != name or not isinstance(record, dict) or _id(record) != name:
            yield RefusedError("records-differ", f"{name}: its row is missing or out of order")
            return
        scenario = definitions.get(spec["scenario"])
        if scenario is None:
            scenario = definitions[spec["scenario"]] = read_scenario(case, spec["scenario"])
        facts = case.facts.get(name)
        if facts is None:  # step 6 did not come that far
            facts = record_facts(case.fresh(f"data/traces/{name}/trial.json", "trial"))
        yield from _record(name, scenario, facts, row["results"], record)


def _id(record: dict[str, Any]) -> str:
    return f"{record.get('configuration')}/{record.get('scenario')}/{record.get('index')}"


def _record(
    name: str,
    scenario: dict[str, Any],
    facts: dict[str, Any],
    results: list[dict[str, Any]],
    record: dict[str, Any],
) -> Iterator[RefusedError]:
    for field, value in facts.items():
        if record.get(field) != value:
            yield RefusedError("records-differ", f"{name}: its {field} is not the trial's")
    by_role: dict[str, list[dict[str, Any]]] = {"check": [], "safety": [], "process": []}
    for result in results:
        by_role[result["role"]].append(result)
    if not results and facts["outcome"] == "infra_failed":
        expected: dict[str, Any] = {"checks": [], "safety": [], "process": []}
    else:
        for role, key in (("check", "checks"), ("safety", "safety"), ("process", "process")):
            declared = [c["id"] for c in scenario.get(key, [])]
            if sorted(declared) != sorted(r["id"] for r in by_role[role]):
                detail = f"{name}: {role} results are not those the scenario declares"
                yield RefusedError("checks-differ", detail)
                return
        expected = _expected(scenario, by_role)
    for key, rows in expected.items():
        found = record.get(key)
        if not isinstance(found, list) or _sorted(found) != _sorted(rows):
            yield RefusedError("records-differ", f"{name}: `{key}` is not what the checks recorded")


def _expected(scenario: dict[str, Any], by_role: dict[str, Any]) -> dict[str, Any]:
    status = {r["id"]: r["status"] for rows in by_role.values() for r in rows}
    return {
        "checks": [
            {
                "id": c["id"],
                "group": c["group"],
                "weight": c.get("weight", "1"),
                "status": status[c["id"]],
            }
            for c in scenario["checks"]
        ],
        "process": [
            {"id": f["id"], "weight": f.get("weight", "1"), "status": status[f["id"]]}
            for f in scenario.get("process", [])
        ],
        "safety": [
            {"id": r["id"], "breached": {"fail": True, "pass": False}.get(status[r["id"]])}
            for r in scenario.get("safety", [])
        ],
    }


def _sorted(rows: list[Any]) -> list[Any]:
    return sorted(rows, key=lambda r: str(r.get("id")) if isinstance(r, dict) else "")


def report(case: Case) -> Iterator[RefusedError]:
    """Step 9: the report holds exactly the scores and what follows from them; the page the report.

    If the caller can render reports (`Case.render`), the page is compared whole.
    """
    data = case.read(names.REPORT)
    value = case.document(names.REPORT, "report")
    numbers = json.loads(case.read(names.SCORES))
    for field, expected in _said(case, numbers).items():
        if value[field] != expected:
            yield RefusedError("report-differs", f"{names.REPORT}: `{field}` is not what follows")
    manifest = case.document(names.LOCK, "lock")["manifest"]
    if (value["name"], value["version"]) != (manifest["name"], manifest["version"]):
        yield RefusedError("report-differs", f"{names.REPORT}: not the release of the manifest")
    if not value["labels"] and _needs_label(case):
        yield RefusedError("label-missing", f"{names.REPORT}: scripted, mock or demonstration")
    page = case.read(names.REPORT_PAGE)
    if embedded.extract(page, names.REPORT_PAGE) != data:
        yield RefusedError("page-differs", f"{names.REPORT_PAGE}: carries another report")
    elif case.render is not None and case.render(data) != page:
        if case.document(names.LOCK, "lock")["version"] != case.version:
            raise UncheckedError("other-version", "another version would show the report otherwise")
        yield RefusedError("page-differs", f"{names.REPORT_PAGE}: shows something else")


def _said(case: Case, numbers: Any) -> dict[str, Any]:
    """What every field of the report must be that follows from other documents."""
    lock, plan = case.document(names.LOCK, "lock"), case.document(names.PLAN, "plan")
    claim = case.claim
    assert claim is not None
    attempts = [row["attempt"] for row in case.lines(names.ATTEMPTS, "attempt-line")]
    counts = Counter(row["trial"] for row in case.lines(names.ATTEMPTS, None))
    return {
        "scores": numbers,
        "lock": "sha256:" + case.payload[names.LOCK],
        "plan": "sha256:" + case.payload[names.PLAN],
        "name": claim.name,
        "version": claim.version,
        "created": claim.created,
        "images": lock["images"],
        "configurations": lock["manifest"]["configurations"],
        "not_applicable": plan["not_applicable"],
        "exclusions": [
            {
                "trial": row["trial"],
                "outcome": row["outcome"],
                "reason": row["undecided"],
                "attempts": counts[row["trial"]],
            }
            for row in numbers["trials"]
            if row["undecided"] is not None
        ],
        "breaches": [
            {"trial": row["trial"], "rules": row["breaches"]}
            for row in numbers["trials"]
            if row["gate"] == 0
        ],
        "attempts": {
            "planned_trials": len(plan["trials"]),
            "attempts": len(attempts),
            "infra_failed": sum(a["outcome"] == "infra_failed" for a in attempts),
        },
    }


def _needs_label(case: Case) -> bool:
    manifest = case.document(names.LOCK, "lock")["manifest"]
    return manifest.get("demonstration", False) or any(
        c["base_model"]["source"] == "scripted" or c["harness_runtime"].startswith("mock@")
        for c in manifest["configurations"]
    )
