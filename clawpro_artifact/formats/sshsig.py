"""message + signer -> armored SSHSIG that `ssh-keygen -Y verify` takes, and back, strictly.

Source: OpenSSH PROTOCOL.sshsig; key and signature blobs of RFC 5656 section 3.1.
Only ecdsa-sha2-nistp256, sha512 and our namespace: the reader refuses the rest.
"""

from __future__ import annotations

import base64
import hashlib
import struct

from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import publickey
from clawpro_artifact.formats.publickey import PublicKey, Signer

NAMESPACE = "clawpro-bundle@v1"
_MAGIC = b"SSHSIG"
_KEY_TYPE = b"ecdsa-sha2-nistp256"
_HASH = b"sha512"
_BEGIN, _END = b"-----BEGIN SSH SIGNATURE-----\n", b"-----END SSH SIGNATURE-----\n"
_WIDTH = 70  # as ssh-keygen breaks lines


def sign(message: bytes, signer: Signer, namespace: str = NAMESPACE) -> bytes:
    """Armored signature over `message`; deterministic if the signer is."""
    return _armor(signer.public, signer.sign(_signed(message, namespace)), namespace)


def verify(
    armored: bytes, message: bytes, key: PublicKey, where: str, namespace: str = NAMESPACE
) -> bool:
    """True if `key` made this signature over `message` in this namespace.

    The key inside the signature vouches for nothing; it must merely be the same.
    Raises InputError if the armor is not, byte for byte, what `sign` would write around the blob.
    """
    inside, der = _unarmor(armored, where, namespace)
    return inside == key and key.verify(der, _signed(message, namespace))


def public_line(key: PublicKey, comment: str = "") -> str:
    """The key as in `authorized_keys`: `ecdsa-sha2-nistp256 BASE64 [COMMENT]`, no line end."""
    return f"{_KEY_TYPE.decode()} {base64.b64encode(_key_blob(key)).decode()} {comment}".rstrip()


def allowed_signer(principal: str, key: PublicKey, namespace: str = NAMESPACE) -> str:
    """A line of an `allowed_signers` file for `ssh-keygen -Y verify -f`, with its line end."""
    return f'{principal} namespaces="{namespace}" {public_line(key)}\n'


def _signed(message: bytes, namespace: str) -> bytes:
    digest = hashlib.sha512(message).digest()
    return _MAGIC + _string(namespace.encode()) + _string(b"") + _string(_HASH) + _string(digest)


def _armor(key: PublicKey, der: bytes, namespace: str) -> bytes:
    r, s = decode_dss_signature(der)
    blob = (
        _MAGIC
        + struct.pack(">I", 1)
        + _string(_key_blob(key))
        + _string(namespace.encode())
        + _string(b"")
        + _string(_HASH)
        + _string(_string(_KEY_TYPE) + _string(_mpint(r) + _mpint(s)))
    )
    text = base64.b64encode(blob)
    lines = [text[i : i + _WIDTH] + b"\n" for i in range(0, len(text), _WIDTH)]
    return _BEGIN + b"".join(lines) + _END


def _unarmor(armored: bytes, where: str, namespace: str) -> tuple[PublicKey, bytes]:
    try:
        if len(armored) > 4096 or not (armored.startswith(_BEGIN) and armored.endswith(_END)):
            raise ValueError("no SSH SIGNATURE armor")
        text = armored[len(_BEGIN) : -len(_END)].replace(b"\n", b"")
        blob = base64.b64decode(text, validate=True)
        if blob[:10] != _MAGIC + struct.pack(">I", 1):
            raise ValueError("not SSHSIG version 1")
        key_blob, found, _, hash_name, signature = _strings(blob[10:], 5)
        if found != namespace.encode():
            raise ValueError(f"the namespace {found[:60]!r}")
        if hash_name != _HASH:
            raise ValueError(f"the hash {hash_name[:20]!r}")
        key_type, curve, point = _strings(key_blob, 3)
        if (key_type, curve) != (_KEY_TYPE, b"nistp256"):
            raise ValueError(f"a key of type {key_type[:40]!r}")
        key = publickey.from_point(point, where)
        signature_type, pair = _strings(signature, 2)
        if signature_type != _KEY_TYPE:
            raise ValueError(f"a signature of type {signature_type[:40]!r}")
        r, s = (int.from_bytes(x, "big") for x in _strings(pair, 2))
        der = encode_dss_signature(r, s)
        if _armor(key, der, namespace) != armored:
            raise ValueError("another spelling of the same signature")
    except ValueError as error:  # binascii.Error is one
        raise InputError(
            "malformed SSH signature",
            where=where,
            expected=f"SSHSIG, ecdsa-sha2-nistp256, sha512, namespace {namespace}",
            found=str(error),
        ) from None
    return key, der


def _key_blob(key: PublicKey) -> bytes:
    return _string(_KEY_TYPE) + _string(b"nistp256") + _string(key.point)


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _mpint(number: int) -> bytes:
    """RFC 4251 section 5: big-endian two's complement, no needless leading byte."""
    return _string(number.to_bytes(number.bit_length() // 8 + 1, "big") if number else b"")


def _strings(data: bytes, count: int) -> list[bytes]:
    """Exactly `count` length-prefixed strings and nothing after; ValueError otherwise."""
    result = []
    for _ in range(count):
        if len(data) < 4:
            raise ValueError("truncated")
        end = 4 + struct.unpack(">I", data[:4])[0]
        if len(data) < end:
            raise ValueError("truncated")
        result.append(data[4:end])
        data = data[end:]
    if data:
        raise ValueError("bytes after the end")
    return result
