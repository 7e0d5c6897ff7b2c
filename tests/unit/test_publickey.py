from __future__ import annotations

import hashlib

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from clawpro_artifact.adapters.keys import KeyFile
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import publickey

ALICE = KeyFile(ec.derive_private_key(11, ec.SECP256R1()))


def pem(key: ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def test_a_key_survives_its_pem() -> None:
    assert publickey.from_pem(ALICE.public.pem, "k") == ALICE.public


def test_the_keyid_is_the_sha256_of_the_spki() -> None:
    spki = ALICE.private.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert ALICE.public.keyid == hashlib.sha256(spki).hexdigest()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"ecdsa-sha2-nistp256 AAAA",
        ALICE.public.pem * 2,
        pem(ed25519.Ed25519PrivateKey.from_private_bytes(bytes(32))),
        pem(ec.derive_private_key(5, ec.SECP384R1())),
        pem(ec.derive_private_key(5, ec.SECP256K1())),
        ALICE.private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    ],
)
def test_anything_but_one_p256_public_key_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="not a public key of the only type"):
        publickey.from_pem(data, "k")


def test_a_point_off_the_curve_is_refused() -> None:
    with pytest.raises(InputError, match="not a public key of the only type"):
        publickey.from_point(b"\x04" + bytes(63) + b"\x01", "k")


@pytest.mark.parametrize(
    "signature", [b"", b"\x30\x00", bytes(64), b"\x30\x06\x02\x01\x00\x02\x01\x00"]
)
def test_garbage_is_no_signature(signature: bytes) -> None:
    assert not ALICE.public.verify(signature, b"m")


def test_a_signature_with_bytes_after_it_is_none() -> None:
    assert ALICE.public.verify(ALICE.sign(b"m"), b"m")
    assert not ALICE.public.verify(ALICE.sign(b"m") + b"\0", b"m")
