"""What was seen is remembered per trust; a key of first use is pinned and never swapped."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from clawpro_artifact.adapters.memory import Memory, key_of_first_use
from clawpro_artifact.errors import InputError, TrustError, UsageError
from clawpro_artifact.formats import trust
from clawpro_artifact.model.bundle import LastSeen
from tests import bundles

ALICE = trust.of_keys([bundles.ALICE.public])
SEEN = LastSeen("test", 3, "sha256:" + "1" * 64, 5, "ab" * 32)


def test_what_was_seen_is_remembered(tmp_path: Path) -> None:
    Memory(tmp_path).remember(ALICE, SEEN)
    assert Memory(tmp_path).last_seen(ALICE, "test") == SEEN


def test_a_release_of_another_trust_moves_nothing(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.remember(ALICE, SEEN)
    eve = trust.of_keys([bundles.EVE.public])
    memory.remember(eve, dataclasses.replace(SEEN, sequence=99))
    assert memory.last_seen(ALICE, "test") == SEEN


def test_an_older_release_never_replaces_a_newer_one(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.remember(ALICE, SEEN)
    memory.remember(ALICE, dataclasses.replace(SEEN, sequence=2))
    assert memory.last_seen(ALICE, "test") == SEEN


def test_the_longest_log_stays_in_memory(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.remember(ALICE, SEEN)
    memory.remember(ALICE, dataclasses.replace(SEEN, log_size=4, log_root="cd" * 32))
    assert memory.last_seen(ALICE, "test") == SEEN


def test_a_damaged_memory_is_an_error_and_not_a_clean_slate(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.remember(ALICE, SEEN)
    next((tmp_path / "seen").rglob("*.json")).write_bytes(b"{}")
    with pytest.raises(InputError, match="damaged"):
        memory.last_seen(ALICE, "test")


def test_a_pinned_key_is_not_swapped(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.pin("test", bundles.ALICE.public)
    memory.pin("test", bundles.ALICE.public)
    with pytest.raises(TrustError, match="another key was pinned"):
        memory.pin("test", bundles.EVE.public)
    assert memory.pinned("test") == bundles.ALICE.public


def test_a_name_is_never_a_path(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a name"):
        Memory(tmp_path).pinned("../../x")


def test_first_use_takes_the_one_key_of_the_bundle(tmp_path: Path) -> None:
    bundles.sign({"data/x": b"x"}, tmp_path / "one")
    assert key_of_first_use(tmp_path / "one") == bundles.ALICE.public


def test_first_use_of_a_bundle_of_two_keys_is_refused(tmp_path: Path) -> None:
    bundles.sign({"data/x": b"x"}, tmp_path / "two", [bundles.ALICE, bundles.BOB])
    with pytest.raises(TrustError, match="exactly one key"):
        key_of_first_use(tmp_path / "two")
