"""small values for tests, made by the models themselves (so that they are valid)."""

from __future__ import annotations

import json
from typing import Any

from clawpro_artifact.model.manifest import Manifest
from clawpro_artifact.model.scenario import Scenario

WEIGHTS = {
    "alpha": "0.7", "beta": "0.2", "gamma": "0.1", "lambda": "0.2", "mu": "0.1", "nu": "0.05",
}  # fmt: skip


def configuration(**changes: Any) -> dict[str, Any]:
    return {
        "id": "direct-reference",
        "base_model": {"source": "scripted", "name": "scripted-reference", "policy": "reference"},
        "harness_runtime": "direct@1",
        "native_surfaces": [],
        "workspace_tools": [],
        "safety_gates": [],
        "trial_repeat_count": 3,
        "decoding": {},
        "isolation": "none",
        "transport": "http",
    } | changes


def manifest(**changes: Any) -> Manifest:

    document = {
        "format": "clawpro.manifest.v1",
        "name": "test",
        "version": "0.1.0",
        "trials": 3,
        "seed": 7,
        "weights": WEIGHTS,
        "limits": {"wall_seconds": 60, "requests": 10, "output_tokens": 1000},
        "attempts": {"max_attempts": 2},
        "tracks": [{"track": "holdout", "scenarios": "all"}],
        "configurations": [configuration()],
    } | changes
    return Manifest.model_validate_json(json.dumps(document))


def scenario(scenario_id: str = "three-way-match", **changes: Any) -> Scenario:

    document = {
        "format": "clawpro.scenario.v1",
        "id": scenario_id,
        "version": 1,
        "title": "Match an invoice",
        "track": "holdout",
        "surface": "json",
        "domain": "finance-compliance",
        "dimension": "constraints",
        "difficulty": "easy",
        "difficulty_reasons": ["one table"],
        "language": "en",
        "tests": "a made-up scenario for the project's own tests",
        "weight": "1",
        "threshold": "0.8",
        "optimal_requests": 1,
        "groups": {"totals": "1"},
        "answer": {
            "json_schema": "answer.schema.json",
            "expected": "expected.json",
            "derivation": "derive.py",
        },
        "checks": [
            {"id": "total", "kind": "json-equals", "group": "totals", "with": {"at": "/total"}}
        ],
        "policies": [
            {
                "name": "reference",
                "file": "reference.json",
                "kind": "reference",
                "says": "the right answer",
                "passes": True,
            }
        ],
        "sensitivity": [
            {"says": "another total", "overlay": "sensitivity/a", "reference": "sensitivity/a.json"}
        ],
    } | changes
    return Scenario.model_validate_json(json.dumps(document))
