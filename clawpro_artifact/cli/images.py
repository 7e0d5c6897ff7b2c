"""`clawpro lock ...`, `clawpro image ...` -> building."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from clawpro_artifact import building
from clawpro_artifact.adapters import engine
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.building.differing import Change
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.errors import EXIT_NO, EXIT_YES, UsageError
from clawpro_artifact.formats import canonical
from clawpro_artifact.validating import freezing

NAMES = arg("names", nargs="*", metavar="NAME", help="images (default: all in images/)")
FLAVOUR = arg("--flavour", choices=("plain", "browser"), default="plain", help="with Chromium?")
WORKSHOP = (
    arg("--offline", action="store_true", help="use only what was downloaded before"),
    arg("--sources", type=Path, help="apt sources to use instead of this machine's"),
    arg("--inputs", type=Path, metavar="DIR", help="folder of downloads (lock fetch --into)"),
)


def _workshop(arguments: argparse.Namespace, screen: Screen) -> building.Workshop:
    return building.Workshop(
        offline=getattr(arguments, "offline", False),
        sources=getattr(arguments, "sources", None),
        downloads_root=getattr(arguments, "inputs", None) or getattr(arguments, "into", None),
        say=screen.step,
    )


def _folders(names: Iterable[str]) -> list[Path]:
    root = Checkout.find().root / "images"
    known = {p.parent.name: p.parent for p in sorted(root.glob("*/lock.json"))}
    wanted = list(names) or list(known)
    for name in wanted:
        if name not in known:
            raise UsageError(
                "no image has this name", expected="one of " + ", ".join(known), found=name
            )
    return [known[name] for name in wanted]


def _changes(changes: Iterable[Change]) -> list[str]:
    return [str(change) for change in changes]


def _lock_add(arguments: argparse.Namespace, screen: Screen) -> int:
    images = Checkout.find().root / "images"
    locked = building.add(images, arguments.pin, _workshop(arguments, screen), arguments.flavour)
    screen.result(locked.pin.model_dump(), f"locked {locked.name}: image {locked.lock.config}")
    return EXIT_YES


def _lock_update(arguments: argparse.Namespace, screen: Screen) -> int:
    images = Checkout.find().root / "images"
    workshop = _workshop(arguments, screen)
    if arguments.incontainer:
        done = building.update_incontainer(images, workshop)
        rows = {locked.name: [f"image {locked.lock.config}"] for locked in done}
    elif arguments.reasons:
        rows = {
            folder.name: _changes(building.update_reasons(images, folder.name)[1])
            for folder in _folders(arguments.names)
        }
    else:
        rows = {
            folder.name: _changes(
                building.update(images, folder.name, workshop, debian=not arguments.keep_debian)[1]
            )
            for folder in _folders(arguments.names)
        }
    text = [f"{name}: {row}" for name, found in rows.items() for row in found or ["unchanged"]]
    screen.result(rows, "\n".join(text))
    return EXIT_YES


def _lock_check(arguments: argparse.Namespace, screen: Screen) -> int:
    workshop = _workshop(arguments, screen)
    found = {}
    for folder in _folders(arguments.names):
        locked = building.check(folder)
        building.assemble.check_incontainer(locked, workshop)
        found[locked.name] = locked.pin.model_dump()
    rows = [f"ok {n}: image {p['config']}" for n, p in found.items()]
    if not arguments.names:
        checkout = Checkout.find()
        frozen = freezing.read(checkout.root)
        freezing.check(frozen, checkout.scenario_folders().values())
        rows.append(f"ok holdout {frozen.version}: root {frozen.root}")
    screen.result(found, "\n".join(rows))
    return EXIT_YES


def _lock_diff(arguments: argparse.Namespace, screen: Screen) -> int:
    old, new = (building.read(f) for f in _folders([arguments.old, arguments.new]))
    rows = _changes(building.diff(old, new))
    screen.result(rows, "\n".join(rows) or "no difference")
    return EXIT_NO if rows else EXIT_YES


def _lock_fetch(arguments: argparse.Namespace, screen: Screen) -> int:
    workshop = _workshop(arguments, screen)
    sizes = {f.name: building.fetch(building.read(f), workshop) for f in _folders(arguments.names)}
    screen.result(sizes, "\n".join(f"{n}: {s} bytes, verified" for n, s in sizes.items()))
    return EXIT_YES


def _image_build(arguments: argparse.Namespace, screen: Screen) -> int:
    workshop = _workshop(arguments, screen)
    with engine.opened() as docker:
        done = [building.build(building.read(f), docker, workshop)
                for f in _folders(arguments.names)]  # fmt: skip
    screen.result([i.model_dump() for i in done], "\n".join(f"{i.tag} {i.config}" for i in done))
    return EXIT_YES


def _image_reproduce(arguments: argparse.Namespace, screen: Screen) -> int:
    workshop = _workshop(arguments, screen)
    rows, good = [], True
    for folder in _folders(arguments.names):
        screen.step(f"building {folder.name} twice")
        found = building.reproduce(folder, workshop)
        same = not found.differences and found.matches_lock
        good = good and same
        rows.append(f"{'same' if same else 'DIFFERENT'} {found.image} {' '.join(found.configs)}")
        rows += [f"  {layer}: {what}" for layer, what in found.differences]
        if not found.matches_lock:
            rows.append("  not the image of the lock")
    screen.result({"same": good, "images": rows}, "\n".join(rows))
    return EXIT_YES if good else EXIT_NO


def _image_export(arguments: argparse.Namespace, screen: Screen) -> int:
    (folder,) = _folders([arguments.name])
    if arguments.out.exists():
        raise UsageError("the file exists already", where=str(arguments.out))
    part = arguments.out.with_name(arguments.out.name + ".part")
    try:
        with part.open("xb") as file:
            for chunk in building.export(building.read(folder), _workshop(arguments, screen)):
                file.write(chunk)
        part.rename(arguments.out)
    finally:
        part.unlink(missing_ok=True)
    screen.result({"out": str(arguments.out)}, f"wrote {arguments.out}")
    return EXIT_YES


def _image_import(arguments: argparse.Namespace, screen: Screen) -> int:
    (folder,) = _folders([arguments.name])
    with engine.opened() as docker:
        image = building.image_import(building.read(folder), arguments.archive, docker)
    screen.result(image.model_dump(), f"{image.tag} {image.config}")
    return EXIT_YES


def _image_sbom(arguments: argparse.Namespace, screen: Screen) -> int:
    (folder,) = _folders([arguments.name])
    make = building.provenance if arguments.provenance else building.sbom
    document = make(building.read(folder))
    screen.result(document, canonical.encode(document).decode())
    return EXIT_YES


NAME = arg("name", help="image in images/")
VERBS = (
    Verb("lock add", "resolve openclaw@VERSION to a full lock", _lock_add,
         (arg("pin", metavar="openclaw@VERSION"), FLAVOUR, *WORKSHOP)),
    Verb("lock update", "resolve images anew and show what changed", _lock_update,
         (NAMES, arg("--incontainer", action="store_true", help="only our own in-container files"),
          arg("--reasons", action="store_true", help="only what recipes call unsupported"),
          arg("--keep-debian", action="store_true", help="keep the Debian packages"), *WORKSHOP)),
    Verb("lock check", "check that locks, recipes, our files and the frozen holdout agree",
         _lock_check, (NAMES,)),
    Verb("lock diff", "show what differs between two image locks (exit 1 if anything)",
         _lock_diff, (arg("old"), arg("new"))),
    Verb("lock fetch", "download all inputs, verified, for building offline", _lock_fetch,
         (NAMES, arg("--into", type=Path, required=True, metavar="DIR"), WORKSHOP[1])),
    Verb("image build", "build images from their locks and load them", _image_build,
         (NAMES, *WORKSHOP)),
    Verb("image reproduce", "build twice under other conditions, compare every byte",
         _image_reproduce, (NAMES, *WORKSHOP)),
    Verb("image export", "write an image as one OCI archive", _image_export,
         (NAME, arg("out", type=Path), *WORKSHOP)),
    Verb("image import", "load an exported image; the lock says what it must be", _image_import,
         (NAME, arg("archive", type=Path))),
    Verb("image sbom", "print the CycloneDX SBOM of an image", _image_sbom,
         (NAME, arg("--provenance", action="store_true", help="the SLSA statement instead"))),
)  # fmt: skip
