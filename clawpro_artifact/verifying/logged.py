"""the log files of a bundle -> its place in the log, if they agree with each other."""

from __future__ import annotations

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import bagit, loglist, merkle, publickey
from clawpro_artifact.model import bundle as names
from clawpro_artifact.verifying.case import Case, Logged, RefusedError

_SMALL = 1 << 20
_TAGS = 1 << 26


def entry(case: Case) -> Logged | None:
    """Part of step 3: proof, list and key copy are there together and fit; trust comes later."""
    members = case.container.members
    there = [p for p in (names.LOG_PROOF, names.LOG_LIST, names.LOG_KEY) if p in members]
    if not there:
        return None
    if len(there) != 3:
        raise RefusedError("log-incomplete", f"of the three log files only {', '.join(there)}")
    pem = case.read(names.LOG_KEY, _SMALL)
    key = publickey.from_pem(pem, names.LOG_KEY)
    if key.pem != pem:
        raise RefusedError("key-copy", f"{names.LOG_KEY}: another spelling of a key")
    proof = merkle.parse_proof(_text(case, names.LOG_PROOF, _SMALL), names.LOG_PROOF)
    if merkle.parse_proof(proof.text, names.LOG_PROOF) != proof:
        raise RefusedError("log-differs", f"{names.LOG_PROOF}: another spelling of a proof")
    origin = proof.note.partition("\n")[0]
    leaf = merkle.leaf_hash(case.container.read(bagit.TAG_MANIFEST_NAME, _TAGS))
    head = merkle.verify_proof(proof, leaf, origin, [key], names.LOG_PROOF)
    if head is None:
        raise RefusedError("log-differs", f"{names.LOG_PROOF}: it proves another bundle")
    data = case.container.read(names.LOG_LIST, loglist.MAX_BYTES)
    leaves = loglist.read(data, names.LOG_LIST)
    if len(leaves) != head.size or merkle.root(leaves) != head.root:
        raise RefusedError("log-differs", f"{names.LOG_LIST}: not the log of the checkpoint")
    return Logged(head, leaves, key)


def _text(case: Case, path: str, limit: int) -> str:
    try:
        return case.container.read(path, limit).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("malformed log text", where=path, expected="UTF-8") from None
