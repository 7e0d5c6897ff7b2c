"""cases about who signs what: broken envelopes, untrusted keys, false statements, rollbacks."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.keys import KeyFile
from clawpro_artifact.formats import sshsig
from clawpro_artifact.formats.publickey import ORDER
from clawpro_artifact.formats.trust import Revocation, TrustedKey, TrustPolicy
from clawpro_artifact.model.bundle import LastSeen
from tests import bundles
from tests.tampered.kit import (
    LIST,
    SEALED,
    SIG,
    STEM,
    TAGS,
    Case,
    Kit,
    envelope_of,
    payload_of,
    put_envelope,
    relist,
    resign,
    rewrite,
    seal,
    statement,
)

CASES: list[Case] = []
ALICE, BOB, EVE = bundles.ALICE, bundles.BOB, bundles.EVE


def folder(name: str, step: int, code: str, **more: Any) -> Callable[[Callable[..., None]], None]:
    def keep(edit: Callable[..., None]) -> None:
        def make(kit: Kit, to: Path) -> Path:
            copy = kit.copy(to)
            edit(copy, kit) if edit.__code__.co_argcount == 2 else edit(copy)
            return copy

        CASES.append(Case(name, make, step, code, group="signing", **more))

    return keep


def wrapped(name: str, code: str, edit: Callable[[dict[str, Any]], object]) -> None:
    """An edit of the signature bundle's JSON."""

    def make(at: Path) -> None:
        value = envelope_of(at)
        edit(value)
        put_envelope(at, value)

    folder(f"envelope-{name}", 3, code)(make)


def dsse(value: dict[str, Any]) -> Any:
    return value["dsseEnvelope"]


def one(value: dict[str, Any]) -> Any:
    return value["dsseEnvelope"]["signatures"][0]


wrapped("no-signatures", "malformed", lambda v: dsse(v).update(signatures=[]))
wrapped("same-signature-twice", "malformed", lambda v: dsse(v)["signatures"].append(one(v)))
wrapped(
    "garbage-signature-beside",
    "malformed",
    lambda v: dsse(v)["signatures"].append({"sig": "AAAA", "keyid": "0" * 64}),
)
wrapped("payload-type-swapped", "malformed", lambda v: dsse(v).update(payloadType="text/plain"))
wrapped("media-type-swapped", "malformed", lambda v: v.update(mediaType="x"))
wrapped("empty-payload", "malformed", lambda v: dsse(v).update(payload=""))
wrapped("keyid-of-another", "malformed", lambda v: one(v).update(keyid=BOB.public.keyid))
wrapped(
    "hint-of-another",
    "malformed",
    lambda v: v["verificationMaterial"]["publicKey"].update(hint="x"),
)
wrapped(
    "certificate-instead",
    "malformed",
    lambda v: v.update(verificationMaterial={"certificate": {"rawBytes": "AAAA"}}),
)
wrapped("unknown-field", "malformed", lambda v: v.update(extra=1))
wrapped(
    "url-safe-base64",
    "malformed",
    lambda v: one(v).update(sig=one(v)["sig"].replace("/", "_").replace("+", "-") + "-"),
)
wrapped("base64-with-newline", "malformed", lambda v: one(v).update(sig=one(v)["sig"] + "\n"))
wrapped(
    "signature-of-zero",
    "signature-invalid",
    lambda v: one(v).update(sig=base64.b64encode(bytes.fromhex("3006020100020100")).decode()),
)


def _other_half(value: dict[str, Any]) -> None:
    from cryptography.hazmat.primitives.asymmetric.utils import (
        decode_dss_signature,
        encode_dss_signature,
    )

    r, s = decode_dss_signature(base64.b64decode(one(value)["sig"]))
    one(value)["sig"] = base64.b64encode(encode_dss_signature(r, ORDER - s)).decode()


wrapped("other-half-of-s", "signature-invalid", _other_half)


def raw(name: str, edit: Callable[[bytes], bytes]) -> None:
    def make(at: Path) -> None:
        (at / SEALED).write_bytes(edit((at / SEALED).read_bytes()))

    folder(f"envelope-{name}", 3, "malformed")(make)


raw("byte-order-mark", lambda d: b"\xef\xbb\xbf" + d)
raw("white-space", lambda d: d + b"\n")
raw("duplicate-key", lambda d: d.replace(b"{", b'{"mediaType":"x",', 1))
raw("nan", lambda d: d.replace(b"{", b'{"a":NaN,', 1))
raw("huge-integer", lambda d: d.replace(b"{", b'{"a":' + b"9" * 400 + b",", 1))
raw("deep-nesting", lambda d: b"[" * 100000 + b"]" * 100000)
raw("truncated", lambda d: d[:-20])
raw("case-variant-key", lambda d: d.replace(b'"mediaType"', b'"MediaType"'))


@folder("payload-replaced", 3, "signature-invalid")
def _(at: Path) -> None:
    value = envelope_of(at)
    payload = base64.b64decode(dsse(value)["payload"]).replace(b'"sequence":3', b'"sequence":9')
    dsse(value)["payload"] = base64.b64encode(payload).decode()
    put_envelope(at, value)


@folder("ssh-signature-of-another-namespace", 3, "malformed")
def _(at: Path) -> None:
    (at / SIG).write_bytes(sshsig.sign((at / TAGS).read_bytes(), ALICE, "file"))


@folder("ssh-signature-of-another-key", 3, "signature-invalid")
def _(at: Path) -> None:
    (at / SIG).write_bytes(sshsig.sign((at / TAGS).read_bytes(), EVE))


@folder("ssh-signature-of-another-list", 3, "signature-invalid")
def _(at: Path) -> None:
    (at / SIG).write_bytes(sshsig.sign((at / LIST).read_bytes(), ALICE))


@folder("ssh-signature-with-a-comment", 3, "malformed")
def _(at: Path) -> None:
    (at / SIG).write_bytes(b"# hello\n" + (at / SIG).read_bytes())


def by(*signers: KeyFile, **info: Any) -> Callable[[Kit, Path], Path]:
    """The good content, well signed by other people."""

    def make(kit: Kit, to: Path) -> Path:
        changed = dataclasses.replace(bundles.INFO, **info)
        bundles.sign(kit.files, to / "bundle", signers, changed)
        return to / "bundle"

    return make


def judged(name: str, code: str, make: Callable[[Kit, Path], Path], **more: Any) -> None:
    CASES.append(Case(name, make, 3, code, 8, group="trust", **more))


def policy(*keys: TrustedKey, **more: Any) -> TrustPolicy:
    fields: dict[str, Any] = {"threshold": 1, "expires": "2027-01-01T00:00:00Z"} | more
    return TrustPolicy("test", 1, fields.pop("threshold"), keys, **fields)


NOW = "2026-06-01T00:00:00Z"
A, B = TrustedKey(ALICE.public, "alice"), TrustedKey(BOB.public, "bob")
judged("signed-by-a-stranger", "unknown-key", by(EVE))
judged("only-the-bundle-vouches-for-the-key", "unknown-key", by(ALICE), trust=[BOB.public])
judged("nobody-is-trusted", "unknown-key", by(ALICE), trust=[])
judged(
    "key-not-valid-yet",
    "key-expired",
    by(ALICE),
    trust=policy(dataclasses.replace(A, valid_from="2026-03-02T00:00:00Z")),
    now=NOW,
)
judged(
    "key-expired-before-signing",
    "key-expired",
    by(ALICE),
    trust=policy(dataclasses.replace(A, valid_until="2026-02-28T00:00:00Z")),
    now=NOW,
)
judged(
    "key-revoked",
    "key-revoked",
    by(ALICE),
    trust=policy(A, B, revoked=(Revocation(ALICE.public.keyid, NOW, "stolen"),)),
    now=NOW,
)
judged(
    "key-revoked-and-another-release-kept",
    "key-revoked",
    by(ALICE),
    trust=policy(
        A, B, revoked=(Revocation(ALICE.public.keyid, NOW, "s", ("sha256:" + "1" * 64,)),)
    ),
    now=NOW,
)
judged("policy-expired", "policy-expired", by(ALICE), trust=policy(A), now="2027-01-02T00:00:00Z")
judged("policy-without-the-time", "policy-time", by(ALICE), trust=policy(A))
judged("one-of-two", "below-threshold", by(ALICE), trust=policy(A, B, threshold=2), now=NOW)
judged(
    "one-of-two-and-a-stranger",
    "below-threshold",
    by(ALICE, EVE),
    trust=policy(A, B, threshold=2),
    now=NOW,
)
judged(
    "one-of-two-and-a-revoked",
    "below-threshold",
    by(ALICE, BOB),
    trust=policy(A, B, threshold=2, revoked=(Revocation(BOB.public.keyid, NOW, "stolen"),)),
    now=NOW,
)
judged("signed-in-the-future", "signed-in-future", by(ALICE), now="2026-02-01T00:00:00Z")


@folder("announced-signer-missing", 3, "signature-missing")
def _(at: Path, kit: Kit) -> None:
    stem = BOB.public.keyid[:16]
    (at / f"keys/{stem}.pem").write_bytes(BOB.public.pem)
    ordered = sorted((ALICE.public, BOB.public), key=lambda k: k.keyid)
    lines = "".join(sshsig.allowed_signer("release", k) for k in ordered)
    (at / "keys/allowed_signers").write_text(lines)
    relist(at)
    resign(at, kit)


@folder("key-under-another-name", 3, "key-copy")
def _(at: Path, kit: Kit) -> None:
    (at / f"keys/{STEM}.pem").write_bytes(EVE.public.pem)
    relist(at)
    resign(at, kit)


@folder("allowed-signers-names-another", 3, "key-copy")
def _(at: Path, kit: Kit) -> None:
    (at / "keys/allowed_signers").write_text(sshsig.allowed_signer("release", EVE.public))
    relist(at)
    resign(at, kit)


@folder("signers-disagree", 3, "statements-differ", trust=[ALICE.public, BOB.public])
def _(at: Path, kit: Kit) -> None:
    stem = BOB.public.keyid[:16]
    (at / f"keys/{stem}.pem").write_bytes(BOB.public.pem)
    ordered = sorted((ALICE.public, BOB.public), key=lambda k: k.keyid)
    lines = "".join(sshsig.allowed_signer("release", k) for k in ordered)
    (at / "keys/allowed_signers").write_text(lines)
    relist(at)
    resign(at, kit)
    seal(at, payload_of(at) | {"predicateType": "urn:x"}, BOB)


# -- step 2 and 3 of lists that a careless signer signed


@folder("signed-wrong-digest", 2, "digest-differs")
def _(at: Path, kit: Kit) -> None:
    rewrite(at / LIST, (at / LIST).read_bytes()[:8], b"00000000")
    import hashlib

    rows = (at / TAGS).read_text().splitlines(keepends=True)
    digest = hashlib.sha256((at / LIST).read_bytes()).hexdigest()
    (at / TAGS).write_text(
        "".join(f"{digest}  {LIST}\n" if r.endswith(f"  {LIST}\n") else r for r in rows)
    )
    resign(at, kit)


@folder("signed-other-bagit-version", 2, "malformed")
def _(at: Path, kit: Kit) -> None:
    rewrite(at / "bagit.txt", b"1.0", b"0.9")
    relist(at)
    resign(at, kit)


@folder("signed-wrong-count", 2, "payload-count")
def _(at: Path, kit: Kit) -> None:
    rewrite(at / "bag-info.txt", b"Payload-Oxum: ", b"Payload-Oxum: 9")
    relist(at)
    resign(at, kit)


# -- step 4: statements that a trusted key really signed


def stated(name: str, code: str, edit: Callable[[dict[str, Any]], object]) -> None:
    def make(at: Path) -> None:
        value = payload_of(at)
        edit(value)
        seal(at, value)

    folder(f"statement-{name}", 4, code)(make)


def predicate(label: str, code: str, /, **changes: Any) -> None:
    stated(label, code, lambda v: v["predicate"].update(changes))


stated(
    "about-another-bundle",
    "other-subject",
    lambda v: v["subject"][0].update(digest={"sha256": "1" * 64}),
)
stated("about-another-file", "other-subject", lambda v: v["subject"][0].update(name=LIST))
stated(
    "about-two-things",
    "other-subject",
    lambda v: v["subject"].append({"name": "x", "digest": {"sha256": "1" * 64}}),
)
stated("of-another-predicate", "other-predicate", lambda v: v.update(predicateType="urn:other"))
stated(
    "of-the-next-version",
    "other-predicate",
    lambda v: v.update(predicateType=v["predicateType"][:-1] + "2"),
)
stated("unknown-field", "malformed", lambda v: v["predicate"].update(extra=1))
stated("missing-field", "malformed", lambda v: v["predicate"].pop("name"))
stated("wrong-file-count", "claim-differs", lambda v: v["predicate"]["payload"].update(files=1))
stated("wrong-byte-count", "claim-differs", lambda v: v["predicate"]["payload"].update(bytes=1))
stated(
    "wrong-list",
    "claim-differs",
    lambda v: v["predicate"]["payload"].update(manifest="sha256:" + "1" * 64),
)
stated(
    "wrong-scores",
    "claim-differs",
    lambda v: v["predicate"]["documents"].update(
        {"data/results/scores.json": "sha256:" + "1" * 64}
    ),
)
stated(
    "lock-not-claimed", "claim-differs", lambda v: v["predicate"]["documents"].pop("data/lock.json")
)
predicate("sequence-negative", "malformed", sequence=-1)
predicate("sequence-a-flag", "malformed", sequence=True)
predicate("version-not-semantic", "malformed", version="1.0")
predicate("version-with-zero", "malformed", version="01.0.0")
predicate("format-next", "malformed", format="clawpro.release.v2")


def statement_step_three(name: str, edit: Callable[[dict[str, Any]], object]) -> None:
    """What already breaks reading the time of signing."""

    def make(at: Path) -> None:
        value = payload_of(at)
        edit(value)
        seal(at, value)

    folder(f"statement-{name}", 3, "malformed")(make)


statement_step_three("time-local", lambda v: v["predicate"].update(created="2026-03-01T12:00:00"))
statement_step_three(
    "time-impossible", lambda v: v["predicate"].update(created="2026-02-30T12:00:00Z")
)
statement_step_three("type-v0.1", lambda v: v.update(_type="https://in-toto.io/Statement/v0.1"))
statement_step_three("no-subject", lambda v: v.update(subject=[]))
statement_step_three("weak-digest", lambda v: v["subject"][0].update(digest={"sha1": "1" * 40}))
statement_step_three("two-digests", lambda v: v["subject"][0]["digest"].update(sha512="1" * 128))


@folder("statement-not-canonical", 3, "malformed")
def _(at: Path, kit: Kit) -> None:
    import json

    seal(at, json.dumps(statement(at, kit.claim.as_json())).encode())


@folder("statement-of-another-release-of-the-same-key", 4, "other-subject")
def _(at: Path, kit: Kit) -> None:
    other = at.parent / "other"
    bundles.sign(kit.files | {"data/release-notes.md": b"Other.\n"}, other / "bundle")
    (at / SEALED).write_bytes((other / "bundle" / SEALED).read_bytes())


# -- step 10: history


def history(name: str, code: str, seen: LastSeen, **info: Any) -> None:
    CASES.append(Case(name, by(ALICE, **info), 10, code, 8, last_seen=seen, group="history"))


OTHER = "sha256:" + "5" * 64
history("rollback", "rollback", LastSeen("test", 4, OTHER))
history("two-of-one-sequence", "equivocation", LastSeen("test", 3, OTHER))
history("follows-nothing", "equivocation", LastSeen("test", 2, OTHER))
history(
    "follows-another", "equivocation", LastSeen("test", 2, OTHER), previous="sha256:" + "6" * 64
)
predicate("another-sequence", "claim-differs", sequence=4)
predicate("another-predecessor", "claim-differs", previous=OTHER)
predicate("another-version", "claim-differs", version="0.1.1")
predicate("another-name", "claim-differs", name="other")
predicate("another-time", "claim-differs", created="2026-03-02T12:00:00Z")
