"""scores, images, verdict -> attestations in other people's predicates, each signed on its own.

in-toto test-result v0.1 for each configuration and track, SLSA provenance v1 for each image, the
scores under our own URI, and a verification summary (SLSA VSA v1). Their subjects are files of the
payload or images, so that they can be written before the index is.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from clawpro_artifact.bundling.write import BundleFile
from clawpro_artifact.formats import canonical, envelope
from clawpro_artifact.formats.envelope import Subject
from clawpro_artifact.formats.publickey import Signer
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.bundle import Verdict
from clawpro_artifact.model.lock import Lock

TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
PROVENANCE = "https://slsa.dev/provenance/v1"
SUMMARY = "https://slsa.dev/verification_summary/v1"
EVALUATION = "urn:clawpro:predicate:evaluation:v1"


def attestations(
    lock: Lock, scores: bytes, document: dict[str, Any], signers: Sequence[Signer]
) -> Iterator[BundleFile]:
    """The tag files, by each signer. `document` is the parsed `scores`."""
    subject = [Subject(names.SCORES, canonical.bytes_digest(scores))]
    for suite in document["suites"]:
        name = f"test-result-{suite['configuration']}-{suite['track']}"
        yield from _sealed(name, subject, TEST_RESULT, _test_result(lock, document, suite), signers)
    evaluation = {"k": document["k"], "weights": document["weights"], "suites": document["suites"]}
    yield from _sealed("evaluation", subject, EVALUATION, evaluation, signers)
    for pin in lock.images:
        image = [Subject(pin.image, pin.config)]
        yield from _sealed(f"provenance-{pin.image}", image, PROVENANCE, _provenance(pin), signers)


def _sealed(
    name: str,
    subjects: Sequence[Subject],
    kind: str,
    predicate: dict[str, Any],
    signers: Iterable[Signer],
) -> Iterator[BundleFile]:
    payload = envelope.statement(subjects, kind, predicate)
    for signer in signers:
        stem = signer.public.keyid[: names.KEY_STEM]
        path = f"{names.ATTESTATIONS}{name}.{stem}.sigstore.json"
        yield BundleFile(path, envelope.seal(payload, signer))


def _test_result(lock: Lock, document: dict[str, Any], suite: dict[str, Any]) -> dict[str, Any]:
    """A test is a scenario; it passed if all its trials did (strict)."""
    rows = [
        s
        for s in document["scenarios"]
        if (s["configuration"], s["track"]) == (suite["configuration"], suite["track"])
    ]
    lists = {
        "passedTests": [s["scenario"] for s in rows if s["strict"] is True],
        "warnedTests": [s["scenario"] for s in rows if s["strict"] is None],
        "failedTests": [s["scenario"] for s in rows if s["strict"] is False],
    }
    failed, undecided = lists["failedTests"], lists["warnedTests"]
    return {
        "result": "FAILED" if failed else "WARNED" if undecided else "PASSED",
        "configuration": [
            {"name": names.LOCK, "digest": {"sha256": canonical.digest(lock)[len("sha256:") :]}}
        ],
        **lists,
    }


def _provenance(pin: Any) -> dict[str, Any]:
    return {
        "buildDefinition": {
            "buildType": "urn:clawpro:build:image:v1",
            "externalParameters": {"image": pin.image, "runtime": pin.runtime},
            "resolvedDependencies": [
                {
                    "name": f"data/images/{pin.image}/lock.json",
                    "digest": {"sha256": pin.lock.removeprefix("sha256:")},
                }
            ],
        },
        "runDetails": {"builder": {"id": "urn:clawpro:builder:local"}},
    }


def summary(verdict: Verdict, signer: Signer, verified_at: str, policy_digest: str) -> bytes:
    """A VSA in a plain DSSE envelope, for `slsa-verifier verify-vsa`; ValueError unless yes."""
    if verdict.answer != "yes" or verdict.claim is None or verdict.bundle_id is None:
        raise ValueError("only a yes is summed up")
    payload = envelope.statement(
        [Subject("tagmanifest-sha256.txt", verdict.bundle_id)],
        SUMMARY,
        {
            "verifier": {"id": "urn:clawpro:verifier"},
            "timeVerified": verified_at,
            "resourceUri": f"urn:clawpro:release:{verdict.claim.name}:{verdict.claim.version}",
            "policy": {"digest": {"sha256": policy_digest.removeprefix("sha256:")}},
            "verificationResult": "PASSED",
            "verifiedLevels": ["CLAWPRO_RELEASE_V1"],
        },
    )
    signature = signer.sign(envelope.pae(payload))
    return canonical.encode(
        {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": envelope.PAYLOAD_TYPE,
            "signatures": [
                {"keyid": signer.public.keyid, "sig": base64.b64encode(signature).decode()}
            ],
        }
    )
