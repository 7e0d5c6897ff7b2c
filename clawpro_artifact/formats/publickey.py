"""SPKI PEM -> PublicKey: the one key type (ECDSA P-256) and the one form of its signatures.

A signature is DER (RFC 3279) with s in the lower half of the group order. (r, n - s) verifies
whenever (r, s) does, so without this rule anybody could make a second signature out of the first
and a signed bundle would have two sets of bytes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from clawpro_artifact.errors import InputError

# Order of the group of P-256 (SEC 2, section 2.4.2).
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@dataclass(frozen=True)
class PublicKey:
    """A P-256 public key, equal to another exactly when the key is the same.

    `spki`: SubjectPublicKeyInfo in DER, with the uncompressed point (RFC 5480).
    """

    spki: bytes

    @property
    def keyid(self) -> str:
        """sha256 of the SPKI DER, lower-case hex."""
        return hashlib.sha256(self.spki).hexdigest()

    @property
    def point(self) -> bytes:
        """The uncompressed point: 0x04, x, y; 65 bytes."""
        return self.spki[-65:]

    @property
    def pem(self) -> bytes:
        """SPKI in PEM, as openssl, cosign and `@sigstore/verify` take it."""
        return self._key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )

    def verify(self, signature: bytes, message: bytes) -> bool:
        """True if `signature` is this key's over `message` (ECDSA with SHA-256, low s)."""
        try:
            if decode_dss_signature(signature)[1] > ORDER // 2:
                return False
            self._key().verify(signature, message, ec.ECDSA(hashes.SHA256()))
        except (InvalidSignature, ValueError):
            return False
        return True

    def _key(self) -> ec.EllipticCurvePublicKey:
        key = serialization.load_der_public_key(self.spki)
        assert isinstance(key, ec.EllipticCurvePublicKey)
        return key


class Signer(Protocol):
    """Something that holds a private key: a file (`adapters.keys`), a KMS, an HSM."""

    @property
    def public(self) -> PublicKey:
        """The key that verifies what `sign` returns."""
        ...

    def sign(self, message: bytes) -> bytes:
        """ECDSA P-256 with SHA-256 over `message`: DER, low s (`low_s`)."""
        ...


def low_s(signature: bytes) -> bytes:
    """The same DER signature with s in the lower half; ValueError if it is no DER signature."""
    r, s = decode_dss_signature(signature)
    return encode_dss_signature(r, min(s, ORDER - s))


def of(key: ec.EllipticCurvePublicKey) -> PublicKey:
    """From the library's object; InputError for another curve."""
    if not isinstance(key.curve, ec.SECP256R1):
        raise _unfit(f"a key on {key.curve.name}")
    return PublicKey(
        key.public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )


def from_pem(data: bytes, where: str) -> PublicKey:
    """From SPKI PEM; InputError for anything but one P-256 public key."""
    if data.count(b"-----BEGIN ") != 1:
        raise _unfit(f"{data.count(b'-----BEGIN ')} PEM blocks", where)
    if b"PRIVATE KEY" in data:
        raise _unfit("a private key", where)
    try:
        key = serialization.load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        raise _unfit("something that is no public key", where) from None
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise _unfit(f"a key of another type ({type(key).__name__})", where)
    return of(key)


def from_point(point: bytes, where: str) -> PublicKey:
    """From the 65 bytes of an uncompressed point; InputError if it is not on the curve."""
    try:
        if len(point) != 65:
            raise ValueError
        return of(ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point))
    except ValueError:
        raise _unfit("bytes that are no point of P-256", where) from None


def _unfit(found: str, where: str | None = None) -> InputError:
    return InputError(
        "not a public key of the only type that is used",
        where=where,
        expected="one ECDSA P-256 public key, `-----BEGIN PUBLIC KEY-----`",
        found=found,
        do="export it with `clawpro keys export`",
    )
