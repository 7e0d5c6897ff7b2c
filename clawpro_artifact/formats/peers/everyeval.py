"""published figures of one configuration -> an aggregate record of Every Eval Ever (schema 0.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SCHEMA_VERSION = "0.3.0"
# Figure of a suite -> (what it is, whether lower is better, whether its value is called `rate`).
_FIGURES: dict[str, tuple[str, bool, bool]] = {
    "composite": ("mean of scenario composites", False, False),
    "mean_trial_score": ("mean of scenario means of trial scores", False, False),
    "strict_of_k": ("share of scenarios of which all k trials passed", False, True),
    "any_of_k": ("share of scenarios of which at least one trial passed", False, True),
    "safety_breach": ("share of scenarios breached in any of k, of those able", True, True),
}

_DEPLOYED = {"embedded": "self_deployed", "endpoint": "externally_managed"}


def write(
    suites: list[Mapping[str, Any]],
    configuration: Mapping[str, Any],
    release: Mapping[str, str],
    retrieved: str,
) -> dict[str, Any]:
    """The record. `suites`: of scores.json, of this configuration, one for each track.

    `release`: name, bundle (its id), created, software. `retrieved`: seconds since the epoch, text.
    """
    model = configuration["base_model"]
    name = str(model.get("name"))
    rows = [
        _result(suite, key, release)
        for suite in suites
        for key in _FIGURES
        if _value(suite, key) is not None
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"clawpro/{release['name']}/{configuration['id']}/{release['bundle']}",
        "evaluation_timestamp": release["created"],
        "retrieved_timestamp": retrieved,
        "source_metadata": {
            "source_name": release["name"],
            "source_type": "evaluation_run",
            "source_organization_name": "clawpro-artifact",
            "evaluator_relationship": "other",
            "additional_details": {"bundle": release["bundle"]},
        },
        "model_info": {
            "name": name,
            "id": f"{model.get('source')}/{name}",
            "additional_details": {
                "deployment_type": _DEPLOYED.get(str(model.get("source")), "unknown"),
                "model_availability": "unknown",
                "harness_runtime": str(configuration["harness_runtime"]),
            },
        },
        "eval_library": {"name": "clawpro-artifact", "version": release["software"]},
        "evaluation_results": rows,
    }


def _value(suite: Mapping[str, Any], key: str) -> Any:
    return (suite.get(key) or {}).get("rate" if _FIGURES[key][2] else "value")


def _result(suite: Mapping[str, Any], key: str, release: Mapping[str, str]) -> dict[str, Any]:
    says, lower, _ = _FIGURES[key]
    figure = suite[key]
    details: dict[str, Any] = {"score": float(_value(suite, key))}
    interval, error = figure.get("interval95"), figure.get("standard_error")
    uncertainty: dict[str, Any] = {"num_samples": figure["n"]}
    if interval:
        uncertainty["confidence_interval"] = {
            "lower": float(interval[0]), "upper": float(interval[1]), "confidence_level": 0.95,
            "method": str(figure.get("interval")),
        }  # fmt: skip
    if error is not None:
        uncertainty["standard_error"] = {"value": float(error), "method": "analytic"}
    details["uncertainty"] = uncertainty
    details["details"] = {"exact": str(_value(suite, key)), "estimator": str(figure["estimator"])}
    return {
        "evaluation_result_id": f"{suite['track']}/{key}",
        "evaluation_name": f"clawpro {suite['track']}: {key}",
        "source_data": {
            "dataset_name": f"clawpro {suite['track']}",
            "source_type": "other",
            "additional_details": {"bundle": release["bundle"]},
        },
        "metric_config": {
            "evaluation_description": says, "metric_id": key, "metric_name": key,
            "lower_is_better": lower, "score_type": "continuous", "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": details,
    }  # fmt: skip
