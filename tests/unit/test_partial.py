"""One trial is verified from its own files, and a lie about it is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawpro_artifact import bundling
from clawpro_artifact.formats import trust
from clawpro_artifact.model.bundle import Verdict
from clawpro_artifact.verifying.partial import verify_trial
from tests import bundles

TRIAL = "claw-reference/tidy-notes/1"
TRUST = trust.of_keys([bundles.ALICE.public])
BULK = 20 << 20


@pytest.fixture()
def folder(tmp_path: Path) -> Path:
    bundles.sign(bundles.files(tmp_path / "d"), tmp_path / "b")
    return tmp_path / "b"


def failures(verdict: Verdict) -> list[tuple[int, str]]:
    return [(f.step, f.code) for f in verdict.findings if f.status == "failed"]


def test_one_trial_of_a_folder_is_verified(folder: Path) -> None:
    verdict, _ = verify_trial(folder, TRIAL, TRUST)
    assert verdict.answer == "yes", verdict.findings
    assert [verdict.status_of(n) for n in (0, 5, 8, 9, 10)] == ["not_checked"] * 5


def test_one_trial_of_a_tar_is_verified(folder: Path, tmp_path: Path) -> None:
    bundling.write_tar(folder, tmp_path / "b.tar")
    assert verify_trial(tmp_path / "b.tar", TRIAL, TRUST)[0].answer == "yes"


def test_less_than_one_percent_of_a_large_bundle_is_read(tmp_path: Path) -> None:
    files = bundles.files(tmp_path / "d")
    files["data/images/openclaw-2026.9.6/layers"] = bytes(BULK)
    bundles.sign(files, tmp_path / "b")
    verdict, read = verify_trial(tmp_path / "b", TRIAL, TRUST)
    assert verdict.answer == "yes" and read < BULK / 100


def test_a_change_elsewhere_is_not_its_business(folder: Path) -> None:
    (folder / "data/report/report.html").write_bytes(b"edited")
    assert verify_trial(folder, TRIAL, TRUST)[0].answer == "yes"


@pytest.mark.parametrize("name", ["events.jsonl", "exchanges.jsonl", "trial.json"])
def test_a_changed_byte_of_the_trial_is_found(folder: Path, name: str) -> None:
    path = folder / "data/traces" / TRIAL / name
    path.write_bytes(path.read_bytes().replace(b"e", b"f", 1))
    assert failures(verify_trial(folder, TRIAL, TRUST)[0]) == [(2, "digest-differs")]


def test_a_changed_blob_of_the_trial_is_found(folder: Path) -> None:
    for path in (folder / "data/blobs").iterdir():
        path.write_bytes(b"edited")
    assert failures(verify_trial(folder, TRIAL, TRUST)[0])[0] == (2, "digest-differs")


def test_a_trial_that_was_never_planned_is_refused(folder: Path) -> None:
    verdict, _ = verify_trial(folder, "claw-reference/tidy-notes/9", TRUST)
    assert set(failures(verdict)) == {(1, "trial-missing")}


def test_a_stranger_as_signer_is_refused(folder: Path) -> None:
    verdict, _ = verify_trial(folder, TRIAL, trust.of_keys([bundles.EVE.public]))
    assert failures(verdict) == [(3, "unknown-key")] and verdict.exit_code == 8


def test_a_secret_in_the_trial_is_found(tmp_path: Path) -> None:
    from tests.tampered.inside import GITHUB
    from tests.tampered.kit import edit_json

    files = bundles.files(tmp_path / "d")
    path = f"data/traces/{TRIAL}/trial.json"
    files = edit_json(files, path, lambda v: v["evidence"].update(answer=GITHUB.decode()))
    bundles.sign(files, tmp_path / "b")
    assert failures(verify_trial(tmp_path / "b", TRIAL, TRUST)[0]) == [(7, "secret-left")]


def test_a_part_is_never_remembered_as_a_release(folder: Path) -> None:
    verdict, _ = verify_trial(folder, TRIAL, TRUST)
    with pytest.raises(ValueError, match="accepted"):
        verdict.remembered()
