"""this machine -> Engine: one that runs here, or a private one for as long as needed."""

from __future__ import annotations

from clawpro_artifact.adapters.engine.containers import (
    RUN_LABEL,
    Bind,
    Confinement,
    settings,
    with_init,
)
from clawpro_artifact.adapters.engine.core import Engine
from clawpro_artifact.adapters.engine.exits import Exit, classify
from clawpro_artifact.adapters.engine.finding import Doctor, Probe, candidates, doctor, opened
from clawpro_artifact.adapters.engine.private import PrivateEngine

__all__ = [
    "RUN_LABEL",
    "Bind",
    "Confinement",
    "Doctor",
    "Engine",
    "Exit",
    "PrivateEngine",
    "Probe",
    "candidates",
    "classify",
    "doctor",
    "opened",
    "settings",
    "with_init",
]
