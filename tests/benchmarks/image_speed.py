"""Cold build, no-op build and disk use of images, beside what mmdebstrap and npm ci take here.

`python -m tests.benchmarks.image_speed [IMAGE]`: everything is downloaded first, so that no figure
holds the network's; the engine is the machine's, or a private one. Prints JSON and exits 1 if a
bound is broken: cold <= 1.25 x (mmdebstrap + npm ci), no-op < 2 s, and the five plain versions
<= 2.2 x the unpacked size of the first + their OpenClaw layers.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

from clawpro_artifact import building
from clawpro_artifact.adapters import debian, engine, npm
from clawpro_artifact.building.assemble import Workshop

IMAGES = Path(__file__).parents[2] / "images"


class Timed:
    """Seconds spent in a function; what it returned goes through."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self.seconds = function, 0.0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        start = time.monotonic()
        try:
            return self._function(*arguments, **named)
        finally:
            self.seconds += time.monotonic() - start


def cold(name: str) -> dict[str, float]:
    """All layers of an image from nothing, archive included: total, and of it the two programs."""
    locked = building.read(IMAGES / name)
    building.fetch(locked, Workshop())
    parts = {"mmdebstrap": Timed(debian.bootstrap), "npm_ci": Timed(npm.install)}
    with tempfile.TemporaryDirectory(prefix="clawpro-") as root, ExitStack() as stack:
        stack.enter_context(mock.patch.object(debian, "bootstrap", parts["mmdebstrap"]))
        stack.enter_context(mock.patch.object(npm, "install", parts["npm_ci"]))
        shop = Workshop(root=Path(root), offline=True, downloads_root=Workshop().downloads.root)
        start = time.monotonic()
        for _ in building.export(locked, shop):
            pass
        total = time.monotonic() - start
    return {"total": total, **{k: v.seconds for k, v in parts.items()}}


def no_op(name: str) -> float:
    """Seconds of building an image that the engine has."""
    locked = building.read(IMAGES / name)
    with engine.opened() as docker:
        building.build(locked, docker, Workshop())
        start = time.monotonic()
        building.build(building.read(IMAGES / name), docker, Workshop())
        return time.monotonic() - start


def disk() -> dict[str, int]:
    """Bytes of the five plain versions' distinct layers, and of what they are compared with."""
    plain = [k.lock for k in building.read_all(IMAGES) if k.lock.inputs.recipe.flavour == "plain"]
    distinct = {p.diff_id: p.size for lock in plain for p in lock.layers.by_name().values()}
    first = plain[0].layers
    return {
        "versions": len(plain),
        "all_layers": sum(distinct.values()),
        "one_version": sum(p.size for p in first.by_name().values()),
        "openclaw_trees": sum(lock.layers.openclaw.size for lock in plain),
    }


def main() -> int:
    """Measure, print, judge."""
    name = sys.argv[1] if len(sys.argv) > 1 else "openclaw-2026.5.28"
    built, again, used = cold(name), no_op(name), disk()
    ratio = built["total"] / (built["mmdebstrap"] + built["npm_ci"])
    limit = 2.2 * used["one_version"] + used["openclaw_trees"]
    good = {
        "cold": ratio <= 1.25,
        "no_op": again < 2,
        "disk": used["all_layers"] < limit,
    }
    print(json.dumps({"image": name, "cold_seconds": built, "cold_ratio": ratio,
                      "no_op_seconds": again, "disk_bytes": used, "disk_limit": limit,
                      "within": good}, indent=1))  # fmt: skip
    return 0 if all(good.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
