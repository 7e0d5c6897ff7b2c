"""Statement + signer -> Sigstore bundle v0.3 (DSSE over in-toto Statement v1), and back, strictly.

The reader takes what the writer writes and nothing else: canonical JSON, canonical standard base64
(DSSE lets a reader take URL-safe base64 too; then one envelope would have two sets of bytes),
exactly one signature. The keyid and the hint are not authenticated and decide nothing.
Sources: DSSE v1.0.2 protocol and envelope, in-toto Statement v1, sigstore protobuf-specs v0.3.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical
from clawpro_artifact.formats.publickey import PublicKey, Signer

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
BUNDLE_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"
MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class Envelope:
    """A parsed bundle, not yet verified. `payload` is to be used only as `Verified.payload`."""

    payload: bytes
    signature: bytes
    keyid: str


@dataclass(frozen=True)
class Verified:
    """The exact bytes that were signed, and the caller's key that vouches for them."""

    payload: bytes
    key: PublicKey


@dataclass(frozen=True)
class Subject:
    """One thing a statement is about: a plain file by name and `sha256:<hex>`."""

    name: str
    digest: str


@dataclass(frozen=True)
class Statement:
    """in-toto Statement v1."""

    subjects: tuple[Subject, ...]
    predicate_type: str
    predicate: dict[str, Any]


def pae(payload: bytes, payload_type: str = PAYLOAD_TYPE) -> bytes:
    """Pre-authentication encoding: what is signed (DSSE protocol, lengths in bytes)."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def statement(
    subjects: Sequence[Subject], predicate_type: str, predicate: Mapping[str, Any]
) -> bytes:
    """Canonical JSON of a Statement v1. Subject 0 must be a plain file: cosign hashes it."""
    return canonical.encode(
        {
            "_type": STATEMENT_TYPE,
            "subject": [
                {"name": s.name, "digest": {"sha256": s.digest.removeprefix("sha256:")}}
                for s in subjects
            ],
            "predicateType": predicate_type,
            "predicate": dict(predicate),
        }
    )


def seal(payload: bytes, signer: Signer) -> bytes:
    """Sigstore bundle v0.3 of one signer, canonical JSON. The same key gives the same bytes."""
    keyid = signer.public.keyid
    return canonical.encode(
        {
            "mediaType": BUNDLE_TYPE,
            "verificationMaterial": {"publicKey": {"hint": keyid}},
            "dsseEnvelope": {
                "payload": base64.b64encode(payload).decode(),
                "payloadType": PAYLOAD_TYPE,
                "signatures": [
                    {"sig": base64.b64encode(signer.sign(pae(payload))).decode(), "keyid": keyid}
                ],
            },
        }
    )


def parse(data: bytes, where: str) -> Envelope:
    """An envelope out of bundle bytes; InputError for any other shape. Nothing is verified yet."""
    top = _fields(
        canonical.decode(data, where, max_bytes=MAX_BYTES),
        ("mediaType", "verificationMaterial", "dsseEnvelope"),
        where,
        "",
    )
    _equal(top["mediaType"], BUNDLE_TYPE, where, "/mediaType")
    material = _fields(top["verificationMaterial"], ("publicKey",), where, "/verificationMaterial")
    hint = _fields(material["publicKey"], ("hint",), where, "/verificationMaterial/publicKey")[
        "hint"
    ]
    dsse = _fields(
        top["dsseEnvelope"], ("payload", "payloadType", "signatures"), where, "/dsseEnvelope"
    )
    _equal(dsse["payloadType"], PAYLOAD_TYPE, where, "/dsseEnvelope/payloadType")
    signatures = dsse["signatures"]
    if not isinstance(signatures, list) or len(signatures) != 1:
        found = f"{len(signatures)}" if isinstance(signatures, list) else "no array"
        raise _broken(where, "/dsseEnvelope/signatures", "exactly one signature", found)
    at = "/dsseEnvelope/signatures/0"
    entry = _fields(signatures[0], ("sig", "keyid"), where, at)
    keyid = entry["keyid"]
    if not isinstance(keyid, str) or not re.fullmatch(r"[0-9a-f]{64}", keyid):
        raise _broken(where, f"{at}/keyid", "a sha256 in lower-case hex", repr(keyid))
    _equal(hint, keyid, where, "/verificationMaterial/publicKey/hint")
    return Envelope(
        payload=_base64(dsse["payload"], where, "/dsseEnvelope/payload"),
        signature=_base64(entry["sig"], where, f"{at}/sig"),
        keyid=keyid,
    )


def verify(envelope: Envelope, keys: Iterable[PublicKey]) -> Verified | None:
    """Tries each of the *caller's* keys; None if none of them made the signature."""
    message = pae(envelope.payload)
    for key in keys:
        if key.verify(envelope.signature, message):
            return Verified(envelope.payload, key)
    return None


def distinct_keys(verified: Iterable[Verified], payload: bytes) -> frozenset[PublicKey]:
    """The different public keys that vouch for exactly `payload`: what a threshold counts."""
    return frozenset(v.key for v in verified if v.payload == payload)


def open_statement(verified: Verified, where: str) -> Statement:
    """The statement in verified bytes; InputError unless it is canonical and a Statement v1."""
    top = _fields(
        canonical.decode(verified.payload, where),
        ("_type", "subject", "predicateType", "predicate"),
        where,
        "",
    )
    _equal(top["_type"], STATEMENT_TYPE, where, "/_type")
    if not isinstance(top["predicateType"], str) or not top["predicateType"]:
        raise _broken(where, "/predicateType", "a type URI", repr(top["predicateType"]))
    if not isinstance(top["predicate"], dict):
        raise _broken(where, "/predicate", "an object", type(top["predicate"]).__name__)
    entries = top["subject"]
    if not isinstance(entries, list) or not entries:
        raise _broken(where, "/subject", "at least one subject", repr(entries)[:80])
    subjects = tuple(_subject(e, where, f"/subject/{i}") for i, e in enumerate(entries))
    if len({s.name for s in subjects}) != len(subjects):
        raise _broken(where, "/subject", "each name once", "a name twice")
    return Statement(subjects, top["predicateType"], top["predicate"])


def _subject(entry: object, where: str, at: str) -> Subject:
    fields = _fields(entry, ("name", "digest"), where, at)
    digest = _fields(fields["digest"], ("sha256",), where, f"{at}/digest")["sha256"]
    if not isinstance(fields["name"], str) or not fields["name"]:
        raise _broken(where, f"{at}/name", "a name", repr(fields["name"]))
    if not isinstance(digest, str) or not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise _broken(where, f"{at}/digest/sha256", "64 lower-case hex digits", repr(digest)[:80])
    return Subject(fields["name"], "sha256:" + digest)


def _fields(value: object, names: tuple[str, ...], where: str, at: str) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != set(names):
        found = ", ".join(sorted(value)) if isinstance(value, dict) else type(value).__name__
        raise _broken(where, at, "exactly the fields " + ", ".join(names), found[:200])
    return value


def _equal(value: object, expected: str, where: str, at: str) -> None:
    if value != expected:
        raise _broken(where, at, repr(expected), repr(value)[:80])


def _base64(value: object, where: str, at: str) -> bytes:
    if isinstance(value, str) and value.isascii():
        try:
            data = base64.b64decode(value, validate=True)
        except binascii.Error:
            data = b""
        # Unused bits of the last character must be zero, or one signature has many spellings.
        if data and base64.b64encode(data).decode() == value:
            return data
    raise _broken(where, at, "standard base64 in canonical form", repr(value)[:80])


def _broken(where: str, at: str, expected: str, found: str) -> InputError:
    return InputError(
        "malformed signature bundle", where=f"{where}#{at}", expected=expected, found=found
    )
