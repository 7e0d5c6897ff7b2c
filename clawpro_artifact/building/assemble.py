"""LockedImage + Workshop -> Image in an engine, or an archive: every digest compared on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from clawpro_artifact.adapters import host, npm
from clawpro_artifact.adapters.debian import Apt
from clawpro_artifact.adapters.inputs import Inputs
from clawpro_artifact.adapters.layers import LayerCache
from clawpro_artifact.building import layers
from clawpro_artifact.building.layers import Materials
from clawpro_artifact.building.locks import LockedImage
from clawpro_artifact.errors import InfraError, PinError
from clawpro_artifact.formats import oci
from clawpro_artifact.formats.canonical import digest
from clawpro_artifact.model.image import SPACE, USER, Image, ImageInputs, LayerPins, tag_of

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class ImageStore(Protocol):
    """What building needs of an engine (`adapters.engine.Engine`)."""

    def image(self, reference: str) -> tuple[str, tuple[str, ...]] | None:
        """(ID, diff ids) of an image, or None."""

    def load(self, archive: Iterator[bytes]) -> str:
        """Load an archive of one image and give its ID."""

    def tag(self, image_id: str, tag: str) -> None:
        """Name an image."""

    def forget(self, image_id: str) -> None:
        """Remove an image unless it has a name."""


@dataclass(frozen=True)
class Workshop:
    """Where building keeps its downloads and layers; `offline` forbids the network.

    `say` is told what happens, for progress.
    """

    root: Path = field(default_factory=lambda: host.cache_folder() / "images")
    offline: bool = False
    sources: Path | None = None
    incontainer: Path = layers.INCONTAINER
    downloads_root: Path | None = None
    say: Callable[[str], None] = lambda _: None

    @property
    def downloads(self) -> Inputs:
        """The content-addressed downloads."""
        return Inputs(self.downloads_root or self.root / "inputs")

    @property
    def layers(self) -> LayerCache:
        """The layers built so far."""
        return LayerCache(self.root / "layers")

    def apt(self, suite: str) -> Apt:
        """apt with its own folders."""
        return Apt(self.root / "apt" / suite, suite, self.sources)

    def materials(self, locked: LockedImage) -> Materials:
        """The inputs of an image with where their files are."""
        return Materials(
            locked.lock.inputs,
            locked.package_json,
            locked.package_lock,
            self.downloads,
            self.incontainer,
        )

    def download(self, materials: Materials) -> None:
        """Get what is missing. PinError for other bytes, InfraError when offline."""
        downloads, inputs = self.downloads, materials.inputs
        debs = [p for p in inputs.debian if downloads.missing([p.sha256])]
        packages = [p for p in materials.npm_pins if downloads.missing([p.integrity])]
        if self.offline and (debs or packages):
            first = debs[0].name if debs else packages[0].name
            raise InfraError(
                f"{len(debs) + len(packages)} locked downloads are missing and the network is off",
                where=str(downloads.root),
                expected=f"{first} and others",
                found="no file",
                do="run `clawpro lock fetch --into DIR` on a machine with the registries",
            )
        if debs:
            self.say(f"downloading {len(debs)} Debian packages")
            apt = self.apt(inputs.recipe.suite)
            apt.update()
            apt.download(debs, downloads)
        if packages:
            self.say(f"downloading {len(packages)} npm packages")
            npm.download(packages, downloads)


def build(locked: LockedImage, engine: ImageStore, workshop: Workshop) -> Image:
    """The image of a lock, in `engine` under its tag; nothing is done if it is there already.

    Raises PinError naming the first input, layer or image whose digest is not the locked one.
    """
    image = _image(locked)
    check_incontainer(locked, workshop)
    present = engine.image(image.tag)
    if present is not None:
        _compare(locked, image.tag, *present)
        return image
    docs, parts = _parts(locked, workshop)
    workshop.say(f"loading {locked.name}")
    return _load(locked, oci.archive(docs, parts), engine)


def check_incontainer(locked: LockedImage, workshop: Workshop) -> None:
    """PinError if our in-container files are not those of the lock; costs no build."""
    found = layers.incontainer_pins(workshop.incontainer)
    wanted = locked.lock.inputs.incontainer
    if found != wanted:
        changed = sorted({f.path for f in set(found) ^ set(wanted)})
        raise PinError(
            "our in-container files are not those of the lock: " + ", ".join(changed[:5]),
            where=f"images/{locked.name}/lock.json",
            expected=digest([f.model_dump(mode="json") for f in wanted]),
            found=digest([f.model_dump(mode="json") for f in found]),
            do="run `clawpro lock update --incontainer` and review the difference",
        )


def export(locked: LockedImage, workshop: Workshop) -> Iterator[bytes]:
    """The image as one archive, OCI layout and `docker load` at once, for another machine."""
    docs, parts = _parts(locked, workshop)
    return oci.archive(docs, parts)


def layout(images: Iterable[LockedImage], workshop: Workshop) -> dict[str, bytes | Path]:
    """The images as one OCI layout: path in it -> bytes, or the layer's file in the cache."""
    return oci.layout({locked.name: _parts(locked, workshop) for locked in images})


def image_import(locked: LockedImage, archive: Path, engine: ImageStore) -> Image:
    """Load an exported archive; the lock says what it must be. PinError if it is another image."""
    with archive.open("rb") as file:
        return _load(locked, iter(lambda: file.read(1 << 20), b""), engine)


def _load(locked: LockedImage, archive: Iterator[bytes], engine: ImageStore) -> Image:
    image = _image(locked)
    image_id = engine.load(archive)
    found = engine.image(image_id)
    if found is None:
        raise InfraError("the engine lost the image it loaded", expected=image_id)
    try:
        _compare(locked, image.tag, *found)
    except PinError:
        engine.forget(image_id)
        raise
    engine.tag(image_id, image.tag)
    return image


def fetch(locked: LockedImage, workshop: Workshop) -> int:
    """Download and verify everything an image needs; afterwards it builds offline. Bytes held."""
    materials = workshop.materials(locked)
    workshop.download(materials)
    inputs, downloads = locked.lock.inputs, workshop.downloads
    pins = [(p.sha256, f"the package {p.name} {p.version}") for p in inputs.debian]
    pins += [(p.integrity, f"the npm package {p.name} {p.version}") for p in materials.npm_pins]
    return sum(downloads.verified(pin, what).stat().st_size for pin, what in pins)


def image_documents(inputs: ImageInputs, pins: LayerPins) -> oci.Documents:
    """The JSON of the image, a function of its lock: config (the identity), manifest, index."""
    recipe = inputs.recipe
    blobs = [
        oci.Blob(pin.diff_id, pin.size, f"clawpro {inputs.builder} {name}")
        for name, pin in pins.by_name().items()
    ]
    settings = oci.Settings(
        user=USER,
        working_dir=SPACE,
        env=(f"PATH={PATH}", "LANG=C.UTF-8", "HOME=/work/home"),
        labels={"clawpro.image": recipe.name, "clawpro.runtime": recipe.runtime},
        epoch=recipe.epoch,
    )
    return oci.documents(blobs, settings)


def _parts(
    locked: LockedImage, workshop: Workshop
) -> tuple[oci.Documents, list[tuple[oci.Blob, Path]]]:
    """Every layer built or found, each compared with the lock as soon as it is there."""
    materials = workshop.materials(locked)
    pins = locked.lock.layers.by_name()
    blobs = {name: layers.cached(materials, workshop.layers, name) for name in pins}
    missing = [name for name, blob in blobs.items() if blob is None]
    if missing:
        workshop.download(materials)
        workshop.say(f"building {', '.join(missing)} of {locked.name}")
        # mmdebstrap and npm keep a core busy each and know nothing of each other.
        with ThreadPoolExecutor(max_workers=2) as pool:
            made = pool.map(lambda name: layers.make(materials, workshop.layers, name), missing)
            blobs |= dict(zip(missing, made, strict=True))
    parts: list[tuple[oci.Blob, Path]] = []
    for name, blob in blobs.items():
        assert blob is not None
        if blob.diff_id != pins[name].diff_id:
            raise PinError(
                f"the {name} layer of {locked.name} built to other bytes than the lock says",
                where=str(workshop.layers.path(blob.diff_id)),
                expected=pins[name].diff_id,
                found=blob.diff_id,
                do="run `nox -s reproduce`; `clawpro image import` takes the image of the lock",
            )
        parts.append((blob, workshop.layers.path(blob.diff_id)))
    docs = image_documents(materials.inputs, locked.lock.layers)
    if docs.config_digest != locked.lock.config:
        raise PinError(
            f"the image {locked.name} has another config digest than its lock says",
            where=f"images/{locked.name}/lock.json",
            expected=locked.lock.config,
            found=docs.config_digest,
            do="the lock was edited, or this release writes another config: "
            "restore the lock or run `clawpro lock update` and review",
        )
    return docs, parts


def _compare(locked: LockedImage, tag: str, image_id: str, diff_ids: tuple[str, ...]) -> None:
    """The ID may be the digest of our manifest or index instead of the config (Docker 29)."""
    lock = locked.lock
    ids = image_documents(lock.inputs, lock.layers).ids
    if image_id not in ids or diff_ids != lock.layers.diff_ids:
        raise PinError(
            f"the engine's image {tag} is not the locked one",
            where=f"images/{locked.name}/lock.json",
            expected=f"ID {lock.config}, layers {' '.join(lock.layers.diff_ids)}",
            found=f"ID {image_id}, layers {' '.join(diff_ids)}",
            do=f"remove it (`docker image rm {tag}`) and build again",
        )


def _image(locked: LockedImage) -> Image:
    lock = locked.lock
    return Image(
        name=locked.name,
        runtime=lock.inputs.recipe.runtime,
        lock=digest(lock),
        config=lock.config,
        diff_ids=lock.layers.diff_ids,
        tag=tag_of(locked.name, lock.config),
    )
