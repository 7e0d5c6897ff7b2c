"""What a verdict means, and the parts of verifying that depend on the caller."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from clawpro_artifact import reporting
from clawpro_artifact.formats import trust
from clawpro_artifact.formats.trust import Revocation, TrustedKey, TrustPolicy
from clawpro_artifact.model.bundle import STEPS, Finding, LastSeen, Verdict
from clawpro_artifact.model.report import Report
from clawpro_artifact.verifying import verify
from tests import bundles
from tests.bundles import ALICE, BOB

GOOD = tuple(Finding(n, "passed", "passed", "") for n in range(len(STEPS)))


def with_status(step: int, status: str, exit_code: int = 1) -> Verdict:
    odd = Finding(step, status, "x", "", exit_code)  # type: ignore[arg-type]
    return Verdict("sha256:" + "0" * 64, tuple(odd if f.step == step else f for f in GOOD))


def test_all_steps_passed_is_yes() -> None:
    assert (Verdict(None, GOOD).answer, Verdict(None, GOOD).exit_code) == ("yes", 0)


@pytest.mark.parametrize("step", range(10))
def test_a_step_that_was_not_checked_is_never_yes(step: int) -> None:
    verdict = with_status(step, "not_checked")
    assert (verdict.answer, verdict.exit_code) == ("undecided", 1)


def test_only_the_memory_may_be_missing() -> None:
    assert with_status(10, "not_checked").answer == "yes"


def test_one_failure_beside_passes_of_the_same_step_is_no() -> None:
    verdict = Verdict(None, (*GOOD, Finding(7, "failed", "x", "")))
    assert (verdict.answer, verdict.status_of(7)) == ("no", "failed")


def test_missing_trust_alone_is_8_and_with_a_lie_it_is_1() -> None:
    assert with_status(3, "failed", 8).exit_code == 8
    both = Verdict(None, (*GOOD, Finding(3, "failed", "x", "", 8), Finding(9, "failed", "x", "")))
    assert both.exit_code == 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("verifying")
    bundles.sign(bundles.files(place / "d"), place / "b", [ALICE, BOB])
    return place / "b"


def test_the_page_is_rendered_again_where_it_can_be(folder: Path) -> None:
    def render(data: bytes) -> bytes:
        return reporting.page(Report.model_validate_json(data), data)

    assert verify(folder, [ALICE.public], render=render).answer == "yes"


def test_a_page_that_shows_something_else_is_refused(folder: Path) -> None:
    verdict = verify(folder, [ALICE.public], render=lambda data: b"another page")
    assert [(f.step, f.code) for f in verdict.findings if f.status == "failed"] == [
        (9, "page-differs")
    ]


def test_the_steps_are_told_as_they_begin(folder: Path) -> None:
    told: list[int] = []
    verify(folder, [ALICE.public], on_step=told.append)
    assert told == list(range(11))


def test_two_of_two_is_enough(folder: Path) -> None:
    keys = tuple(TrustedKey(k.public, n) for k, n in ((ALICE, "a"), (BOB, "b")))
    verdict = verify(folder, TrustPolicy("t", 1, 2, keys))
    assert verdict.answer == "yes" and len(verdict.keys) == 2


def test_a_release_that_a_revocation_keeps_is_still_good(folder: Path) -> None:
    bundle = verify(folder, [ALICE.public]).bundle_id
    assert bundle is not None
    gone = Revocation(ALICE.public.keyid, "2026-05-01T00:00:00Z", "retired", (bundle,))
    policy = dataclasses.replace(trust.of_keys([ALICE.public]), revoked=(gone,))
    assert verify(folder, policy).answer == "yes"


def test_the_same_release_again_is_no_rollback(folder: Path) -> None:
    first = verify(folder, [ALICE.public])
    again = verify(folder, [ALICE.public], last_seen=first.remembered())
    assert again.status_of(10) == "passed"


def test_another_name_was_seen_says_nothing(folder: Path) -> None:
    seen = LastSeen("other", 9, "sha256:" + "0" * 64)
    assert verify(folder, [ALICE.public], last_seen=seen).status_of(10) == "not_checked"


def test_a_file_that_changes_while_it_is_read_is_refused(folder: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(folder, tmp_path / "b")
    notes = tmp_path / "b" / "data/release-notes.md"

    def disturb(step: int) -> None:
        if step == 10:
            notes.write_bytes(b"edited after its digest was compared")

    verdict = verify(tmp_path / "b", [ALICE.public], on_step=disturb)
    assert verdict.answer == "no"
    assert verdict.findings[-1].code == "malformed" and "changed" in verdict.findings[-1].detail
