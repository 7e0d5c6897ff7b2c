"""steps 1 to 4: the index, the digests, the signatures, the statement; each stops at a no."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from clawpro_artifact.formats import bagit, claims, envelope, publickey, sshsig
from clawpro_artifact.formats.envelope import Verified
from clawpro_artifact.formats.publickey import PublicKey
from clawpro_artifact.model import bundle as names
from clawpro_artifact.verifying import logged
from clawpro_artifact.verifying.case import Case, RefusedError

_SIGNATURE: Final = re.compile(r"signatures/([0-9a-f]{16})\.(sig|sigstore\.json)")
_KEY: Final = re.compile(r"keys/([0-9a-f]{16})\.pem")
_REQUIRED_TAGS = (
    bagit.DECLARATION_NAME,
    bagit.INFO_NAME,
    bagit.MANIFEST_NAME,
    names.README_NAME,
    names.SCRIPT_NAME,
    names.ALLOWED_SIGNERS,
)
_SMALL = 1 << 20
_MANIFEST_BYTES = 64 << 20


def index(case: Case) -> None:
    """Step 1: tag manifest and manifest name every file but themselves and the signatures."""
    read_lists(case)
    members = case.container.members
    listed = case.payload.keys() | case.tags.keys() | {bagit.TAG_MANIFEST_NAME}
    for path in sorted(members.keys() - listed):
        if not _SIGNATURE.fullmatch(path) and path not in (names.LOG_PROOF, names.LOG_LIST):
            raise RefusedError("unlisted-file", f"{path}: it is in no list")
    for path in sorted(listed - members.keys()):
        raise RefusedError("missing-file", f"{path}: it is listed and not there")


def read_lists(case: Case) -> None:
    """The two lists into `case.tags` and `case.payload`; each path in its place."""
    members = case.container.members
    for path in (bagit.TAG_MANIFEST_NAME, bagit.MANIFEST_NAME):
        if path not in members:
            raise RefusedError("missing-file", f"{path}: expected a file, found nothing")
    tags = case.container.read(bagit.TAG_MANIFEST_NAME, _MANIFEST_BYTES)
    case.bundle_id = "sha256:" + hashlib.sha256(tags).hexdigest()
    case.tags = {e.path: e.sha256 for e in bagit.parse_manifest(tags, bagit.TAG_MANIFEST_NAME)}
    for path in _REQUIRED_TAGS:
        if path not in case.tags:
            raise RefusedError("index-incomplete", f"{path} is not in {bagit.TAG_MANIFEST_NAME}")
    for path in case.tags:
        place = path in (*_REQUIRED_TAGS, names.LOG_KEY) or _KEY.fullmatch(path)
        if not place and not path.startswith(names.ATTESTATIONS):
            raise RefusedError("misplaced-file", f"{path}: no tag file of a bundle has this name")
    data = case.read(bagit.MANIFEST_NAME, _MANIFEST_BYTES)
    case.payload = {e.path: e.sha256 for e in bagit.parse_manifest(data, bagit.MANIFEST_NAME)}
    for path in case.payload:
        if not path.startswith(names.DATA):
            raise RefusedError("misplaced-file", f"{path}: the manifest lists data/ only")


def digests(case: Case) -> None:
    """Step 2: every listed file hashes to what its list says; the bag's own counts are right."""
    sha256 = case.container.sha256
    for listed in (case.tags, case.payload):
        for path, expected in listed.items():
            found = sha256(path)
            if found != expected:
                raise RefusedError("digest-differs", f"{path}: expected {expected}, found {found}")
    where = bagit.DECLARATION_NAME
    bagit.check_declaration(case.read(where, _SMALL), where)
    total = sum(case.container.members[path].size for path in case.payload)
    line = f"Payload-Oxum: {total}.{len(case.payload)}"
    if line not in case.read(bagit.INFO_NAME, _SMALL).decode().split("\n"):
        raise RefusedError("payload-count", f"{bagit.INFO_NAME}: expected the line `{line}`")


def signatures(case: Case) -> None:
    """Step 3: all signatures are whole and agree; enough of them are by keys the caller trusts.

    A key copy in the bundle only says what to check a signature against, so that no broken one
    hides beside a good one; trust comes from the policy alone.
    """
    copies = _key_copies(case)
    made = {m[1] for path in case.container.members if (m := _SIGNATURE.fullmatch(path))}
    for stem in sorted((made ^ copies.keys()) - {case.awaited}):
        what = "signs without a key copy" if stem in made else "is announced and has not signed"
        raise RefusedError("signature-missing", f"the key {stem} {what}")
    if not copies:
        raise RefusedError("no-signature", "expected at least one signature, found none")
    tags = case.container.read(bagit.TAG_MANIFEST_NAME, _MANIFEST_BYTES)
    if "sha256:" + hashlib.sha256(tags).hexdigest() != case.bundle_id:
        raise RefusedError("digest-differs", "the tag manifest changed while it was read")
    verified: list[Verified] = []
    for stem, key in copies.items():
        if stem == case.awaited and stem not in made:
            continue
        for kind in ("sig", "sigstore.json"):
            path = f"{names.SIGNATURES}{stem}.{kind}"
            if path not in case.container.members:
                raise RefusedError("signature-missing", f"{path}: expected a file, found nothing")
        path = f"{names.SIGNATURES}{stem}.sigstore.json"
        sealed = envelope.parse(case.container.read(path, envelope.MAX_BYTES), path)
        opened = envelope.verify(sealed, [key])
        if opened is None or sealed.keyid != key.keyid:
            raise RefusedError("signature-invalid", f"{path}: not made by the key {stem}")
        verified.append(opened)
        path = f"{names.SIGNATURES}{stem}.sig"
        if not sshsig.verify(case.container.read(path, _SMALL), tags, key, path):
            raise RefusedError("signature-invalid", f"{path}: not made by the key {stem}")
    case.verified = verified[0]
    signers = envelope.distinct_keys(verified, verified[0].payload)
    if len(signers) != len(verified):
        raise RefusedError("statements-differ", "the signers signed different statements")
    _attestations(case, copies)
    case.log = logged.entry(case)
    _judge(case, signers, verified[0])


def _key_copies(case: Case) -> dict[str, PublicKey]:
    copies = {}
    for path in case.tags:
        if (match := _KEY.fullmatch(path)) is not None:
            data = case.read(path, _SMALL)
            key = publickey.from_pem(data, path)
            if key.keyid[: names.KEY_STEM] != match[1] or key.pem != data:
                raise RefusedError("key-copy", f"{path}: not the key that its name says")
            copies[match[1]] = key
    ordered = sorted(copies.values(), key=lambda k: k.keyid)
    lines = "".join(sshsig.allowed_signer(names.PRINCIPAL, k) for k in ordered)
    if case.read(names.ALLOWED_SIGNERS, _SMALL) != lines.encode():
        raise RefusedError("key-copy", f"{names.ALLOWED_SIGNERS}: not the keys beside it")
    return copies


def _attestations(case: Case, copies: dict[str, PublicKey]) -> None:
    """Each is by an announced signer; what it says of a payload file is about that very file."""
    for path in case.tags:
        if not path.startswith(names.ATTESTATIONS):
            continue
        sealed = envelope.parse(case.read(path, envelope.MAX_BYTES), path)
        opened = envelope.verify(sealed, copies.values())
        if opened is None or sealed.keyid != opened.key.keyid:
            raise RefusedError("signature-invalid", f"{path}: by none of the announced signers")
        for subject in envelope.open_statement(opened, path).subjects:
            listed = case.payload.get(subject.name)
            if listed is not None and subject.digest != f"sha256:{listed}":
                raise RefusedError("other-subject", f"{path}: about another {subject.name}")


def _judge(case: Case, signers: frozenset[PublicKey], verified: Verified) -> None:
    """Counts the signers that the policy trusts at the time that the statement gives."""
    policy = case.policy
    if policy.expires is not None:
        if case.now is None:
            raise RefusedError("policy-time", "an expiring policy needs the present time", 8)
        if case.now > claims.moment(policy.expires):
            raise RefusedError("policy-expired", f"the policy expired at {policy.expires}", 8)
    statement = envelope.open_statement(verified, "statement")
    created = statement.predicate.get("created")
    signed_at = claims.moment(claims.moment_text(created, "statement", "/predicate/created"))
    revoked = {r.keyid: r for r in policy.revoked}
    good: list[str] = []
    reasons: list[tuple[str, str]] = []
    for trusted in policy.keys:
        if trusted.key not in signers:
            continue
        keyid = trusted.key.keyid
        away = revoked.get(keyid)
        start, end = trusted.valid_from, trusted.valid_until
        if away is not None and case.bundle_id not in away.keep:
            reasons.append(("key-revoked", f"{keyid} was revoked at {away.at}: {away.reason}"))
        elif (start and signed_at < claims.moment(start)) or (
            end and signed_at > claims.moment(end)
        ):
            window = f"{start or '-'} to {end or '-'}"
            reasons.append(("key-expired", f"{keyid} is valid {window}, it signed at {created}"))
        else:
            good.append(keyid)
    if len(good) < policy.threshold:
        found = ", ".join(sorted(k.keyid for k in signers))
        code, why = reasons[0] if reasons else ("unknown-key", f"the signers are {found}")
        if good:
            code, why = "below-threshold", f"{len(good)} of the {policy.threshold} needed; {why}"
        raise RefusedError(code, f"no trusted signature: {why}", 8)
    if case.now is not None and signed_at > case.now:
        raise RefusedError("signed-in-future", f"signed at {created}, after the present time", 8)
    case.signed_by = tuple(sorted(good))


def statement(case: Case) -> None:
    """Step 4: the one subject is the tag manifest, the predicate is ours and tells the truth."""
    assert case.verified is not None
    opened = envelope.open_statement(case.verified, "statement")
    subject = opened.subjects[0]
    if len(opened.subjects) != 1 or subject.name != bagit.TAG_MANIFEST_NAME:
        raise RefusedError("other-subject", f"expected the tag manifest, found {subject.name!a}")
    if subject.digest != case.bundle_id:
        raise RefusedError("other-subject", f"it is about {subject.digest}, not {case.bundle_id}")
    if opened.predicate_type != names.PREDICATE_TYPE:
        raise RefusedError(
            "other-predicate",
            f"expected {names.PREDICATE_TYPE}, found {opened.predicate_type!a}",
        )
    claim = claims.read(opened, "statement")
    facts = (
        ("manifest", claim.payload_manifest, "sha256:" + case.tags[bagit.MANIFEST_NAME]),
        ("files", claim.payload_files, len(case.payload)),
        *(
            (path, claim.documents.get(path), "sha256:" + case.payload.get(path, "missing"))
            for path in names.CLAIMED
        ),
    )
    for name, said, found in facts:
        if said != found:
            raise RefusedError("claim-differs", f"{name}: the statement says {said}, not {found}")
    if not case.part:
        total = sum(case.container.members[p].size for p in case.payload)
        if claim.payload_bytes != total:
            detail = f"the statement says {claim.payload_bytes} bytes, not {total}"
            raise RefusedError("claim-differs", detail)
    if case.read(bagit.INFO_NAME, _SMALL) != claims.bag_info(claim):
        raise RefusedError("claim-differs", f"{bagit.INFO_NAME}: the statement says otherwise")
    case.claim = claim
