"""The verifier runs as one file where nothing but `cryptography` is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import cryptography
import pytest

from clawpro_artifact.bundling.zipapp import build_verifier
from clawpro_artifact.verifying import verify
from tests import bundles


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle, a key, the zipapp, and a library folder with `cryptography` alone."""
    place = tmp_path_factory.mktemp("alone")
    build_verifier(place / "verify.pyz")
    bundles.sign(bundles.files(place / "definitions"), place / "bundle")
    (place / "key.pem").write_bytes(bundles.ALICE.public.pem)
    (place / "eve.pem").write_bytes(bundles.EVE.public.pem)
    installed = Path(cryptography.__file__).parents[1]
    (place / "lib").mkdir()
    for path in (installed / "cryptography", installed / "cffi", *installed.glob("_cffi_backend*")):
        if path.exists():
            (place / "lib" / path.name).symlink_to(path)
    return place


def run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Without site-packages, in an empty environment."""
    return subprocess.run(
        [sys.executable, "-S", str(place / "verify.pyz"), *arguments],
        cwd=place, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(place / "lib"), "PATH": os.environ["PATH"]},
    )  # fmt: skip


def test_the_zipapp_says_what_the_library_says(place: Path) -> None:
    done = run(place, "bundle", "--key", "key.pem", "--json")
    assert done.stderr == ""
    expected = verify(place / "bundle", [bundles.ALICE.public]).as_json()
    found = json.loads(done.stdout)
    assert [s["status"] for s in found["steps"][:8]] == ["passed"] * 8
    if done.returncode == 0:
        assert found == expected


def test_the_zipapp_verifies_one_trial(place: Path) -> None:
    done = run(place, "bundle", "--key", "key.pem", "--trial", "claw-reference/tidy-notes/1")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_zipapp_refuses_a_stranger_with_8(place: Path) -> None:
    done = run(place, "bundle", "--key", "eve.pem")
    assert done.returncode == 8
    assert "unknown-key" in done.stdout


def test_without_a_key_the_usage_is_wrong(place: Path) -> None:
    assert run(place, "bundle").returncode == 2


def test_a_malformed_key_is_an_input_error(place: Path) -> None:
    assert run(place, "bundle", "--key", "bundle/bagit.txt").returncode == 3


def test_the_same_code_gives_the_same_zipapp(place: Path, tmp_path: Path) -> None:
    build_verifier(tmp_path / "again.pyz")
    assert (tmp_path / "again.pyz").read_bytes() == (place / "verify.pyz").read_bytes()
