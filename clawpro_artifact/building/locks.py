"""`images/<name>/` -> LockedImage, and back: recipe, lock and npm tree, which must agree."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from clawpro_artifact.adapters.store import make_folder
from clawpro_artifact.adapters.store import write as write_file
from clawpro_artifact.errors import InputError, PinError
from clawpro_artifact.formats import documents
from clawpro_artifact.formats.canonical import bytes_digest, digest
from clawpro_artifact.model.image import ImageLock, Recipe
from clawpro_artifact.model.lock import ImagePin

FILES = ("recipe.toml", "lock.json", "package.json", "package-lock.json")


@dataclass(frozen=True)
class LockedImage:
    """An image lock with the npm files that it names by digest."""

    lock: ImageLock
    package_json: bytes
    package_lock: bytes

    @property
    def name(self) -> str:
        """Of the image."""
        return self.lock.inputs.recipe.name

    @property
    def pin(self) -> ImagePin:
        """What a release's lock says of this image."""
        return ImagePin(
            runtime=self.lock.inputs.recipe.runtime,
            image=self.name,
            lock=digest(self.lock),
            config=self.lock.config,
            unsupported=self.lock.inputs.recipe.unsupported,
        )


def read(folder: Path) -> LockedImage:
    """The lock of `images/<name>/`. InputError if malformed, PinError if its files disagree."""
    lock = documents.read(ImageLock, folder / "lock.json")
    recipe = documents.read(Recipe, folder / "recipe.toml")
    if recipe != lock.inputs.recipe:
        raise PinError(
            "the lock was made from another recipe",
            where=str(folder),
            expected=digest(recipe),
            found=digest(lock.inputs.recipe),
            do="run `clawpro lock update` and review the difference",
        )
    if folder.name != recipe.name:
        raise InputError(
            "the image's folder has another name than its recipe",
            where=str(folder),
            expected=recipe.name,
            found=folder.name,
        )
    found: list[bytes] = []
    for name, pin in (
        ("package.json", lock.inputs.package_json),
        ("package-lock.json", lock.inputs.package_lock),
    ):
        data = documents.read_bytes(folder / name)
        if bytes_digest(data) != pin:
            raise PinError(
                "a file of the image's lock was edited",
                where=str(folder / name),
                expected=pin,
                found=bytes_digest(data),
                do="restore it from version control, or `clawpro lock update` and review",
            )
        found.append(data)
    return LockedImage(lock, found[0], found[1])


def read_all(images: Path) -> tuple[LockedImage, ...]:
    """Every locked image below `images`, by name."""
    return tuple(read(path.parent) for path in sorted(images.glob("*/lock.json")))


def write(locked: LockedImage, folder: Path) -> None:
    """Put lock and npm files in `folder`; the recipe is the person's and stays."""
    make_folder(folder)
    write_file(folder / "package.json", locked.package_json)
    write_file(folder / "package-lock.json", locked.package_lock)
    # Last: a folder without it is no locked image.
    write_file(folder / "lock.json", lock_bytes(locked.lock))


def lock_bytes(lock: ImageLock) -> bytes:
    """Stable, one pin a line: what a reviewer reads in a diff."""
    document = lock.model_dump(mode="json")
    debian = document["inputs"].pop("debian")
    incontainer = document["inputs"].pop("incontainer")
    document["inputs"]["debian"] = _Rows("debian")
    document["inputs"]["incontainer"] = _Rows("incontainer")
    text = json.dumps(document, indent=2, ensure_ascii=False, default=lambda r: f"@{r.name}@")
    for name, rows in (("debian", debian), ("incontainer", incontainer)):
        lines = ",\n".join("      " + json.dumps(row, ensure_ascii=False) for row in rows)
        text = text.replace(f'"@{name}@"', f"[\n{lines}\n    ]" if rows else "[]")
    return text.encode() + b"\n"


class _Rows:
    def __init__(self, name: str) -> None:
        self.name = name


def check(folder: Path) -> LockedImage:
    """`lock check`: the folder's files agree, and every npm entry is pinned by hash alone."""
    from clawpro_artifact.adapters import npm

    locked = read(folder)
    npm.packages_of(locked.package_lock, str(folder / "package-lock.json"))
    return locked
