from __future__ import annotations

import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from clawpro_artifact.adapters import keys
from clawpro_artifact.errors import InputError, TrustError, UsageError


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def test_a_new_key_is_readable_by_its_owner_only(home: Path) -> None:
    keys.create(keys.path_of())
    path = home / "clawpro" / "keys" / "release.pem"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_created_key_is_loaded_as_the_same(home: Path) -> None:
    assert keys.create(keys.path_of()).public == keys.load(keys.path_of()).public


def test_a_relative_config_home_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert keys.folder() == tmp_path / ".config" / "clawpro" / "keys"


def test_a_key_is_never_overwritten(home: Path) -> None:
    first = keys.create(keys.path_of())
    with pytest.raises(TrustError, match="never overwritten"):
        keys.create(keys.path_of())
    assert keys.load(keys.path_of()).public == first.public


def test_a_missing_key_tells_the_command_to_run(home: Path) -> None:
    with pytest.raises(TrustError, match="run `clawpro keys new --name release`"):
        keys.load(keys.path_of())


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o610, 0o666])
def test_a_key_open_to_others_is_refused(home: Path, mode: int) -> None:
    keys.create(keys.path_of())
    keys.path_of().chmod(mode)
    with pytest.raises(TrustError, match=f"mode {mode:04o}"):
        keys.load(keys.path_of())


def test_a_link_is_no_key(home: Path) -> None:
    keys.create(keys.path_of())
    keys.path_of("link").symlink_to(keys.path_of())
    with pytest.raises(TrustError, match="cannot be opened"):
        keys.load(keys.path_of("link"))


def test_a_passphrase_locks_the_key(home: Path) -> None:
    made = keys.create(keys.path_of(), b"open sesame")
    assert b"ENCRYPTED" in keys.path_of().read_bytes()
    assert keys.load(keys.path_of(), b"open sesame").public == made.public
    with pytest.raises(TrustError, match="does not open"):
        keys.load(keys.path_of(), b"other")
    with pytest.raises(TrustError, match="do not go together"):
        keys.load(keys.path_of())


def test_a_key_of_another_curve_is_refused(home: Path) -> None:
    pem = ec.generate_private_key(ec.SECP384R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = home / "k.pem"
    path.write_bytes(pem)
    path.chmod(0o600)
    with pytest.raises(InputError, match="not a signing key"):
        keys.load(path)


def test_a_file_of_another_kind_is_refused(home: Path) -> None:
    path = home / "k.pem"
    path.write_bytes(b"hello")
    path.chmod(0o600)
    with pytest.raises(InputError, match="not a signing key"):
        keys.load(path)


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a.b", "é"])
def test_a_name_that_is_more_than_a_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="not a name for a key"):
        keys.path_of(name)


def test_the_same_message_has_the_same_signature(home: Path) -> None:
    key = keys.create(keys.path_of())
    assert key.sign(b"m") == key.sign(b"m")


def test_a_key_prints_its_public_half_only(home: Path) -> None:
    key = keys.create(keys.path_of())
    assert repr(key) == f"KeyFile({key.public.keyid})"


def test_load_or_create_says_whether_the_key_is_new(home: Path) -> None:
    key, made = keys.load_or_create(keys.path_of())
    again, made_again = keys.load_or_create(keys.path_of())
    assert (made, made_again, key.public) == (True, False, again.public)
