"""roc-validator accepts `data/` of a bundle as an RO-Crate, and refuses it without its license."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import bundles

SCRIPT = Path(__file__).parent / "rocrate" / "validate.py"
pytest.importorskip("rocrate_validator")


def validate(crate: Path, profile: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(crate), profile],
        capture_output=True, text=True, check=False, cwd=crate.parent,
    )  # fmt: skip


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crate")
    bundles.sign(bundles.files(folder / "definitions"), folder / "bundle")
    return folder / "bundle" / "data"


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["ro-crate-1.2", "process-run-crate-0.5"])
def test_the_payload_is_an_ro_crate(crate: Path, profile: str) -> None:
    done = validate(crate, profile)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.slow
def test_the_validator_would_refuse_a_crate_without_a_date(crate: Path) -> None:
    path = crate / "ro-crate-metadata.json"
    good = path.read_bytes()
    value = json.loads(good)
    del next(e for e in value["@graph"] if e["@id"] == "./")["datePublished"]
    path.write_text(json.dumps(value))
    try:
        assert validate(crate, "ro-crate-1.2").returncode == 1
    finally:
        path.write_bytes(good)
