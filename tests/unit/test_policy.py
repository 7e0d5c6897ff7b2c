"""The old policy signs the new one; nothing older, forked, expired or too thinly signed counts."""

from __future__ import annotations

import base64
import dataclasses
import json
from datetime import UTC, datetime

import pytest

from clawpro_artifact.errors import InputError, TrustError, UsageError
from clawpro_artifact.formats import canonical, trust
from clawpro_artifact.formats.trust import LogTrust, TrustedKey, TrustPolicy
from clawpro_artifact.verifying import policy
from tests.bundles import ALICE, BOB, EVE

NOW = datetime(2026, 6, 1, tzinfo=UTC)
LATER = "2027-01-01T00:00:00Z"
A, B, E = (TrustedKey(k.public, n) for k, n in ((ALICE, "a"), (BOB, "b"), (EVE, "e")))
OLD = policy.first("team", (A, B), threshold=1, expires=LATER, log=LogTrust("log", (BOB.public,)))
PAIR = policy.first("team", (A, B), threshold=2, expires=LATER)


def rotated(old: TrustPolicy = OLD) -> TrustPolicy:
    return policy.rotate(old, ALICE.public, E, at="2026-07-01T00:00:00Z", expires=LATER)


def test_a_policy_survives_being_written_and_read() -> None:
    new = policy.revoke(OLD, BOB.public, at=LATER, reason="lost", expires=LATER)
    assert trust.read(trust.sign(new, [ALICE]), "p") == new


def test_the_next_policy_signed_by_the_one_before_is_believed() -> None:
    new = rotated()
    assert policy.advance(OLD, trust.sign(new, [ALICE]), now=NOW, where="p") == new


def test_the_same_policy_again_changes_nothing() -> None:
    assert policy.advance(OLD, trust.sign(OLD, []), now=NOW, where="p") == OLD


def refused(old: TrustPolicy, data: bytes, words: str, now: datetime = NOW) -> None:
    with pytest.raises(TrustError, match=words):
        policy.advance(old, data, now=now, where="p")


def test_a_policy_that_only_new_keys_signed_is_refused() -> None:
    refused(OLD, trust.sign(rotated(), [EVE]), "signatures of 1 keys of the policy before")


def test_a_policy_that_nobody_signed_is_refused() -> None:
    refused(OLD, trust.sign(rotated(), []), "signatures of 1 keys")


def test_one_of_two_needed_signatures_is_not_enough() -> None:
    refused(PAIR, trust.sign(rotated(PAIR), [ALICE]), "signatures of 2 keys of the policy before")


def test_two_people_sign_copies_that_are_merged() -> None:
    new = rotated(PAIR)
    merged = trust.merge([trust.sign(new, [ALICE]), trust.sign(new, [BOB])])
    assert policy.advance(PAIR, merged, now=NOW, where="p") == new


def test_one_signature_under_two_key_ids_counts_once() -> None:
    new = rotated(PAIR)
    value = json.loads(trust.sign(new, [ALICE]))
    copy = {"keyid": BOB.public.keyid, "sig": value["signatures"][0]["sig"]}
    value["signatures"] = sorted([*value["signatures"], copy], key=lambda s: s["keyid"])
    refused(PAIR, canonical.encode(value), "signatures of 2 keys")


def test_copies_of_different_policies_are_not_merged() -> None:
    with pytest.raises(InputError, match="malformed trust policy"):
        trust.merge([trust.sign(rotated(), [ALICE]), trust.sign(OLD, [BOB])])


def test_a_gap_in_versions_is_refused() -> None:
    new = dataclasses.replace(rotated(), version=3)
    refused(OLD, trust.sign(new, [ALICE, BOB]), "version 2")


def test_an_older_policy_is_refused() -> None:
    refused(rotated(), trust.sign(OLD, [ALICE, BOB]), "version 3")


def test_a_fork_is_refused() -> None:
    fork = policy.revoke(OLD, BOB.public, at=LATER, reason="x", expires=LATER)
    after = policy.rotate(fork, ALICE.public, E, at=LATER, expires=LATER)
    refused(rotated(), trust.sign(after, [ALICE, BOB, EVE]), "to follow")


def test_an_expired_next_policy_is_refused() -> None:
    late = datetime(2027, 2, 1, tzinfo=UTC)
    refused(OLD, trust.sign(rotated(), [BOB]), "has not expired", late)


def test_a_revoked_key_cannot_vote_on_its_own_revocation() -> None:
    new = policy.revoke(OLD, BOB.public, at=LATER, reason="stolen", expires=LATER)
    refused(OLD, trust.sign(new, [BOB]), "signatures of 1 keys of the policy before")


def test_a_policy_of_another_name_is_refused() -> None:
    new = dataclasses.replace(rotated(), name="other")
    refused(OLD, trust.sign(new, [ALICE, BOB]), "a policy of team")


def test_revoking_below_the_threshold_is_refused() -> None:
    with pytest.raises(UsageError, match="too few keys"):
        policy.revoke(PAIR, BOB.public, at=LATER, reason="x", expires=LATER)


def test_a_threshold_above_the_keys_is_refused() -> None:
    with pytest.raises(UsageError):
        policy.first("team", (A, A), threshold=2, expires=LATER)


@pytest.mark.parametrize(
    "edit",
    [
        lambda v: v["policy"].update(threshold=3),
        lambda v: v["policy"].update(threshold=0),
        lambda v: v["policy"].update(threshold=True),
        lambda v: v["policy"].update(extra=1),
        lambda v: v["policy"]["keys"].append(v["policy"]["keys"][0]),
        lambda v: v["policy"].update(expires="soon"),
        lambda v: v["signatures"].append(v["signatures"][0]),
        lambda v: v["policy"]["keys"][0].update(pem=v["policy"]["keys"][0]["pem"] + "\n"),
    ],
)
def test_a_malformed_policy_is_an_input_error(edit) -> None:  # type: ignore[no-untyped-def]
    value = json.loads(trust.sign(OLD, [ALICE]))
    edit(value)
    with pytest.raises(InputError):
        trust.read(canonical.encode(value), "p")


def test_openssl_would_verify_the_same_message() -> None:
    """The signed bytes are the documented DSSE encoding, rebuilt by hand."""
    value = json.loads(trust.sign(OLD, [ALICE]))
    body = canonical.encode(value["policy"])
    kind = b"application/vnd.clawpro.trust-policy.v1+json"
    message = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(body), body)
    assert ALICE.public.verify(base64.b64decode(value["signatures"][0]["sig"]), message)
