"""The verifier from the wheel: an empty environment, no checkout, no network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import bundles

pytestmark = pytest.mark.container  # installs from the registry: no unit test
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def clawpro(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "-w", str(place), str(ROOT)], check=True, cwd=place)
    (wheel,) = place.glob("*.whl")
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
    subprocess.run([uv, "venv", "-q", "-p", sys.executable, str(place / "venv")], check=True)
    python = place / "venv" / "bin" / "python"
    subprocess.run([uv, "pip", "install", "-q", "-p", str(python), str(wheel)], check=True)
    return place / "venv" / "bin" / "clawpro"


def verify(clawpro: Path, bundle: Path, key: Path) -> subprocess.CompletedProcess[str]:
    words = [str(clawpro), "verify", str(bundle), "--key", str(key)]
    if os.geteuid() == 0 and shutil.which("unshare"):
        words = ["unshare", "--net", *words]
    return subprocess.run(
        words, cwd=bundle.parent, capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(bundle.parent)},
    )  # fmt: skip


def test_the_wheel_verifies_a_bundle_and_refuses_it_after_one_changed_byte(
    clawpro: Path, tmp_path: Path
) -> None:
    bundles.sign(bundles.files(tmp_path / "definitions"), tmp_path / "bundle")
    key = tmp_path / "key.pem"
    key.write_bytes(bundles.ALICE.public.pem)
    good = verify(clawpro, tmp_path / "bundle", key)
    assert good.returncode == 0, good.stdout + good.stderr
    assert "verdict: yes" in good.stdout
    trace = next((tmp_path / "bundle" / "data" / "traces").rglob("events.jsonl"))
    data = bytearray(trace.read_bytes())
    data[10] ^= 1
    trace.write_bytes(data)
    bad = verify(clawpro, tmp_path / "bundle", key)
    assert bad.returncode == 1
    assert "verdict: no" in bad.stdout
