"""Lock -> Images: locked inputs become layers, layers an image whose digest the lock foretold."""

from __future__ import annotations

from clawpro_artifact.building.assemble import Workshop, build, export, fetch, image_import
from clawpro_artifact.building.locks import LockedImage, check, read, read_all, write
from clawpro_artifact.building.resolving import new_recipe, relock_incontainer, resolve

__all__ = [
    "LockedImage",
    "Workshop",
    "build",
    "check",
    "export",
    "fetch",
    "image_import",
    "new_recipe",
    "read",
    "read_all",
    "relock_incontainer",
    "resolve",
    "write",
]
