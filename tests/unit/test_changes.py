"""what changed since the last release, in words; and two people who sign one."""

from __future__ import annotations

import dataclasses
import shutil

import pytest

from clawpro_artifact import bundling
from clawpro_artifact.pipeline import changes
from clawpro_artifact.pipeline.history import ReleaseHistory
from clawpro_artifact.verifying import verify
from tests import bundles
from tests.bundles import ALICE, BOB


@pytest.fixture
def history(tmp_path):
    """One release, noted."""
    found = ReleaseHistory(tmp_path, "test", ALICE)
    bundles.sign(bundles.files(tmp_path / "d"), tmp_path / "releases")
    found.note(tmp_path / "releases")
    return found


def test_a_first_release_has_no_such_section(tmp_path):
    empty = ReleaseHistory(tmp_path, "test", ALICE)
    assert changes.since_last(empty, bundles.content(tmp_path / "x"), [ALICE.public]) == ""


def test_moves_are_listed_by_axis(history, tmp_path):
    content = bundles.content(tmp_path / "next", seed=8)
    text = changes.since_last(history, content, [ALICE.public])
    assert f"## What changed since {history.last}" in text
    assert "- trials: /seed: 7 became 8" in text


def test_an_edited_definition_is_named(history, tmp_path, monkeypatch):
    plain = bundles.write_definitions

    def edited(folder):
        found = plain(folder)
        (found["tidy-notes"] / "prompt.md").write_text("Do it otherwise.\n")
        return found

    monkeypatch.setattr(bundles, "write_definitions", edited)
    text = changes.since_last(history, bundles.content(tmp_path / "next"), [ALICE.public])
    assert "- scenarios: data/definitions/tidy-notes/prompt.md" in text


def test_the_same_lock_again_says_so(history, tmp_path):
    text = changes.since_last(history, bundles.content(tmp_path / "next"), [ALICE.public])
    assert "the same lock was run again" in text


def test_a_bundle_that_went_away_or_does_not_verify_is_said(history, tmp_path):
    content = bundles.content(tmp_path / "next")
    assert "does not verify" in changes.since_last(history, content, [BOB.public])
    shutil.rmtree(tmp_path / "releases")
    assert "no longer where it was made" in changes.since_last(history, content, [ALICE.public])


def test_a_second_signer_verifies_all_but_his_own_signature(tmp_path):
    info = dataclasses.replace(bundles.INFO, signers=(ALICE.public, BOB.public))
    bundles.sign(bundles.files(tmp_path / "d"), tmp_path / "b", info=info)
    assert verify(tmp_path / "b", [ALICE.public]).answer == "no"
    assert verify(tmp_path / "b", [ALICE.public], awaited=BOB.public).answer == "yes"
    bundling.cosign(tmp_path / "b", BOB)
    assert verify(tmp_path / "b", [ALICE.public]).answer == "yes"


def test_awaiting_one_signer_does_not_excuse_another_fault(tmp_path):
    info = dataclasses.replace(bundles.INFO, signers=(ALICE.public, BOB.public))
    bundles.sign(bundles.files(tmp_path / "d"), tmp_path / "b", info=info)
    (tmp_path / "b" / "data" / "report" / "report.html").write_text("other")
    assert verify(tmp_path / "b", [ALICE.public], awaited=BOB.public).answer == "no"
