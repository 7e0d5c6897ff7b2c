"""The shipped values come back as they went in; grading again shows every difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.formats.shipped import Shipped
from clawpro_artifact.model.trial import CheckResult
from clawpro_artifact.verifying.regrading import regrade
from tests import bundles


@pytest.fixture()
def shipped(tmp_path: Path):  # type: ignore[no-untyped-def]
    result = bundles.sign(bundles.files(tmp_path / "d"), tmp_path / "b")
    with open_bundle(tmp_path / "b") as container:
        yield Shipped(container, result.bundle_id)


def test_every_value_comes_back_as_it_went_in(shipped: Shipped, tmp_path: Path) -> None:
    content = bundles.content(tmp_path / "again")
    assert shipped.lock() == content.lock
    assert shipped.plan() == content.plan
    assert {s.id: shipped.trial(s) for s in content.plan.trials} == content.trials
    assert shipped.checks() == {k: tuple(v) for k, v in content.results.items()}
    assert shipped.scenario("tidy-notes") == bundles.scenarios()["tidy-notes"]
    assert (
        shipped.blob(next(iter(shipped.trial(content.plan.trials[0]).events[1:2])).blob.digest)
        == bundles.BIG
    )  # type: ignore[union-attr]


def test_the_same_results_are_no_difference(shipped: Shipped) -> None:
    found = regrade(shipped, lambda s, t, blob: bundles.results(t.spec), shipped.lock().checking)
    assert (found.differences, found.exit_code, found.same_code) == ((), 0, True)
    assert (found.trials, found.checks) == (9, sum(len(r) for r in shipped.checks().values()))


def test_another_result_is_named_with_its_trial_and_check(shipped: Shipped) -> None:
    def grade(scenario: object, trial: object, blob: object) -> list[CheckResult]:
        rows = bundles.results(trial.spec)  # type: ignore[attr-defined]
        if trial.spec.index == 0:  # type: ignore[attr-defined]
            rows[0] = rows[0].model_copy(update={"status": "fail", "detail": "other"})
        return rows

    found = regrade(shipped, grade, "sha256:" + "0" * 64)
    assert found.exit_code == 1 and not found.same_code
    assert {(d.trial, d.check, d.shipped, d.now) for d in found.differences} == {
        ("direct-reference/three-way-match/0", "total", "pass", "fail: other"),
        ("claw-reference/three-way-match/0", "total", "pass", "fail: other"),
        ("claw-reference/tidy-notes/0", "kept", "pass", "fail: other"),
    }


def test_another_bundle_than_the_verified_one_is_refused(tmp_path: Path) -> None:
    bundles.sign(bundles.files(tmp_path / "d"), tmp_path / "b")
    with open_bundle(tmp_path / "b") as container, pytest.raises(InputError, match="not the one"):
        Shipped(container, "sha256:" + "0" * 64)


def test_a_file_edited_after_verifying_is_refused(tmp_path: Path) -> None:
    result = bundles.sign(bundles.files(tmp_path / "d"), tmp_path / "b")
    path = tmp_path / "b" / "data/plan.json"
    path.write_bytes(path.read_bytes() + b" ")
    with open_bundle(tmp_path / "b") as container, pytest.raises(InputError, match="not the one"):
        Shipped(container, result.bundle_id).plan()
