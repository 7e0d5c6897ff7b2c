"""requests of a runtime on a unix socket -> answers of a model, and the record of both.

The only way out of a trial container. It sees every request and response whatever the runtime.
"""

from __future__ import annotations

from clawpro_artifact.adapters.boundary.recorder import Boundary, Recorder, Watch
from clawpro_artifact.adapters.boundary.server import BoundaryServer

__all__ = ["Boundary", "BoundaryServer", "Recorder", "Watch"]
