"""Claim <-> Statement: the one predicate that a release carries, read strictly."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import bagit, envelope
from clawpro_artifact.formats.envelope import Statement, Subject
from clawpro_artifact.model.bundle import CLAIM_FORMAT, CLAIMED, PREDICATE_TYPE, Claim

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_SLUG = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
_VERSION = re.compile(r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)", re.ASCII)
_FIELDS = {
    "format", "name", "version", "sequence", "previous", "created", "software", "documents",
    "payload",
}  # fmt: skip


def write(claim: Claim, bundle_id: str) -> bytes:
    """The statement's bytes; its one subject is the tag manifest."""
    subject = Subject(bagit.TAG_MANIFEST_NAME, bundle_id)
    return envelope.statement([subject], PREDICATE_TYPE, claim.as_json())


def bag_info(claim: Claim) -> bytes:
    """`bag-info.txt`: the claim's own words, so that the index binds them and its digest differs.

    Without that, two releases with the same files would be one bundle id with two statements.
    """
    return bagit.bag_info(
        (
            ("Bag-Software-Agent", claim.software),
            ("Bagging-Date", claim.created[:10]),
            ("External-Identifier", f"{claim.name}-{claim.version}"),
            ("Payload-Oxum", f"{claim.payload_bytes}.{claim.payload_files}"),
            ("Release-Created", claim.created),
            ("Release-Name", claim.name),
            ("Release-Previous", claim.previous or "none"),
            ("Release-Sequence", str(claim.sequence)),
            ("Release-Version", claim.version),
        )
    )


def read(statement: Statement, where: str) -> Claim:
    """The claim in a verified statement; InputError for another type, field or form."""
    if statement.predicate_type != PREDICATE_TYPE:
        raise _broken(where, "/predicateType", PREDICATE_TYPE, statement.predicate_type)
    p = statement.predicate
    if set(p) != _FIELDS:
        raise _broken(where, "/predicate", ", ".join(sorted(_FIELDS)), ", ".join(sorted(p)))
    payload = p["payload"]
    if not isinstance(payload, dict) or set(payload) != {"manifest", "files", "bytes"}:
        raise _broken(where, "/predicate/payload", "manifest, files, bytes", repr(payload)[:80])
    documents = p["documents"]
    if not isinstance(documents, dict) or not set(documents) <= set(CLAIMED):
        raise _broken(where, "/predicate/documents", "known documents", repr(documents)[:80])
    for at, digest in (*documents.items(), ("manifest", payload["manifest"])):
        _text(digest, _DIGEST, where, f"/predicate/{at}")
    if p["format"] != CLAIM_FORMAT:
        raise _broken(where, "/predicate/format", CLAIM_FORMAT, repr(p["format"])[:80])
    previous = p["previous"]
    return Claim(
        name=_text(p["name"], _SLUG, where, "/predicate/name"),
        version=_text(p["version"], _VERSION, where, "/predicate/version"),
        sequence=_count(p["sequence"], where, "/predicate/sequence"),
        previous=None
        if previous is None
        else _text(previous, _DIGEST, where, "/predicate/previous"),
        created=moment_text(p["created"], where, "/predicate/created"),
        software=_text(p["software"], re.compile(r"[ -~]{1,80}"), where, "/predicate/software"),
        documents=documents,
        payload_manifest=payload["manifest"],
        payload_files=_count(payload["files"], where, "/predicate/payload/files"),
        payload_bytes=_count(payload["bytes"], where, "/predicate/payload/bytes"),
    )


def moment(text: str) -> datetime:
    """The time of `YYYY-MM-DDThh:mm:ssZ`; ValueError for any other spelling."""
    parsed = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    if parsed.strftime("%Y-%m-%dT%H:%M:%SZ") != text:
        raise ValueError(text)
    return parsed


def moment_text(value: Any, where: str, at: str) -> str:
    """`value` if it is a time in the one spelling; InputError otherwise."""
    try:
        if isinstance(value, str):
            moment(value)
            return value
    except ValueError:
        pass
    raise _broken(where, at, "a time such as 2026-01-31T12:00:00Z", repr(value)[:80])


def _text(value: Any, pattern: re.Pattern[str], where: str, at: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise _broken(where, at, f"text of the form {pattern.pattern}", repr(value)[:80])
    return value


def _count(value: Any, where: str, at: str) -> int:
    if type(value) is not int or value < 0:
        raise _broken(where, at, "a count", repr(value)[:80])
    return value


def _broken(where: str, at: str, expected: str, found: str) -> InputError:
    return InputError(
        "malformed release statement", where=f"{where}#{at}", expected=expected, found=found
    )
