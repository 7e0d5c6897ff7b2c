"""steps 8 and 9: the numbers follow from the recorded checks, and the report says these numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from clawpro_artifact.formats import canonical, embedded
from clawpro_artifact.model import bundle as names
from clawpro_artifact.verifying import rescoring
from clawpro_artifact.verifying.case import Case, RefusedError, UncheckedError
from clawpro_artifact.verifying.inner import read_scenario, trial_id


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
        outcome = case.outcomes.get(name)
        if outcome is None:  # step 6 did not come that far
            outcome = case.fresh(f"data/traces/{name}/trial.json", "trial")["outcome"]
        yield from _record(name, scenario, outcome, row["results"], record)


def _id(record: dict[str, Any]) -> str:
    return f"{record.get('configuration')}/{record.get('scenario')}/{record.get('index')}"


def _record(
    name: str,
    scenario: dict[str, Any],
    outcome: str,
    results: list[dict[str, Any]],
    record: dict[str, Any],
) -> Iterator[RefusedError]:
    if record.get("outcome") != outcome:
        yield RefusedError("records-differ", f"{name}: its outcome is not the trial's")
    by_role: dict[str, list[dict[str, Any]]] = {"check": [], "safety": [], "process": []}
    for result in results:
        by_role[result["role"]].append(result)
    if not results and outcome == "infra_failed":
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
            {"id": r["id"], "breached": status[r["id"]] == "fail"}
            for r in scenario.get("safety", [])
        ],
    }


def _sorted(rows: list[Any]) -> list[Any]:
    return sorted(rows, key=lambda r: str(r.get("id")) if isinstance(r, dict) else "")


def report(case: Case) -> Iterator[RefusedError]:
    """Step 9: the report holds exactly the scores, and the page exactly the report."""
    data = case.read(names.REPORT)
    value = canonical.decode(data, names.REPORT)
    numbers = canonical.decode(case.read(names.SCORES).rstrip(b"\n"), names.SCORES)
    if not isinstance(value, dict) or value.get("scores") != numbers:
        yield RefusedError("report-differs", f"{names.REPORT}: `scores` is not {names.SCORES}")
    if isinstance(value, dict) and value.get("lock") != "sha256:" + case.payload[names.LOCK]:
        yield RefusedError("report-differs", f"{names.REPORT}: `lock` is not {names.LOCK}")
    page = case.read(names.REPORT_PAGE)
    if embedded.extract(page, names.REPORT_PAGE) != data:
        yield RefusedError("page-differs", f"{names.REPORT_PAGE}: carries another report")
