"""an image of this checkout -> its inventory, kept beside its lock; two of them -> what changed."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from clawpro_artifact import building
from clawpro_artifact.adapters import engine, store
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.adapters.runtimes.openclaw.inventory import take
from clawpro_artifact.adapters.runtimes.tools import ToolNames
from clawpro_artifact.building.assemble import Workshop
from clawpro_artifact.comparing.surfaces import SurfaceDiff, surface_diff
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import documents
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model.base import Surface
from clawpro_artifact.model.surface import SurfaceInventory

Setting = Literal["trial", "default"]
PLAIN: tuple[Surface, ...] = ("memory", "messaging", "scheduling", "skills", "subagents")


def path_of(checkout: Checkout, name: str, setting: Setting) -> Path:
    """Where the inventory of an image lies."""
    return checkout.root / "images" / name / f"surface-{setting}.json"


def inventory(
    checkout: Checkout, name: str, setting: Setting, say: Callable[[str], None]
) -> SurfaceInventory:
    """Take the inventory of an image and keep it beside its lock."""
    locked = building.read(checkout.root / "images" / name)
    recipe = locked.lock.inputs.recipe
    surfaces = (*PLAIN, "browsing") if recipe.flavour == "browser" else PLAIN
    # Sockets lie below it: a short path.
    root = Path(tempfile.mkdtemp(prefix="clawpro-"))
    root.chmod(0o755)
    try:
        with engine.opened() as docker:
            image = building.build(locked, docker, Workshop(say=say))
            say(f"one turn in {name}, setting {setting}")
            version = recipe.runtime.partition("@")[2]
            found = take(docker, image.config, version, surfaces, setting, root / "i")
    finally:
        shutil.rmtree(root, ignore_errors=True)
    text = json.dumps(found.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"
    store.write(path_of(checkout, name, setting), text.encode())
    return found


def read(checkout: Checkout, name: str, setting: Setting) -> SurfaceInventory:
    """A kept inventory. InputError if there is none."""
    path = path_of(checkout, name, setting)
    if not path.exists():
        raise InputError(
            "no inventory was taken of this image",
            where=str(path),
            expected="an inventory",
            do=f"run `clawpro surface inventory {name} --setting {setting}`",
        )
    return documents.read(SurfaceInventory, path)


def diff(
    before: SurfaceInventory, after: SurfaceInventory, folders: Iterable[ScenarioFolder]
) -> SurfaceDiff:
    """What changed, and whether it breaks what the references of these scenarios call."""
    old, new = (ToolNames(s.runtime.partition("@")[2]) for s in (before, after))
    needed = {
        old.to_runtime(tool, {})[0]: new.to_runtime(tool, {})[0]
        for folder in folders
        for policy in folder.scenario.policies
        if policy.kind == "reference"
        for step in folder.policy(policy.file).steps
        for tool in (call.tool for call in step.calls)
    }
    return surface_diff(before, after, needed)
