"""The archive keeps each content once, gives back the same bytes, heals, and lets go late."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clawpro_artifact import bundling
from clawpro_artifact.adapters.archive import Archive
from clawpro_artifact.adapters.blobs import Folder, open_backend
from clawpro_artifact.bundling import BundleFile
from clawpro_artifact.errors import InfraError, InputError, TrustError, UsageError
from tests import bundles
from tests.unit.test_bundling import tree

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LARGE = b"shared by both releases\n" * 1000


def release(folder: Path, sequence: int) -> tuple[Path, str]:
    content = [
        BundleFile("data/images/layer", LARGE),
        BundleFile("data/notes", f"release {sequence}\n".encode()),
    ]
    info = dataclasses.replace(bundles.INFO, sequence=sequence)
    out = folder / f"bundle-{sequence}"
    return out, bundling.bundle(content, [bundles.ALICE], info, out).bundle_id


def contents(root: Path) -> list[bytes]:
    return [p.read_bytes() for p in sorted((root / "content").rglob("*")) if p.is_file()]


def test_a_bundle_comes_back_with_the_same_bytes(tmp_path: Path) -> None:
    path, bundle = release(tmp_path, 1)
    archive = Archive(Folder(tmp_path / "archive"))
    archive.put(path, bundle, NOW)
    archive.get(bundle, tmp_path / "back")
    assert tree(tmp_path / "back") == tree(path)


def test_a_tar_is_kept_as_the_same_bundle(tmp_path: Path) -> None:
    path, bundle = release(tmp_path, 1)
    bundling.write_tar(path, tmp_path / "b.tar")
    archive = Archive(Folder(tmp_path / "archive"))
    archive.put(tmp_path / "b.tar", bundle, NOW)
    archive.get(bundle, tmp_path / "back")
    assert tree(tmp_path / "back") == tree(path)


def test_what_two_releases_share_is_kept_once(tmp_path: Path) -> None:
    archive = Archive(Folder(tmp_path / "archive"))
    for sequence in (1, 2):
        archive.put(*release(tmp_path, sequence), NOW)
    assert contents(tmp_path / "archive").count(LARGE) == 1
    assert [r.sequence for r in archive.bundles()] == [1, 2]


def test_another_bundle_than_the_verified_one_is_refused(tmp_path: Path) -> None:
    path, _ = release(tmp_path, 1)
    with pytest.raises(InputError, match="not the one that was verified"):
        Archive(Folder(tmp_path / "archive")).put(path, "sha256:" + "0" * 64, NOW)


def test_an_edited_bundle_is_not_listed(tmp_path: Path) -> None:
    path, bundle = release(tmp_path, 1)
    (path / "data/notes").write_bytes(b"edited\n")
    archive = Archive(Folder(tmp_path / "archive"))
    with pytest.raises(InputError, match="not what its lists say"):
        archive.put(path, bundle, NOW)
    assert archive.bundles() == []


def test_ninety_days_are_kept_and_not_one_second_less(tmp_path: Path) -> None:
    path, bundle = release(tmp_path, 1)
    archive = Archive(Folder(tmp_path / "archive"))
    archive.put(path, bundle, NOW)
    early = NOW + timedelta(days=90, seconds=-1)
    with pytest.raises(TrustError, match="kept for 90 days"):
        archive.remove(bundle, early)
    assert archive.prune(early) == ([], 0)
    assert archive.prune(NOW + timedelta(days=90))[0] == [bundle]
    assert contents(tmp_path / "archive") == []


def test_a_held_bundle_stays_until_the_hold_is_taken_away(tmp_path: Path) -> None:
    path, bundle = release(tmp_path, 1)
    archive = Archive(Folder(tmp_path / "archive"))
    archive.put(path, bundle, NOW)
    archive.hold(bundle, "asked for by the auditors")
    late = NOW + timedelta(days=1000)
    assert archive.prune(late)[0] == []
    with pytest.raises(TrustError, match="held"):
        archive.remove(bundle, late)
    archive.hold(bundle, None)
    assert archive.prune(late)[0] == [bundle]


def test_pruning_one_release_leaves_what_another_needs(tmp_path: Path) -> None:
    archive = Archive(Folder(tmp_path / "archive"))
    archive.put(*release(tmp_path, 1), NOW)
    path, second = release(tmp_path, 2)
    archive.put(path, second, NOW + timedelta(days=60))
    archive.prune(NOW + timedelta(days=100))
    archive.get(second, tmp_path / "back")
    assert tree(tmp_path / "back") == tree(path)


def victim(root: Path) -> Path:
    return next(p for p in (root / "content").rglob("*") if p.is_file() and p.read_bytes() == LARGE)


def damage(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"rot")


def test_damage_is_found_and_healed_from_the_copy(tmp_path: Path) -> None:
    path, bundle = release(tmp_path, 1)
    archive = Archive(Folder(tmp_path / "one"), Folder(tmp_path / "two"))
    archive.put(path, bundle, NOW)
    damage(victim(tmp_path / "one"))
    (found,) = archive.check()
    assert (found.fault, found.healed, found.bundles) == ("damaged", True, (bundle,))
    assert archive.check() == []
    archive.get(bundle, tmp_path / "back")
    assert tree(tmp_path / "back") == tree(path)


def test_the_copy_is_healed_too(tmp_path: Path) -> None:
    archive = Archive(Folder(tmp_path / "one"), Folder(tmp_path / "two"))
    archive.put(*release(tmp_path, 1), NOW)
    victim(tmp_path / "two").unlink()
    (found,) = archive.check()
    assert (found.place, found.fault, found.healed) == (str(tmp_path / "two"), "missing", True)
    assert archive.check() == []


def test_damage_without_a_copy_is_named_and_never_given_out(tmp_path: Path) -> None:
    path, bundle = release(tmp_path, 1)
    archive = Archive(Folder(tmp_path / "one"))
    archive.put(path, bundle, NOW)
    damage(victim(tmp_path / "one"))
    (found,) = archive.check()
    assert (found.fault, found.healed) == ("damaged", False)
    with pytest.raises(InfraError, match="damaged"):
        archive.get(bundle, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_an_unknown_bundle_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such bundle"):
        Archive(Folder(tmp_path)).get("sha256:" + "0" * 64, tmp_path / "x")


def test_a_path_instead_of_an_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a bundle id"):
        Archive(Folder(tmp_path)).get_record("../../etc/passwd")


@pytest.mark.slow
def test_a_bucket_of_a_real_s3_server_works_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("boto3")
    server = pytest.importorskip("moto.server")
    serving = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    serving.start()
    try:
        host, port = serving.get_host_and_port()
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "x",
            "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "us-east-1",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        import boto3

        boto3.client("s3").create_bucket(Bucket="releases")
        archive = Archive(open_backend("s3://releases/team"), Folder(tmp_path / "copy"))
        path, bundle = release(tmp_path, 1)
        archive.put(path, bundle, NOW)
        archive.get(bundle, tmp_path / "back")
        assert tree(tmp_path / "back") == tree(path)
        key = next(
            o["Key"]
            for o in boto3.client("s3").list_objects_v2(Bucket="releases")["Contents"]
            if "/content/" in o["Key"]
        )
        boto3.client("s3").put_object(Bucket="releases", Key=key, Body=b"rot")
        assert [f.healed for f in archive.check()] == [True]
        assert archive.prune(NOW + timedelta(days=91))[0] == [bundle]
        assert "Contents" not in boto3.client("s3").list_objects_v2(Bucket="releases")
    finally:
        serving.stop()
