"""step 10: this release does not roll back the one last seen, and the log is one log."""

from __future__ import annotations

from clawpro_artifact.formats import bagit, merkle
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.bundle import LastSeen
from clawpro_artifact.verifying.case import Case, RefusedError, UncheckedError

_PROOF_BYTES = 1 << 16


def history(case: Case) -> None:
    """Step 10: against what the caller remembers, and the release log if the policy names one."""
    head = _log(case)
    claim, last = case.claim, case.last_seen
    assert claim is not None
    if last is None:
        raise UncheckedError("no-memory", "no release of this name was accepted here before")
    if last.name != claim.name:
        raise UncheckedError("no-memory", f"the release last seen is {last.name}, another name")
    if claim.sequence < last.sequence:
        detail = f"sequence {claim.sequence} is older than {last.sequence}, which was seen"
        raise RefusedError("rollback", detail, 8)
    if claim.sequence == last.sequence and case.bundle_id != last.bundle_id:
        detail = f"two different releases have the sequence {claim.sequence}"
        raise RefusedError("equivocation", detail, 8)
    if claim.sequence == last.sequence + 1 and claim.previous != last.bundle_id:
        detail = f"it follows {claim.previous}, but {last.bundle_id} was seen"
        raise RefusedError("equivocation", detail, 8)
    if head is not None and last.log_size is not None and head.size < last.log_size:
        detail = f"the log has {head.size} releases, {last.log_size} were seen"
        raise RefusedError("log-rollback", detail, 8)
    if head is not None and head.size == last.log_size and head.root.hex() != last.log_root:
        raise RefusedError("equivocation", "two logs of the same size differ", 8)


def _log(case: Case) -> merkle.Checkpoint | None:
    """The checkpoint under which the tag manifest is in the log; refuses a bundle outside it."""
    trust = case.policy.log
    there = names.LOG_PROOF in case.container.members
    if trust is None:
        return None
    if not there:
        raise RefusedError("not-in-log", f"{names.LOG_PROOF}: the policy asks for it", 8)
    proof = merkle.parse_proof(
        case.container.read(names.LOG_PROOF, _PROOF_BYTES).decode(), names.LOG_PROOF
    )
    leaf = merkle.leaf_hash(case.container.read(bagit.TAG_MANIFEST_NAME, 1 << 26))
    head = merkle.verify_proof(proof, leaf, trust.origin, trust.keys, names.LOG_PROOF)
    if head is None:
        raise RefusedError("not-in-log", f"{names.LOG_PROOF}: it proves another bundle", 8)
    return head


def remember(case_bundle: str, name: str, sequence: int) -> LastSeen:
    """What to keep after a yes."""
    return LastSeen(name, sequence, case_bundle)
