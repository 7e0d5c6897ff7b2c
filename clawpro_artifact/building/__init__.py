"""Lock -> Images: locked inputs become layers, layers an image whose digest the lock foretold."""

from __future__ import annotations

from clawpro_artifact.building.adding import add, update, update_incontainer, update_reasons
from clawpro_artifact.building.assemble import Workshop, build, export, fetch, image_import, layout
from clawpro_artifact.building.describing import licences, provenance, sbom
from clawpro_artifact.building.differing import Change, diff
from clawpro_artifact.building.locks import LockedImage, check, read, read_all, write
from clawpro_artifact.building.reproducing import Reproduction, reproduce
from clawpro_artifact.building.resolving import new_recipe, relock_incontainer, resolve

__all__ = [
    "Change",
    "LockedImage",
    "Reproduction",
    "Workshop",
    "add",
    "build",
    "check",
    "diff",
    "export",
    "fetch",
    "image_import",
    "layout",
    "licences",
    "new_recipe",
    "provenance",
    "read",
    "read_all",
    "relock_incontainer",
    "reproduce",
    "resolve",
    "sbom",
    "update",
    "update_incontainer",
    "update_reasons",
    "write",
]
