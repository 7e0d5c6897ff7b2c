"""canonical JSON <-> TrustPolicy: whose signatures a reader accepts; who signed the policy itself.

A policy file is `{"policy": ..., "signatures": [{"keyid", "sig"}]}`; each signature is over the
DSSE encoding of the policy's canonical JSON under its own type, so that it serves nothing else.
Model: the root role of TUF (specification 1.0.34, section 5.3).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical, claims, envelope, publickey
from clawpro_artifact.formats.publickey import PublicKey, Signer

FORMAT = "clawpro.trust-policy.v1"
PAYLOAD_TYPE = "application/vnd.clawpro.trust-policy.v1+json"
MAX_BYTES = 1 << 20
_NAME = re.compile(r"[ -~]{1,80}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_KEYID = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class TrustedKey:
    """A key and when what it signs counts; times as in `Claim.created`, None: unbounded."""

    key: PublicKey
    name: str
    valid_from: str | None = None
    valid_until: str | None = None


@dataclass(frozen=True)
class Revocation:
    """A key that no longer counts; who stole it can backdate, so only `keep` (bundle ids) stays."""

    keyid: str
    at: str
    reason: str
    keep: tuple[str, ...] = ()


@dataclass(frozen=True)
class LogTrust:
    """The release log that bundles must be in: its name and the keys of its checkpoints."""

    origin: str
    keys: tuple[PublicKey, ...]


@dataclass(frozen=True)
class TrustPolicy:
    """`threshold` different keys must sign. `previous`: digest of the policy this one follows.

    `threshold` applies to bundles and to the next policy alike. `expires` None: never (keys that
    the caller named by hand).
    """

    name: str
    version: int
    threshold: int
    keys: tuple[TrustedKey, ...]
    expires: str | None = None
    revoked: tuple[Revocation, ...] = ()
    log: LogTrust | None = None
    previous: str | None = None

    @property
    def digest(self) -> str:
        """Identity: of its canonical JSON."""
        return canonical.bytes_digest(encode(self))


def of_keys(keys: Sequence[PublicKey]) -> TrustPolicy:
    """The policy of a caller who names keys: any one of them, at any time."""
    return TrustPolicy("named keys", 1, 1, tuple(TrustedKey(k, k.keyid[:16]) for k in keys))


def encode(policy: TrustPolicy) -> bytes:
    """Canonical JSON: what is signed."""
    log = policy.log
    return canonical.encode(
        {
            "format": FORMAT,
            "name": policy.name,
            "version": policy.version,
            "threshold": policy.threshold,
            "expires": policy.expires,
            "previous": policy.previous,
            "keys": [
                {
                    "pem": k.key.pem.decode(),
                    "name": k.name,
                    "valid_from": k.valid_from,
                    "valid_until": k.valid_until,
                }
                for k in policy.keys
            ],
            "revoked": [
                {"keyid": r.keyid, "at": r.at, "reason": r.reason, "keep": list(r.keep)}
                for r in policy.revoked
            ],
            "log": None
            if log is None
            else {"origin": log.origin, "keys": [k.pem.decode() for k in log.keys]},
        }
    )


def sign(policy: TrustPolicy, signers: Iterable[Signer]) -> bytes:
    """The policy file, signed by each of `signers`, canonical JSON."""
    message = envelope.pae(encode(policy), PAYLOAD_TYPE)
    rows = [
        {"keyid": s.public.keyid, "sig": base64.b64encode(s.sign(message)).decode()}
        for s in sorted(signers, key=lambda s: s.public.keyid)
    ]
    return _file(policy, rows)


def merge(files: Sequence[bytes]) -> bytes:
    """One file with the signatures of several copies of one policy; InputError if they differ."""
    opened = [_open(data, f"copy {i}") for i, data in enumerate(files, 1)]
    if len({encode(policy) for policy, _ in opened}) != 1:
        raise _broken("copies", "", "copies of one policy", "different policies")
    rows = {row["keyid"]: row for _, rows in opened for row in rows}
    return _file(opened[0][0], [rows[k] for k in sorted(rows)])


def _file(policy: TrustPolicy, rows: list[dict[str, str]]) -> bytes:
    value = canonical.decode(encode(policy), "policy")
    return canonical.encode({"policy": value, "signatures": rows})


def read(data: bytes, where: str) -> TrustPolicy:
    """The policy in a file that the caller trusts already; its signatures are not judged."""
    return _open(data, where)[0]


def signers_of(data: bytes, keys: Iterable[PublicKey], where: str) -> frozenset[PublicKey]:
    """Which of `keys` signed the policy in this file."""
    policy, rows = _open(data, where)
    message = envelope.pae(encode(policy), PAYLOAD_TYPE)
    signatures = [_bytes(row["sig"], where) for row in rows]
    return frozenset(k for k in keys if any(k.verify(s, message) for s in signatures))


def _open(data: bytes, where: str) -> tuple[TrustPolicy, list[dict[str, str]]]:
    top = _fields(
        canonical.decode(data, where, max_bytes=MAX_BYTES), ("policy", "signatures"), where, ""
    )
    rows = [
        _fields(row, ("keyid", "sig"), where, f"/signatures/{i}")
        for i, row in enumerate(_list(top["signatures"], where, "/signatures"))
    ]
    ids = [_text(row["keyid"], _KEYID, where, "/signatures") for row in rows]
    if ids != sorted(set(ids)):
        raise _broken(where, "/signatures", "each key once, in order", "another order")
    return _policy(top["policy"], where), rows


def _policy(value: Any, where: str) -> TrustPolicy:
    fields = (
        "format", "name", "version", "threshold", "expires", "previous", "keys", "revoked", "log",
    )  # fmt: skip
    p = _fields(value, fields, where, "/policy")
    if p["format"] != FORMAT:
        raise _broken(where, "/policy/format", FORMAT, repr(p["format"])[:80])
    keys = []
    for i, row in enumerate(_list(p["keys"], where, "/policy/keys")):
        at = f"/policy/keys/{i}"
        row = _fields(row, ("pem", "name", "valid_from", "valid_until"), where, at)
        times = [_time(row[n], where, f"{at}/{n}") for n in ("valid_from", "valid_until")]
        name = _text(row["name"], _NAME, where, f"{at}/name")
        keys.append(TrustedKey(_key(row["pem"], where, at), name, *times))
    revoked = []
    for i, row in enumerate(_list(p["revoked"], where, "/policy/revoked")):
        at = f"/policy/revoked/{i}"
        row = _fields(row, ("keyid", "at", "reason", "keep"), where, at)
        keep = [_text(k, _DIGEST, where, f"{at}/keep") for k in _list(row["keep"], where, at)]
        revoked.append(
            Revocation(
                _text(row["keyid"], _KEYID, where, f"{at}/keyid"),
                claims.moment_text(row["at"], where, f"{at}/at"),
                _text(row["reason"], _NAME, where, f"{at}/reason"),
                tuple(keep),
            )
        )
    log = None
    if p["log"] is not None:
        row = _fields(p["log"], ("origin", "keys"), where, "/policy/log")
        pems = _list(row["keys"], where, "/policy/log/keys")
        origin = _text(row["origin"], re.compile(r"[!-*,-~]{1,80}"), where, "/policy/log/origin")
        log = LogTrust(origin, tuple(_key(pem, where, "/policy/log/keys") for pem in pems))
    if len({k.key for k in keys}) != len(keys):
        raise _broken(where, "/policy/keys", "different keys", "a key twice")
    version = _count(p["version"], where, "/policy/version")
    threshold = _count(p["threshold"], where, "/policy/threshold")
    usable = {k.key.keyid for k in keys} - {r.keyid for r in revoked if not r.keep}
    if threshold > len(usable):
        raise _broken(where, "/policy/threshold", f"at most {len(usable)}", str(threshold))
    return TrustPolicy(
        name=_text(p["name"], _NAME, where, "/policy/name"),
        version=version,
        threshold=threshold,
        keys=tuple(keys),
        expires=_time(p["expires"], where, "/policy/expires"),
        revoked=tuple(revoked),
        log=log,
        previous=None
        if p["previous"] is None
        else _text(p["previous"], _DIGEST, where, "/policy/previous"),
    )


def _key(pem: Any, where: str, at: str) -> PublicKey:
    text = _text(pem, re.compile(r"[A-Za-z0-9+/=\n -]{1,400}"), where, at)
    key = publickey.from_pem(text.encode(), f"{where}#{at}")
    if key.pem.decode() != text:
        raise _broken(where, at, "the PEM that openssl writes", "another spelling")
    return key


def _time(value: Any, where: str, at: str) -> str | None:
    return None if value is None else claims.moment_text(value, where, at)


def _bytes(text: str, where: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise _broken(where, "/signatures", "base64", repr(text)[:80]) from None


def _count(value: Any, where: str, at: str) -> int:
    if type(value) is not int or value < 1:
        raise _broken(where, at, "a number from 1", repr(value)[:80])
    return value


def _list(value: Any, where: str, at: str) -> list[Any]:
    if not isinstance(value, list):
        raise _broken(where, at, "an array", type(value).__name__)
    return value


def _fields(value: Any, names: tuple[str, ...], where: str, at: str) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != set(names):
        found = ", ".join(sorted(value)) if isinstance(value, dict) else type(value).__name__
        raise _broken(where, at, "exactly the fields " + ", ".join(names), found[:200])
    return value


def _text(value: Any, pattern: re.Pattern[str], where: str, at: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise _broken(where, at, f"text of the form {pattern.pattern}", repr(value)[:80])
    return value


def _broken(where: str, at: str, expected: str, found: str) -> InputError:
    return InputError(
        "malformed trust policy", where=f"{where}#{at}", expected=expected, found=found
    )
