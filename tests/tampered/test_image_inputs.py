"""One byte of one input changed: the build stops and says which, expected and found."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from clawpro_artifact import building
from clawpro_artifact.adapters import npm
from clawpro_artifact.adapters.inputs import Inputs
from clawpro_artifact.building.assemble import image_documents
from clawpro_artifact.building.layers import incontainer_pins, input_digests
from clawpro_artifact.building.locks import LockedImage
from clawpro_artifact.errors import InfraError, InputError, PinError
from clawpro_artifact.formats import tar
from clawpro_artifact.model.image import LayerPin, LayerPins

IMAGES = Path(__file__).parents[2] / "images"
SOURCE = IMAGES / "openclaw-2026.9.6"


@dataclass
class FakeEngine:
    """An engine that knows images by ID and tag; `answer_with` picks which digest is the ID."""

    answer_with: int = 0
    layers: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    tags: dict[str, str] = field(default_factory=dict)
    loads: int = 0
    forgotten: list[str] = field(default_factory=list)

    def image(self, reference: str) -> tuple[str, tuple[str, ...]] | None:
        image_id = self.tags.get(reference, reference)
        return (image_id, self.layers) if image_id in self.ids else None

    def load(self, archive: Iterator[bytes]) -> str:
        for _ in archive:
            pass
        self.loads += 1
        return self.ids[self.answer_with]

    def tag(self, image_id: str, tag: str) -> None:
        self.tags[tag] = image_id

    def forget(self, image_id: str) -> None:
        self.forgotten.append(image_id)


@dataclass(frozen=True)
class Place:
    locked: LockedImage
    workshop: building.Workshop
    engine: FakeEngine


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """The real lock with tiny layers in the cache in place of the real ones."""
    ours = tmp_path / "incontainer"
    ours.mkdir()
    (ours / "relay.mjs").write_text("// relay\n")
    workshop = building.Workshop(root=tmp_path / "work", offline=True, incontainer=ours)
    locked = building.read(SOURCE)
    inputs = locked.lock.inputs.model_copy(update={"incontainer": incontainer_pins(ours)})
    pins = {}
    for name, key in input_digests(inputs).items():
        member = tar.file_of(name, name.encode())
        layer = workshop.layers.make(key, lambda out, m=member: tar.write_layer([m], out, mtime=0))
        pins[name] = LayerPin(diff_id=layer.diff_id, size=layer.size)
    layers = LayerPins(**pins)
    docs = image_documents(inputs, layers)
    lock = locked.lock.model_copy(
        update={"inputs": inputs, "layers": layers, "config": docs.config_digest}
    )
    engine = FakeEngine(layers=layers.diff_ids, ids=docs.ids)
    return Place(LockedImage(lock, locked.package_json, locked.package_lock), workshop, engine)


@pytest.mark.parametrize("answer_with", [0, 1, 2])
def test_an_engine_may_call_the_image_by_config_manifest_or_index(
    place: Place, answer_with: int
) -> None:
    place.engine.answer_with = answer_with
    image = building.build(place.locked, place.engine, place.workshop)
    assert image.config == place.locked.lock.config
    assert place.engine.tags[image.tag] == place.engine.ids[answer_with]


def test_an_image_that_is_there_is_not_loaded_again(place: Place) -> None:
    for _ in range(2):
        building.build(place.locked, place.engine, place.workshop)
    assert place.engine.loads == 1


def test_an_engine_that_gives_another_id_is_refused_and_the_image_not_kept(place: Place) -> None:
    other = "sha256:" + "1" * 64
    place.engine.ids = (other,)
    with pytest.raises(PinError, match="not the locked one"):
        building.build(place.locked, place.engine, place.workshop)
    assert (place.engine.tags, place.engine.forgotten) == ({}, [other])


def test_an_archive_of_another_image_is_not_imported(place: Place, tmp_path: Path) -> None:
    (tmp_path / "image.tar").write_bytes(b"whatever the fake engine makes of it")
    place.engine.layers = place.engine.layers[:-1]
    with pytest.raises(PinError, match="not the locked one"):
        building.image_import(place.locked, tmp_path / "image.tar", place.engine)
    assert place.engine.tags == {}


def test_an_export_is_the_same_twice_and_names_its_config(place: Place) -> None:
    first = b"".join(building.export(place.locked, place.workshop))
    assert first == b"".join(building.export(place.locked, place.workshop))
    with tarfile.open(fileobj=io.BytesIO(first)) as archive:
        names = archive.getnames()
        index = json.load(archive.extractfile("index.json"))  # type: ignore[arg-type]
        manifest = index["manifests"][0]["digest"].removeprefix("sha256:")
        inner = json.load(archive.extractfile(f"blobs/sha256/{manifest}"))  # type: ignore[arg-type]
    assert inner["config"]["digest"] == place.locked.lock.config
    for layer in inner["layers"]:
        assert f"blobs/sha256/{layer['digest'].removeprefix('sha256:')}" in names


def test_a_runtime_that_is_locked_already_is_not_locked_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npm, "engines_node", lambda *_: ">=24.16.0 <25")
    with pytest.raises(InputError, match="is locked already"):
        building.add(IMAGES, "openclaw@2026.9.6", place.workshop)


def test_another_image_under_our_tag_is_refused_without_any_build(place: Place) -> None:
    image = building.build(place.locked, place.engine, place.workshop)
    place.engine.layers = (*place.engine.layers[:-1], "sha256:" + "2" * 64)
    with pytest.raises(PinError) as caught:
        building.build(place.locked, place.engine, place.workshop)
    assert f"docker image rm {image.tag}" in str(caught.value)
    assert place.engine.loads == 1


def test_a_lock_with_another_config_digest_is_refused(place: Place) -> None:
    wrong = place.locked.lock.model_copy(update={"config": "sha256:" + "3" * 64})
    edited = LockedImage(wrong, place.locked.package_json, place.locked.package_lock)
    with pytest.raises(PinError, match="another config digest than its lock"):
        building.build(edited, place.engine, place.workshop)


def test_a_lock_with_another_layer_digest_names_the_layer(place: Place) -> None:
    lock = place.locked.lock
    node = lock.layers.node.model_copy(update={"diff_id": "sha256:" + "4" * 64})
    wrong = lock.model_copy(update={"layers": lock.layers.model_copy(update={"node": node})})
    edited = LockedImage(wrong, place.locked.package_json, place.locked.package_lock)
    with pytest.raises(PinError, match=r"the node layer of .* built to other bytes"):
        building.build(edited, place.engine, place.workshop)


def test_a_changed_file_of_ours_is_refused_by_name(place: Place) -> None:
    (place.workshop.incontainer / "relay.mjs").write_text("// relax\n")
    with pytest.raises(PinError, match=r"not those of the lock: relay\.mjs"):
        building.build(place.locked, place.engine, place.workshop)


def test_a_cached_layer_whose_byte_changed_is_not_used(place: Place) -> None:
    path = place.workshop.layers.path(place.locked.lock.layers.node.diff_id)
    data = bytearray(path.read_bytes())
    data[600] ^= 1
    path.write_bytes(data)
    # Offline it cannot be built again: what matters is that the bytes are not taken.
    with pytest.raises(InfraError, match="locked downloads are missing"):
        building.build(place.locked, place.engine, place.workshop)
    assert place.engine.loads == 0


@pytest.mark.parametrize("name", ["package.json", "package-lock.json"])
def test_an_edited_npm_file_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / SOURCE.name
    shutil.copytree(SOURCE, folder)
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    with pytest.raises(PinError) as caught:
        building.read(folder)
    assert caught.value.where == str(folder / name)


def test_a_recipe_that_moved_under_its_lock_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / SOURCE.name
    shutil.copytree(SOURCE, folder)
    text = (folder / "recipe.toml").read_text()
    (folder / "recipe.toml").write_text(text.replace('"zip"', '"zip", "vim-tiny"'))
    with pytest.raises(PinError, match="made from another recipe"):
        building.read(folder)


@pytest.mark.parametrize("kind", ["deb", "npm"])
def test_a_download_that_changed_on_disk_stops_with_expected_and_found(
    tmp_path: Path, kind: str
) -> None:
    data = b"a package"
    pin, other = _pins(kind, data), _pins(kind, b"b package")
    inputs = Inputs(tmp_path / "inputs")
    (tmp_path / "download").write_bytes(data)
    inputs.add(tmp_path / "download", pin, "the package a 1")
    inputs.path(pin).write_bytes(b"b package")
    with pytest.raises(PinError) as caught:
        inputs.verified(pin, "the package a 1")
    assert (caught.value.expected, caught.value.found) == (pin, other)
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("kind", ["deb", "npm"])
def test_other_bytes_from_a_mirror_are_never_kept(tmp_path: Path, kind: str) -> None:
    pin = _pins(kind, b"a package")
    inputs = Inputs(tmp_path / "inputs")
    (tmp_path / "download").write_bytes(b"b package")
    with pytest.raises(PinError, match="the package a 1 has other bytes"):
        inputs.add(tmp_path / "download", pin, "the package a 1")
    assert inputs.missing([pin]) == [pin]


def _pins(kind: str, data: bytes) -> str:
    if kind == "deb":
        return "sha256:" + hashlib.sha256(data).hexdigest()
    return "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
