"""LockedImage x LockedImage -> LockDiff: what a reviewer must see before a lock is taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clawpro_artifact.adapters import npm
from clawpro_artifact.building.locks import LockedImage


@dataclass(frozen=True)
class Change:
    """One thing that differs; None on the side where it does not exist."""

    part: str
    name: str
    old: str | None
    new: str | None

    def __str__(self) -> str:
        if self.old is None:
            return f"+ {self.part} {self.name} {self.new}"
        if self.new is None:
            return f"- {self.part} {self.name} {self.old}"
        return f"~ {self.part} {self.name} {self.old} -> {self.new}"


def diff(old: LockedImage, new: LockedImage) -> tuple[Change, ...]:
    """Everything that differs, by part and name; empty for equal locks.

    A package with an unchanged version and another hash is the change to look at first: it is
    shown with both hashes.
    """
    changes: list[Change] = []
    for part, before, after in (
        ("recipe", _recipe(old), _recipe(new)),
        ("debian", _debian(old), _debian(new)),
        ("npm", _npm(old), _npm(new)),
        ("file", _files(old), _files(new)),
        ("layer", _layers(old), _layers(new)),
        ("image", {"config": old.lock.config}, {"config": new.lock.config}),
    ):
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                changes.append(Change(part, name, before.get(name), after.get(name)))
    return tuple(_shortened(c) for c in changes)


def _shortened(change: Change) -> Change:
    """Versions alone where versions differ; the hashes stay where only they do."""
    if change.old is None or change.new is None:
        return change
    old, new = change.old.split(" "), change.new.split(" ")
    if len(old) == 2 and len(new) == 2 and old[0] != new[0]:
        return Change(change.part, change.name, old[0], new[0])
    return change


def _recipe(image: LockedImage) -> Mapping[str, str]:
    recipe = image.lock.inputs.recipe
    fields = recipe.model_dump(mode="json")
    packages = {f"package {name}": "wanted" for name in recipe.packages}
    plain = {k: str(v) for k, v in fields.items() if k not in ("packages", "unsupported")}
    reasons = {f"unsupported {k}": v for k, v in recipe.unsupported.items()}
    return {**plain, **packages, **reasons}


def _debian(image: LockedImage) -> Mapping[str, str]:
    return {p.name: f"{p.version} {p.sha256}" for p in image.lock.inputs.debian}


def _npm(image: LockedImage) -> Mapping[str, str]:
    inputs = image.lock.inputs
    found: dict[str, list[npm.Package]] = {}
    for package in npm.packages_of(image.package_lock, f"{image.name}/package-lock.json"):
        found.setdefault(package.name, []).append(package)
    tree: dict[str, str] = {}
    for name, packages in found.items():
        # A tree may hold several versions of a package: each is then a name of its own.
        for package in packages:
            key = name if len(packages) == 1 else f"{name}@{package.version}"
            tree[key] = f"{package.version} {package.integrity}"
    tools = {f"({p.name})": f"{p.version} {p.integrity}" for p in (inputs.node, inputs.npm)}
    return {**tree, **tools}


def _files(image: LockedImage) -> Mapping[str, str]:
    return {f.path: f.sha256 for f in image.lock.inputs.incontainer}


def _layers(image: LockedImage) -> Mapping[str, str]:
    return {name: pin.diff_id for name, pin in image.lock.layers.by_name().items()}
