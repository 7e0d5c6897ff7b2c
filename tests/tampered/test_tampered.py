"""Every forgery of the corpus is refused, at its step, for its reason, with its exit code."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from clawpro_artifact.formats import claims
from clawpro_artifact.model.bundle import Verdict
from clawpro_artifact.verifying import verify
from tests import bundles
from tests.tampered import inside, outside, signing
from tests.tampered.kit import Case, Kit

CASES = [*outside.CASES, *signing.CASES, *inside.CASES]


def judge(case: Case, path: Path) -> Verdict:
    now: datetime | None = claims.moment(case.now) if case.now else None
    return verify(path, case.trust, now=now, last_seen=case.last_seen)


def test_the_corpus_has_at_least_120_cases_of_different_names() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 120


@pytest.mark.parametrize("form", ["folder", "tar"])
def test_the_bundle_that_they_start_from_is_good(kit: Kit, form: str) -> None:
    verdict = verify(getattr(kit, form), [bundles.ALICE.public])
    assert verdict.answer == "yes", verdict.findings


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_forgery_is_refused_for_its_reason(case: Case, kit: Kit, tmp_path: Path) -> None:
    verdict = judge(case, case.make(kit, tmp_path))
    failed = [f for f in verdict.findings if f.status == "failed"]
    assert (case.step, case.code) in {(f.step, f.code) for f in failed}, failed
    assert failed[0].step == case.step, failed
    assert (verdict.answer, verdict.exit_code) == ("no", case.exit_code), failed
