"""every kind of JSON document -> the model that defines it; `schemas/` is generated from here."""

from __future__ import annotations

from clawpro_artifact.model.base import Value
from clawpro_artifact.model.frozen import Frozen
from clawpro_artifact.model.lock import Lock
from clawpro_artifact.model.manifest import Configuration, Manifest
from clawpro_artifact.model.plan import RunPlan
from clawpro_artifact.model.report import Report
from clawpro_artifact.model.scenario import Policy, Scenario
from clawpro_artifact.model.shipped import AttemptLine, ChecksLine, TrialDocument
from clawpro_artifact.model.trace import Event, Exchange

KINDS: dict[str, type[Value]] = {
    "attempt-line": AttemptLine,
    "checks-line": ChecksLine,
    "configuration": Configuration,
    "event": Event,
    "exchange": Exchange,
    "frozen": Frozen,
    "lock": Lock,
    "manifest": Manifest,
    "plan": RunPlan,
    "policy": Policy,
    "report": Report,
    "scenario": Scenario,
    "trial": TrialDocument,
}
