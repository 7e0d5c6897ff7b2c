from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from clawpro_artifact.adapters.keys import KeyFile
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical, envelope
from clawpro_artifact.formats.publickey import ORDER

ALICE = KeyFile(ec.derive_private_key(11, ec.SECP256R1()))
BOB = KeyFile(ec.derive_private_key(12, ec.SECP256R1()))
DIGEST = "sha256:" + "ab" * 32
PAYLOAD = envelope.statement(
    [envelope.Subject("tagmanifest-sha256.txt", DIGEST)], "urn:example:predicate", {"k": "3"}
)


def edited(edit: Callable[[Any], object]) -> bytes:
    value = json.loads(envelope.seal(PAYLOAD, ALICE))
    edit(value)
    return canonical.encode(value)


def test_a_sealed_statement_opens_with_its_key() -> None:
    found = envelope.verify(
        envelope.parse(envelope.seal(PAYLOAD, ALICE), "b"), [BOB.public, ALICE.public]
    )
    assert found == envelope.Verified(PAYLOAD, ALICE.public)
    assert envelope.open_statement(found, "b") == envelope.Statement(
        (envelope.Subject("tagmanifest-sha256.txt", DIGEST),), "urn:example:predicate", {"k": "3"}
    )


def test_sealing_twice_gives_the_same_bytes() -> None:
    assert envelope.seal(PAYLOAD, ALICE) == envelope.seal(PAYLOAD, ALICE)


def test_another_key_does_not_open_it() -> None:
    assert envelope.verify(envelope.parse(envelope.seal(PAYLOAD, ALICE), "b"), [BOB.public]) is None


def test_the_keyid_does_not_decide_who_signed() -> None:
    def claim(value: Any) -> None:
        value["dsseEnvelope"]["signatures"][0]["keyid"] = BOB.public.keyid
        value["verificationMaterial"]["publicKey"]["hint"] = BOB.public.keyid

    parsed = envelope.parse(edited(claim), "b")
    assert envelope.verify(parsed, [BOB.public]) is None
    found = envelope.verify(parsed, [ALICE.public])
    assert found is not None
    assert found.key == ALICE.public


def test_one_key_signing_twice_counts_once_towards_a_threshold() -> None:
    a, b = envelope.Verified(PAYLOAD, ALICE.public), envelope.Verified(PAYLOAD, BOB.public)
    assert envelope.distinct_keys([a, a], PAYLOAD) == {ALICE.public}
    assert envelope.distinct_keys([a, b], PAYLOAD) == {ALICE.public, BOB.public}


def test_a_signature_over_another_payload_does_not_count_towards_a_threshold() -> None:
    other = envelope.Verified(b"other", BOB.public)
    assert envelope.distinct_keys([other], PAYLOAD) == frozenset()


def test_a_changed_payload_is_not_verified() -> None:
    def change(value: Any) -> None:
        value["dsseEnvelope"]["payload"] = base64.b64encode(PAYLOAD.replace(b"3", b"4", 1)).decode()

    assert envelope.verify(envelope.parse(edited(change), "b"), [ALICE.public]) is None


def test_a_signature_for_another_payload_type_is_not_verified() -> None:
    class OtherType:
        public = ALICE.public

        def sign(self, message: bytes) -> bytes:
            return ALICE.sign(envelope.pae(PAYLOAD, "text/plain"))

    sealed = envelope.seal(PAYLOAD, OtherType())
    assert envelope.verify(envelope.parse(sealed, "b"), [ALICE.public]) is None


def test_the_other_spelling_of_a_signature_is_not_verified() -> None:
    def negate(value: Any) -> None:
        entry = value["dsseEnvelope"]["signatures"][0]
        r, s = decode_dss_signature(base64.b64decode(entry["sig"]))
        entry["sig"] = base64.b64encode(encode_dss_signature(r, ORDER - s)).decode()

    assert envelope.verify(envelope.parse(edited(negate), "b"), [ALICE.public]) is None


def dsse(value: Any) -> Any:
    return value["dsseEnvelope"]


@pytest.mark.parametrize(
    ("edit", "place"),
    [
        (lambda v: v.update(mediaType="application/json"), "#/mediaType"),
        (lambda v: v.update(more=1), "#"),
        (lambda v: v.pop("verificationMaterial"), "#"),
        (lambda v: dsse(v).update(payloadType="text/plain"), "/payloadType"),
        (lambda v: dsse(v).update(signatures=[]), "/signatures"),
        (lambda v: dsse(v).update(signatures=dsse(v)["signatures"] * 2), "/signatures"),
        (lambda v: dsse(v)["signatures"][0].update(cert="x"), "/signatures/0"),
        (lambda v: dsse(v)["signatures"][0].update(keyid=""), "/keyid"),
        (lambda v: dsse(v)["signatures"][0].update(sig=""), "/sig"),
        (lambda v: dsse(v)["signatures"][0].update(sig="AB=="), "/sig"),
        (lambda v: dsse(v)["signatures"][0].update(sig="-_-_"), "/sig"),
        (lambda v: dsse(v)["signatures"][0].update(sig="AAAA\n"), "/sig"),
        (lambda v: dsse(v).update(payload=None), "/payload"),
        (lambda v: v["verificationMaterial"]["publicKey"].update(hint="x"), "/hint"),
        (lambda v: v["verificationMaterial"].update(certificate={}), "#/verificationMaterial"),
    ],
)
def test_a_bundle_of_another_shape_is_refused(edit: Callable[[Any], object], place: str) -> None:
    with pytest.raises(InputError, match="malformed signature bundle") as caught:
        envelope.parse(edited(edit), "b")
    assert (caught.value.where or "").endswith(place)


def test_bytes_that_are_no_signature_are_not_verified() -> None:
    sealed = edited(lambda v: dsse(v)["signatures"][0].update(sig="AA=="))
    assert envelope.verify(envelope.parse(sealed, "b"), [ALICE.public]) is None


def test_a_bundle_with_a_space_more_is_refused() -> None:
    with pytest.raises(InputError, match="not in canonical form"):
        envelope.parse(envelope.seal(PAYLOAD, ALICE) + b" ", "b")


@pytest.mark.parametrize(
    ("payload", "place"),
    [
        ({"_type": "https://in-toto.io/Statement/v0.1"}, "/_type"),
        ({"subject": []}, "/subject"),
        ({"subject": [{"name": "a", "digest": {"sha256": "AB" * 32}}]}, "/sha256"),
        ({"subject": [{"name": "a", "digest": {"sha1": "ab" * 20}}]}, "/digest"),
        ({"subject": [{"name": "a", "digest": {"sha256": "ab" * 32}}] * 2}, "/subject"),
        ({"predicateType": ""}, "/predicateType"),
        ({"predicate": []}, "/predicate"),
        ({"more": 1}, "#"),
    ],
)
def test_a_signed_statement_of_another_shape_is_refused(
    payload: dict[str, Any], place: str
) -> None:
    signed = canonical.encode(json.loads(PAYLOAD) | payload)
    found = envelope.verify(envelope.parse(envelope.seal(signed, ALICE), "b"), [ALICE.public])
    assert found is not None
    with pytest.raises(InputError) as caught:
        envelope.open_statement(found, "b")
    assert (caught.value.where or "").endswith(place)
