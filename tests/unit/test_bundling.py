"""A bundle is the same bytes every time, there whole or not at all, and holds clean trials only."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import tarfile
from pathlib import Path

import pytest

from clawpro_artifact import bundling
from clawpro_artifact.bundling import BundleFile, ReleaseInfo
from clawpro_artifact.errors import IncompleteError, InfraError, InputError, PinError, UsageError
from clawpro_artifact.model.trial import Trial
from tests import bundles

SMALL = [BundleFile("data/a.txt", b"a\n"), BundleFile("data/b/c.txt", b"c\n")]


def tree(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


def test_the_same_files_info_and_key_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        bundling.bundle(SMALL, [bundles.ALICE], bundles.INFO, tmp_path / name)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_the_order_of_files_and_signers_changes_nothing(tmp_path: Path) -> None:
    bundling.bundle(SMALL, [bundles.ALICE, bundles.BOB], bundles.INFO, tmp_path / "one")
    bundling.bundle(SMALL[::-1], [bundles.BOB, bundles.ALICE], bundles.INFO, tmp_path / "two")
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_the_bundle_id_is_the_digest_of_the_tag_manifest(tmp_path: Path) -> None:
    result = bundling.bundle(SMALL, [bundles.ALICE], bundles.INFO, tmp_path / "b")
    data = (tmp_path / "b" / "tagmanifest-sha256.txt").read_bytes()
    assert result.bundle_id == "sha256:" + hashlib.sha256(data).hexdigest()


def test_the_tar_is_deterministic_and_what_python_reads(tmp_path: Path) -> None:
    bundling.bundle(SMALL, [bundles.ALICE], bundles.INFO, tmp_path / "b")
    bundling.write_tar(tmp_path / "b", tmp_path / "1.tar")
    os.utime(tmp_path / "b" / "data" / "a.txt", (1, 1))
    bundling.write_tar(tmp_path / "b", tmp_path / "2.tar")
    assert (tmp_path / "1.tar").read_bytes() == (tmp_path / "2.tar").read_bytes()
    with tarfile.open(tmp_path / "1.tar") as tar:
        found = {
            m.name.removeprefix("bundle/"): tar.extractfile(m).read()  # type: ignore[union-attr]
            for m in tar
            if m.isfile()
        }
    assert found == tree(tmp_path / "b")


def test_an_existing_target_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(UsageError, match="never overwritten"):
        bundling.bundle(SMALL, [bundles.ALICE], bundles.INFO, tmp_path / "b")


@pytest.mark.parametrize("path", ["data/../x", "/data/x", "data/a b", "other/x", "data/A.txt"])
def test_an_unsafe_misplaced_or_colliding_path_leaves_nothing(tmp_path: Path, path: str) -> None:
    with pytest.raises(InputError):
        bundling.bundle(
            [*SMALL, BundleFile(path, b"")], [bundles.ALICE], bundles.INFO, tmp_path / "b"
        )
    assert list(tmp_path.iterdir()) == []


def test_a_link_as_a_source_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    with pytest.raises(InfraError):
        bundling.bundle(
            [BundleFile("data/x", tmp_path / "link")],
            [bundles.ALICE],
            bundles.INFO,
            tmp_path / "b",
        )
    assert not (tmp_path / "b").exists()


def test_what_a_killed_writer_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / ".tmp-b" / "data").mkdir(parents=True)
    (tmp_path / ".tmp-b" / "data" / "old").write_bytes(b"old")
    bundling.bundle(SMALL, [bundles.ALICE], bundles.INFO, tmp_path / "b")
    assert "data/old" not in tree(tmp_path / "b")


def test_nobody_signs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="signed by one or more"):
        bundling.bundle(SMALL, [], bundles.INFO, tmp_path / "b")


def test_a_release_of_two_people_is_signed_in_two_places(tmp_path: Path) -> None:
    info = dataclasses.replace(bundles.INFO, signers=(bundles.ALICE.public, bundles.BOB.public))
    bundling.bundle(SMALL, [bundles.ALICE, bundles.BOB], info, tmp_path / "at-once")
    bundling.bundle(SMALL, [bundles.ALICE], info, tmp_path / "later")
    bundling.cosign(tmp_path / "later", bundles.BOB)
    assert tree(tmp_path / "later") == tree(tmp_path / "at-once")


def test_a_key_that_was_not_announced_cannot_cosign(tmp_path: Path) -> None:
    bundling.bundle(SMALL, [bundles.ALICE], bundles.INFO, tmp_path / "b")
    before = tree(tmp_path / "b")
    with pytest.raises(UsageError, match="not among the announced"):
        bundling.cosign(tmp_path / "b", bundles.EVE)
    assert tree(tmp_path / "b") == before


def test_a_cosigner_does_not_follow_a_statement_about_something_else(tmp_path: Path) -> None:
    info = ReleaseInfo(
        **{**bundles.INFO.__dict__, "signers": (bundles.ALICE.public, bundles.BOB.public)}
    )
    bundling.bundle(SMALL, [bundles.ALICE], info, tmp_path / "b")
    tags = tmp_path / "b" / "tagmanifest-sha256.txt"
    tags.write_bytes(tags.read_bytes() + b"0" * 64 + b"  x\n")
    with pytest.raises(InputError, match="does not fit"):
        bundling.cosign(tmp_path / "b", bundles.BOB)


def test_a_missing_planned_trial_is_incomplete(tmp_path: Path) -> None:
    content = bundles.content(tmp_path)
    some = dict(list(content.trials.items())[1:])
    with pytest.raises(IncompleteError, match="not those of the plan"):
        list(bundling.compose(dataclasses.replace(content, trials=some)))


def test_a_definition_that_changed_since_planning_is_not_signed(tmp_path: Path) -> None:
    content = bundles.content(tmp_path)
    (content.definitions["tidy-notes"] / "prompt.md").write_text("Edited.\n")
    with pytest.raises(PinError, match="scenario tidy-notes changed"):
        list(bundling.compose(content))


def test_code_that_changed_since_planning_is_not_signed(tmp_path: Path) -> None:
    content = bundles.content(tmp_path)
    (tmp_path / "scoring").mkdir()
    (tmp_path / "scoring" / "__init__.py").write_text("# edited\n")
    code = {**content.code, "scoring": tmp_path / "scoring"}
    with pytest.raises(PinError, match="our code `scoring` changed"):
        list(bundling.compose(dataclasses.replace(content, code=code)))


def test_an_image_lock_that_changed_since_planning_is_not_signed(tmp_path: Path) -> None:
    content = bundles.content(tmp_path)
    images = {name: data + b" " for name, data in content.images.items()}
    with pytest.raises(PinError, match="the lock of the image"):
        list(bundling.compose(dataclasses.replace(content, images=images)))


def test_a_raw_trial_cannot_ship(tmp_path: Path) -> None:
    content = bundles.content(tmp_path)
    name, clean = next(iter(content.trials.items()))
    fields = {n: getattr(clean, n) for n in Trial.model_fields if n != "secrets"}
    raw = {**content.trials, name: Trial(**fields)}
    with pytest.raises(InputError, match="only a sanitized trial"):
        list(bundling.compose(dataclasses.replace(content, trials=raw)))  # type: ignore[arg-type]
