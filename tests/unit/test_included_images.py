"""a bundle with its images: exactly the locked ones, or the verdict is no."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from clawpro_artifact.formats import oci
from clawpro_artifact.verifying import verify
from tests import bundles
from tests.bundles import ALICE

NAME = "openclaw-2026.9.6"
SETTINGS = oci.Settings("10001:10001", "/work/space", (), {}, 0)


def image(folder: Path, content: bytes) -> tuple[oci.Documents, list[tuple[oci.Blob, Path]]]:
    digest = hashlib.sha256(content).hexdigest()
    path = folder / digest
    path.write_bytes(content)
    blob = oci.Blob(f"sha256:{digest}", len(content), "a layer")
    return oci.documents([blob], SETTINGS), [(blob, path)]


@pytest.fixture
def release(tmp_path, monkeypatch):
    """The files of a bundle with the layout of its one image; a test changes some and signs."""
    one = image(tmp_path, b"bytes of a layer")
    monkeypatch.setattr(bundles, "CONFIG", one[0].config_digest)
    files = bundles.composed(tmp_path / "d")
    layout = oci.layout({NAME: one})
    for path, source in layout.items():
        data = source if isinstance(source, bytes) else source.read_bytes()
        files[f"data/oci/{path}"] = data
    return files


def verdict(files, tmp_path):
    bundles.sign(files, tmp_path / "b")
    return verify(tmp_path / "b", [ALICE.public])


def test_a_bundle_with_its_image_verifies(release, tmp_path):
    assert verdict(release, tmp_path).answer == "yes"


def test_the_layout_names_its_image_as_other_tools_expect(release):
    index = json.loads(release["data/oci/index.json"])
    (entry,) = index["manifests"]
    assert entry["annotations"] == {"org.opencontainers.image.ref.name": NAME}
    manifest = json.loads(release["data/oci/blobs/sha256/" + entry["digest"][7:]])
    assert entry["size"] == len(release["data/oci/blobs/sha256/" + entry["digest"][7:]])
    assert [layer["size"] for layer in manifest["layers"]] == [len(b"bytes of a layer")]


def _blob_of(files, content):
    return "data/oci/blobs/sha256/" + hashlib.sha256(content).hexdigest()


def _other_bytes(files, tmp_path):
    files[_blob_of(files, b"bytes of a layer")] = b"bytes of another"


def _lost_layer(files, tmp_path):
    del files[_blob_of(files, b"bytes of a layer")]


def _one_more(files, tmp_path):
    files[_blob_of(files, b"hidden")] = b"hidden"


def _other_image(files, tmp_path):
    for path in [p for p in files if p.startswith("data/oci/")]:
        del files[path]
    for path, source in oci.layout({NAME: image(tmp_path, b"evil")}).items():
        files[f"data/oci/{path}"] = source if isinstance(source, bytes) else source.read_bytes()


def _white_space(files, tmp_path):
    files["data/oci/index.json"] += b" "


def _not_json(files, tmp_path):
    files["data/oci/index.json"] = b"\xff"


def _no_index(files, tmp_path):
    del files["data/oci/index.json"]


@pytest.mark.parametrize(
    "forge",
    [_other_bytes, _lost_layer, _one_more, _other_image, _white_space, _not_json, _no_index],
)
def test_anything_but_the_locked_image_makes_the_verdict_no(forge, release, tmp_path):
    forge(release, tmp_path)
    found = verdict(release, tmp_path)
    assert found.answer == "no"
    assert {f.code for f in found.findings if f.status == "failed"} == {"image-content-differs"}


def test_a_stray_file_beside_an_image_lock_is_misplaced(release, tmp_path):
    release[f"data/images/{NAME}/layers/x"] = b"x"
    found = verdict(release, tmp_path)
    assert {f.code for f in found.findings if f.status == "failed"} == {"misplaced-file"}
