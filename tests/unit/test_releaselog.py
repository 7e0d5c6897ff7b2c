"""The release log only grows; a bundle proves its place; rollback and two faces are found."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from clawpro_artifact import bundling
from clawpro_artifact.adapters.releaselog import ReleaseLog
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import claims, merkle, trust
from clawpro_artifact.formats.trust import LogTrust, TrustedKey
from clawpro_artifact.model.bundle import LastSeen, Verdict
from clawpro_artifact.verifying import verify
from tests import bundles
from tests.bundles import ALICE, BOB, EVE

ORIGIN = "example.test/releases"
TRUST = trust.TrustPolicy(
    "t", 1, 1, (TrustedKey(ALICE.public, "a"),), log=LogTrust(ORIGIN, (BOB.public,))
)


def log_at(folder: Path) -> ReleaseLog:
    return ReleaseLog(folder, ORIGIN, BOB.public)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return bundles.files(tmp_path_factory.mktemp("log"))


def release(
    files: dict[str, bytes], out: Path, log: ReleaseLog, sequence: int, previous: str | None = None
) -> Verdict:
    info = dataclasses.replace(
        bundles.INFO, sequence=sequence, previous=previous, log_key=BOB.public
    )
    content = [bundling.BundleFile(p, d) for p, d in files.items()]
    bundling.bundle(content, [ALICE], info, out, log=lambda tags: log.append(tags, BOB))
    return verify(out, TRUST)


def failures(verdict: Verdict) -> list[tuple[int, str]]:
    return [(f.step, f.code) for f in verdict.findings if f.status == "failed"]


def test_a_release_proves_its_place_in_the_log(files: dict[str, bytes], tmp_path: Path) -> None:
    log = log_at(tmp_path / "log")
    verdict = release(files, tmp_path / "b", log, 0)
    assert verdict.answer == "yes", verdict.findings
    assert verdict.log == (1, log.leaves()[0].hex())


def test_appending_the_same_release_again_changes_nothing(tmp_path: Path) -> None:
    log = log_at(tmp_path)
    assert log.append(b"one", BOB) == log.append(b"one", BOB)
    assert len(log.leaves()) == 1


def test_the_checkpoint_is_the_root_of_rfc_6962_over_the_leaves(tmp_path: Path) -> None:
    log = log_at(tmp_path)
    log.append(b"one", BOB)
    log.append(b"two", BOB)
    head = log.head()
    one, two = merkle.leaf_hash(b"one"), merkle.leaf_hash(b"two")
    assert head is not None and head.root == merkle.node_hash(one, two)


def test_the_next_release_is_accepted_after_the_one_seen(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    log = log_at(tmp_path / "log")
    first = release(files, tmp_path / "1", log, 0)
    release(files, tmp_path / "2", log, 1, first.bundle_id)
    verdict = verify(tmp_path / "2", TRUST, last_seen=first.remembered())
    assert verdict.answer == "yes" and verdict.status_of(10) == "passed"


def test_a_log_that_forgot_a_release_is_found(files: dict[str, bytes], tmp_path: Path) -> None:
    seen = release(files, tmp_path / "1", log_at(tmp_path / "one"), 0).remembered()
    release(files, tmp_path / "2", log_at(tmp_path / "other"), 1, seen.bundle_id)
    assert failures(verify(tmp_path / "2", TRUST, last_seen=seen)) == [(10, "equivocation")]


def test_a_shorter_log_is_found(files: dict[str, bytes], tmp_path: Path) -> None:
    log = log_at(tmp_path / "one")
    log.append(b"another release", BOB)
    seen = release(files, tmp_path / "1", log, 0).remembered()
    release(files, tmp_path / "2", log_at(tmp_path / "other"), 1, seen.bundle_id)
    assert failures(verify(tmp_path / "2", TRUST, last_seen=seen)) == [(10, "log-rollback")]


def test_a_release_outside_the_trusted_log_is_refused(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    bundles.sign(files, tmp_path / "b")
    verdict = verify(tmp_path / "b", TRUST)
    assert failures(verdict) == [(10, "not-in-log")] and verdict.exit_code == 8


def test_a_log_of_another_key_is_refused(files: dict[str, bytes], tmp_path: Path) -> None:
    release(files, tmp_path / "b", log_at(tmp_path / "log"), 0)
    other = dataclasses.replace(TRUST, log=LogTrust(ORIGIN, (EVE.public,)))
    assert failures(verify(tmp_path / "b", other)) == [(10, "not-in-log")]


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        ("log-proof.txt", b"index 0", b"index 00", "malformed"),
        ("log-proof.txt", b"tlog-proof@v1", b"tlog-proof@v2", "malformed"),
        ("log-list.txt", b"\n", b"\n" + b"0" * 64 + b"\n", "log-differs"),
        ("log-list.txt", b"\n", b" \n", "malformed"),
    ],
)
def test_an_edited_log_file_is_refused_even_by_who_trusts_no_log(
    files: dict[str, bytes], tmp_path: Path, name: str, old: bytes, new: bytes, code: str
) -> None:
    release(files, tmp_path / "b", log_at(tmp_path / "log"), 0)
    path = tmp_path / "b" / "signatures" / name
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    assert failures(verify(tmp_path / "b", [ALICE.public])) == [(3, code)]


def test_every_flipped_bit_of_the_log_files_is_refused(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    release(files, tmp_path / "b", log_at(tmp_path / "log"), 0)
    for name in ("log-proof.txt", "log-list.txt"):
        path = tmp_path / "b" / "signatures" / name
        good = path.read_bytes()
        for at in range(0, len(good), 3):
            path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
            assert verify(tmp_path / "b", [ALICE.public]).answer == "no", (name, at)
        path.write_bytes(good)


def test_a_damaged_log_is_never_appended_to(tmp_path: Path) -> None:
    log = log_at(tmp_path)
    log.append(b"one", BOB)
    log.append(b"two", BOB)
    path = tmp_path / "list"
    damaged = path.read_bytes().split(b"\n", 1)[1]
    path.write_bytes(damaged)
    with pytest.raises(InputError, match="does not fit its signed head"):
        log.append(b"three", BOB)
    assert path.read_bytes() == damaged


def test_only_an_accepted_release_is_remembered() -> None:
    with pytest.raises(ValueError, match="accepted"):
        Verdict("sha256:" + "0" * 64, ()).remembered()
    assert LastSeen("x", 1, "sha256:" + "0" * 64).log_size is None
    assert claims.moment("2026-01-01T00:00:00Z").year == 2026
