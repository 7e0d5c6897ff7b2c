"""Recipe -> LockedImage: what a person asked for, by digest, and built once to foretell it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from clawpro_artifact.adapters import npm
from clawpro_artifact.building import layers
from clawpro_artifact.building.assemble import Workshop, image_documents
from clawpro_artifact.building.locks import LockedImage
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.canonical import bytes_digest
from clawpro_artifact.model.image import (
    ImageInputs,
    ImageLock,
    LayerPin,
    LayerPins,
    Recipe,
    is_exact,
)


def resolve(
    recipe: Recipe,
    workshop: Workshop,
    known: Sequence[LockedImage] = (),
    *,
    tree: bytes | None = None,
) -> LockedImage:
    """Resolve every input and build the layers; the result foretells the image's digest.

    The Debian packages of a `known` image with the same base are taken over, so that images share
    their layers. `tree` is a `package-lock.json` to keep. Raises InputError for a Node version
    that OpenClaw's `engines` does not take.
    """
    version = recipe.runtime.partition("@")[2]
    wanted = npm.engines_node("openclaw", version)
    if not satisfies(recipe.node, wanted):
        raise InputError(
            f"openclaw {version} does not run on Node {recipe.node}",
            where=f"recipe {recipe.name}",
            expected=wanted,
            found=recipe.node,
            do="put a version in the recipe that the range allows",
        )
    package_json = _package_json(version)
    package_lock = tree or npm.lock_tree(package_json)
    same = [k.lock.inputs for k in known if _base_of(k.lock.inputs.recipe) == _base_of(recipe)]
    if same:
        debian = same[0].debian
    else:
        apt = workshop.apt(recipe.suite)
        apt.update()
        debian = apt.resolve(recipe.packages, workshop.downloads)
    inputs = ImageInputs(
        recipe=recipe,
        builder="layers.v1",
        debian=debian,
        node=npm.pin(npm.NODE_PACKAGE, recipe.node),
        npm=npm.pin("npm", recipe.npm),
        package_json=bytes_digest(package_json),
        package_lock=bytes_digest(package_lock),
        incontainer=layers.incontainer_pins(workshop.incontainer),
    )
    return _foretell(inputs, package_json, package_lock, workshop)


def relock_incontainer(locked: LockedImage, workshop: Workshop) -> LockedImage:
    """The same lock for our in-container files as they are now; nothing else moves."""
    inputs = locked.lock.inputs.model_copy(
        update={"incontainer": layers.incontainer_pins(workshop.incontainer)}
    )
    materials = workshop.materials(
        LockedImage(
            locked.lock.model_copy(update={"inputs": inputs}),
            locked.package_json,
            locked.package_lock,
        )
    )
    top = layers.make(materials, workshop.layers, "incontainer")
    pin = LayerPin(diff_id=top.diff_id, size=top.size)
    ids = locked.lock.layers.model_copy(update={"incontainer": pin})
    return _with_config(inputs, ids, locked.package_json, locked.package_lock)


def new_recipe(pin: str, known: Sequence[Recipe], flavour: str = "plain") -> Recipe:
    """The recipe of `openclaw@VERSION` after the newest one of the same flavour.

    The Node version is the highest among known recipes that `engines` takes. Raises InputError for
    `latest`, a range, or a version that none of the known Node versions can run.
    """
    family, _, version = pin.partition("@")
    if family != "openclaw" or not is_exact(version):
        exact = npm.exact_version(family, version or "latest") if family == "openclaw" else ""
        raise InputError(
            "a runtime is pinned to one exact version",
            where=pin,
            expected=f"openclaw@{exact}" if exact else "openclaw@YEAR.MONTH.PATCH",
            found=pin,
            do=f"write openclaw@{exact}" if exact else "name a published version",
        )
    model = max(
        (r for r in known if r.flavour == flavour),
        key=lambda r: _numbers(r.runtime.partition("@")[2]),
    )
    wanted = npm.engines_node("openclaw", version)
    nodes = sorted({r.node for r in known if satisfies(r.node, wanted)}, key=_numbers)
    if not nodes:
        raise InputError(
            f"none of the locked Node versions runs openclaw {version}",
            expected=wanted,
            found=", ".join(sorted({r.node for r in known}, key=_numbers)),
            do="write its recipe with a Node version of that range",
        )
    name = f"openclaw-{version}" + ("" if flavour == "plain" else f"-{flavour}")
    return Recipe.model_validate(
        model.model_dump() | {"name": name, "runtime": pin, "node": nodes[-1], "unsupported": {}}
    )


def satisfies(version: str, wanted: str) -> bool:
    """Whether a version lies in a range of npm's `engines`: `>=A.B.C <D || >=E.F.G`.

    Comparators `>=`, `>`, `<`, `<=`, `=` and `^` are known; others make it False.
    """
    mine = _numbers(version)
    return any(
        all(_compare(mine, part) for part in option.split()) for option in wanted.split("||")
    )


def _compare(mine: tuple[int, ...], part: str) -> bool:
    match = re.fullmatch(r"(>=|<=|>|<|=|\^)?v?(\d+(?:\.\d+){0,2})", part)
    if match is None:
        return False
    theirs = _numbers(match[2])
    return {
        ">=": mine >= theirs,
        "<=": mine <= theirs,
        ">": mine > theirs,
        "<": mine < theirs,
        "^": theirs <= mine < (theirs[0] + 1, 0, 0),
    }.get(match[1] or "=", mine == theirs)


def _numbers(version: str) -> tuple[int, ...]:
    parts = [int(p) for p in version.split(".")]
    return tuple(parts + [0] * (3 - len(parts)))


def _package_json(version: str) -> bytes:
    document = {"name": "clawpro-image", "private": True, "dependencies": {"openclaw": version}}
    return json.dumps(document, indent=2).encode() + b"\n"


def _base_of(recipe: Recipe) -> tuple[object, ...]:
    return (recipe.suite, recipe.architecture, recipe.epoch, sorted(recipe.packages))


def _foretell(
    inputs: ImageInputs, package_json: bytes, package_lock: bytes, workshop: Workshop
) -> LockedImage:
    materials = layers.Materials(
        inputs, package_json, package_lock, workshop.downloads, workshop.incontainer
    )
    workshop.download(materials)
    pins: dict[str, LayerPin] = {}
    for name in LayerPins.model_fields:
        workshop.say(f"the {name} layer of {inputs.recipe.name}")
        blob = layers.make(materials, workshop.layers, name)
        pins[name] = LayerPin(diff_id=blob.diff_id, size=blob.size)
    return _with_config(inputs, LayerPins(**pins), package_json, package_lock)


def _with_config(
    inputs: ImageInputs, ids: LayerPins, package_json: bytes, package_lock: bytes
) -> LockedImage:
    config = image_documents(inputs, ids).config_digest
    lock = ImageLock(format="clawpro.image-lock.v1", inputs=inputs, layers=ids, config=config)
    return LockedImage(lock, package_json, package_lock)
