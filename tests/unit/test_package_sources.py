"""apt and npm as they answer when a mirror lost or changed something."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clawpro_artifact.adapters import debian, host, npm
from clawpro_artifact.adapters.inputs import Inputs
from clawpro_artifact.errors import InfraError, PinError
from clawpro_artifact.model.image import DebianPin, NpmPin

PIN = DebianPin(
    name="jq", version="1.6-2.1", architecture="amd64", size=3, sha256="sha256:" + "a" * 64
)


def test_a_package_that_the_mirror_lost_says_what_it_offers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "sources"
    sources.write_text("deb http://mirror.invalid/debian bookworm main\n")

    def answer(command: Sequence[str], **_: Any) -> bytes:
        if "download" in command:
            # What apt-get 2.6 says.
            raise InfraError("apt-get failed", found="E: Version '1.6-2.1' for 'jq' was not found")
        assert "madison" in command
        return b"        jq | 1.6-2.1+deb12u9 | http://mirror.invalid/debian bookworm/main\n"

    monkeypatch.setattr(host, "run", answer)
    apt = debian.Apt(tmp_path / "apt", "bookworm", sources)
    with pytest.raises(PinError) as caught:
        apt.download([PIN], Inputs(tmp_path / "inputs"))
    assert caught.value.expected == f"jq 1.6-2.1 {PIN.sha256}"
    assert caught.value.found == "versions 1.6-2.1+deb12u9"
    assert "snapshot mirror" in str(caught.value)


def test_a_mirror_that_serves_another_deb_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "sources"
    sources.write_text("deb http://mirror.invalid/debian bookworm main\n")

    def answer(command: Sequence[str], cwd: Path | None = None, **_: Any) -> bytes:
        assert cwd is not None
        (cwd / "jq_1.6-2.1_amd64.deb").write_bytes(b"evil")
        return b""

    monkeypatch.setattr(host, "run", answer)
    apt = debian.Apt(tmp_path / "apt", "bookworm", sources)
    inputs = Inputs(tmp_path / "inputs")
    with pytest.raises(PinError, match=r"the package jq 1\.6-2\.1 has other bytes") as caught:
        apt.download([PIN], inputs)
    assert caught.value.found == "sha256:" + hashlib.sha256(b"evil").hexdigest()
    assert inputs.missing([PIN.sha256]) == [PIN.sha256]


def test_a_registry_that_serves_another_tarball_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npm, "_npm", lambda *_, **__: b"")
    wanted = "sha512-" + base64.b64encode(bytes(64)).decode()
    pin = NpmPin(name="left-pad", version="1.3.0", integrity=wanted)
    with pytest.raises(PinError, match=r"left-pad 1\.3\.0 with other bytes") as caught:
        npm.download([pin], Inputs(tmp_path))
    assert caught.value.expected == wanted


def test_the_version_in_a_deb_file_name_is_read_with_its_epoch() -> None:
    # apt writes `:` as %3a in the names of downloaded files.
    found = debian._deb_key(Path("git_1%3a2.39.5-0+deb12u2_amd64.deb"))
    assert found == ("git", "1:2.39.5-0+deb12u2")


def test_a_missing_program_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "find", lambda _: None)
    monkeypatch.setattr(host, "is_root", lambda: False)
    with pytest.raises(InfraError, match="apt-get install --no-install-recommends mmdebstrap"):
        host.require("mmdebstrap")


def test_a_program_that_fails_shows_what_it_said() -> None:
    with pytest.raises(InfraError) as caught:
        host.run(["sh", "-c", "echo gone wrong >&2; exit 3"])
    assert caught.value.found == "exit code 3: gone wrong"


def test_programs_run_with_a_fixed_umask_locale_and_time_zone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    assert host.run(["sh", "-c", "umask; echo $TZ $LC_ALL"]) == b"0022\nUTC C.UTF-8\n"
