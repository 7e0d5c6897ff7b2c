"""pin or folder -> a locked folder below `images/`: `clawpro lock add` and `lock update`."""

from __future__ import annotations

from pathlib import Path

import tomli_w

from clawpro_artifact.adapters import store
from clawpro_artifact.building.assemble import Workshop
from clawpro_artifact.building.differing import Change, diff
from clawpro_artifact.building.locks import LockedImage, read_all, write
from clawpro_artifact.building.resolving import new_recipe, relock_incontainer, resolve
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import documents
from clawpro_artifact.model.image import Flavour, ImageLock, Recipe


def add(images: Path, pin: str, workshop: Workshop, flavour: Flavour = "plain") -> LockedImage:
    """Lock `openclaw@VERSION` into a new folder; nothing is left behind if it cannot be.

    Raises InputError for `latest`, a range, or a version that is locked already.
    """
    recipes = [documents.read(Recipe, path) for path in sorted(images.glob("*/recipe.toml"))]
    recipe = new_recipe(pin, recipes, flavour)
    folder = images / recipe.name
    if (folder / "lock.json").exists():
        raise InputError(
            f"{recipe.name} is locked already",
            where=str(folder),
            do=f"run `clawpro lock update {recipe.name}` to resolve it anew",
        )
    locked = resolve(recipe, workshop, read_all(images))
    store.make_folder(folder)
    store.write(folder / "recipe.toml", recipe_bytes(recipe))
    write(locked, folder)
    return locked


def update(
    images: Path, name: str, workshop: Workshop, *, debian: bool = True
) -> tuple[LockedImage, tuple[Change, ...]]:
    """Resolve an image anew from its recipe and write its lock: (lock, what changed).

    The npm tree moves to what its ranges allow today. With `debian`, so do the Debian packages;
    otherwise they are taken over from an image with the same base, so that the layer stays shared.
    """
    folder = images / name
    recipe = documents.read(Recipe, folder / "recipe.toml")
    others = [k for k in read_all(images) if k.name != name]
    locked = resolve(recipe, workshop, () if debian else others)
    before = _before(folder)
    write(locked, folder)
    return locked, diff(before, locked) if before else ()


def update_reasons(images: Path, name: str) -> tuple[LockedImage, tuple[Change, ...]]:
    """Take `[unsupported]` of the recipe into the lock; nothing is resolved, no image changes.

    Raises InputError if the recipe differs in anything else.
    """
    folder = images / name
    recipe = documents.read(Recipe, folder / "recipe.toml")
    before = _before(folder)
    if before is None:
        raise InputError("this image is not locked yet", where=str(folder), do="run `lock add`")
    inputs = before.lock.inputs
    if inputs.recipe.model_copy(update={"unsupported": recipe.unsupported}) != recipe:
        raise InputError(
            "the recipe differs from its lock in more than what it does not support",
            where=str(folder / "recipe.toml"),
            do=f"run `clawpro lock update {name}`",
        )
    moved = inputs.model_copy(update={"recipe": recipe})
    lock = before.lock.model_copy(update={"inputs": moved})
    locked = LockedImage(lock, before.package_json, before.package_lock)
    write(locked, folder)
    return locked, diff(before, locked)


def update_incontainer(images: Path, workshop: Workshop) -> tuple[LockedImage, ...]:
    """Take our in-container files as they are into every lock; nothing else moves."""
    found = tuple(relock_incontainer(locked, workshop) for locked in read_all(images))
    for locked in found:
        write(locked, images / locked.name)
    return found


def _before(folder: Path) -> LockedImage | None:
    """The lock as it stands, whatever its recipe says now."""
    if not (folder / "lock.json").exists():
        return None
    return LockedImage(
        documents.read(ImageLock, folder / "lock.json"),
        documents.read_bytes(folder / "package.json"),
        documents.read_bytes(folder / "package-lock.json"),
    )


def recipe_bytes(recipe: Recipe) -> bytes:
    """A recipe as TOML."""
    return tomli_w.dumps(recipe.model_dump(mode="json", exclude_defaults=True)).encode()
