"""One engine and one real image for all container tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clawpro_artifact import building
from clawpro_artifact.adapters import engine as engines
from clawpro_artifact.model.image import Image

IMAGES = Path(__file__).parents[2] / "images"


@pytest.fixture(scope="session")
def engine() -> Iterator[engines.Engine]:
    """The machine's engine, or a private one for the time of the tests."""
    with engines.opened() as found:
        yield found


@pytest.fixture(scope="session")
def image(engine: engines.Engine) -> Image:
    """The newest OpenClaw image, built from its lock if the engine has none."""
    locked = building.read(IMAGES / "openclaw-2026.9.6")
    return building.build(locked, engine, building.Workshop())
