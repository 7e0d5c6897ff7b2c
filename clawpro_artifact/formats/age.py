"""bytes + recipients -> an age file; an age file + identity -> bytes (age-encryption.org/v1).

`pyrage` (the Rust implementation `rage`) does the work; recipients are `age1...` or SSH public keys
(`ssh-ed25519`, `ssh-rsa`), identities the matching secret texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clawpro_artifact.errors import InputError, TrustError


def encrypt(data: bytes, recipients: Iterable[str]) -> bytes:
    """Readable by the holder of any one of these keys. Raises InputError for an unknown key."""
    import pyrage

    keys = [_recipient(text.strip()) for text in recipients]
    if not keys:
        raise InputError("no recipient for the vault", expected="an age1... or ssh public key",
                         found="none")  # fmt: skip
    return bytes(pyrage.encrypt(data, keys))


def decrypt(data: bytes, identity: str, where: str) -> bytes:
    """Raises TrustError if it is for other keys or was changed, InputError for a bad identity."""
    import pyrage

    key = _identity(identity)
    try:
        return bytes(pyrage.decrypt(data, [key]))
    except pyrage.DecryptError as error:
        raise TrustError(
            "the vault does not open with this key",
            where=where,
            expected="an age file that is encrypted to the key and unchanged",
            found=str(error),
        ) from None


def _recipient(text: str) -> Any:
    from pyrage import RecipientError, ssh, x25519

    kind = x25519.Recipient if text.startswith("age1") else ssh.Recipient
    try:
        return kind.from_str(text)
    except RecipientError as error:
        raise InputError(
            "not a key that the vault can be encrypted to",
            expected="age1..., ssh-ed25519 ... or ssh-rsa ...",
            found=text[:24],
            do=str(error),
        ) from None


def _identity(text: str) -> Any:
    from pyrage import IdentityError, ssh, x25519

    lines = [line for line in text.splitlines() if line.startswith("AGE-SECRET-KEY-1")]
    try:
        if lines:
            return x25519.Identity.from_str(lines[0].strip())
        return ssh.Identity.from_buffer(text.encode())
    except IdentityError as error:
        raise InputError(
            "not an identity that opens a vault",
            expected="AGE-SECRET-KEY-1... or an unencrypted OpenSSH private key",
            found=str(error),
        ) from None
