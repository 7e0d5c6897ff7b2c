"""Attestations speak other people's predicates about this release, and are checked with it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from clawpro_artifact import bundling
from clawpro_artifact.bundling import BundleFile
from clawpro_artifact.model.bundle import Verdict
from clawpro_artifact.verifying import verify
from tests import bundles
from tests.bundles import ALICE, EVE

STEM = ALICE.public.keyid[:16]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[BundleFile], list[BundleFile]]:
    folder = tmp_path_factory.mktemp("attest")
    content = bundles.content(folder)
    files = list(bundling.compose(content))
    scores = json.loads(content.scores)
    return files, list(bundling.attestations(content.lock, content.scores, scores, [ALICE]))


def opened(file: BundleFile) -> dict[str, Any]:
    assert isinstance(file.source, bytes)
    payload = json.loads(file.source)["dsseEnvelope"]["payload"]
    value: dict[str, Any] = json.loads(base64.b64decode(payload))
    return value


def test_there_is_one_for_each_suite_each_image_and_the_evaluation(made: Any) -> None:
    assert sorted(f.path for f in made[1]) == [
        f"attestations/evaluation.{STEM}.sigstore.json",
        f"attestations/provenance-openclaw-2026.9.6.{STEM}.sigstore.json",
        f"attestations/test-result-claw-reference-full.{STEM}.sigstore.json",
        f"attestations/test-result-claw-reference-holdout.{STEM}.sigstore.json",
        f"attestations/test-result-direct-reference-holdout.{STEM}.sigstore.json",
    ]


def test_the_test_result_lists_scenarios_by_their_strict_outcome(made: Any) -> None:
    by_path = {f.path: opened(f) for f in made[1]}
    name = "attestations/test-result-{}." + STEM + ".sigstore.json"
    good = by_path[name.format("direct-reference-holdout")]["predicate"]
    bad = by_path[name.format("claw-reference-full")]["predicate"]
    assert (good["result"], good["passedTests"]) == ("PASSED", ["three-way-match"])
    assert (bad["result"], bad["failedTests"]) == ("FAILED", ["tidy-notes"])


def test_a_bundle_with_attestations_verifies(made: Any, tmp_path: Path) -> None:
    bundling.bundle([*made[0], *made[1]], [ALICE], bundles.INFO, tmp_path / "b")
    assert verify(tmp_path / "b", [ALICE.public]).answer == "yes"


def refused(made: Any, tmp_path: Path, change: Any) -> list[tuple[int, str]]:
    attested = [BundleFile(f.path, change(f)) for f in made[1][:1]]
    bundling.bundle([*made[0], *attested], [ALICE], bundles.INFO, tmp_path / "b")
    verdict = verify(tmp_path / "b", [ALICE.public])
    return [(f.step, f.code) for f in verdict.findings if f.status == "failed"]


def test_an_attestation_by_a_stranger_is_refused(made: Any, tmp_path: Path) -> None:
    from clawpro_artifact.formats import canonical, envelope

    def change(file: BundleFile) -> bytes:
        return envelope.seal(canonical.encode(opened(file)), EVE)

    assert refused(made, tmp_path, change) == [(3, "signature-invalid")]


def test_an_attestation_about_other_scores_is_refused(made: Any, tmp_path: Path) -> None:
    from clawpro_artifact.formats import canonical, envelope

    def change(file: BundleFile) -> bytes:
        value = opened(file)
        value["subject"][0]["digest"]["sha256"] = "1" * 64
        return envelope.seal(canonical.encode(value), ALICE)

    assert refused(made, tmp_path, change) == [(3, "other-subject")]


def test_only_a_yes_is_summed_up(made: Any, tmp_path: Path) -> None:
    bundling.bundle([*made[0], *made[1]], [ALICE], bundles.INFO, tmp_path / "b")
    verdict = verify(tmp_path / "b", [ALICE.public])
    when, policy = "2026-04-01T00:00:00Z", "sha256:" + "2" * 64
    value = json.loads(bundling.summary(verdict, ALICE, when, policy))
    said = json.loads(base64.b64decode(value["payload"]))
    assert said["predicate"]["verificationResult"] == "PASSED"
    assert "sha256:" + said["subject"][0]["digest"]["sha256"] == verdict.bundle_id
    with pytest.raises(ValueError, match="only a yes"):
        bundling.summary(Verdict(None, ()), ALICE, when, policy)
