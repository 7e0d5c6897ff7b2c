"""step 10: this release does not roll back the one last seen, and the log is one log."""

from __future__ import annotations

from clawpro_artifact.formats import merkle
from clawpro_artifact.model.bundle import LastSeen
from clawpro_artifact.verifying.case import Case, RefusedError, UncheckedError


def history(case: Case) -> None:
    """Step 10: against what the caller remembers, and the release log if the policy names one.

    A log that forgets, rewrites or shows two faces cannot have the root that was seen as the root
    of its first leaves.
    """
    _in_trusted_log(case)
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
    if last.log_size is not None:
        _extends(case, last, last.log_size)


def _in_trusted_log(case: Case) -> None:
    trust = case.policy.log
    if trust is None:
        return
    if case.log is None:
        raise RefusedError("not-in-log", "the policy asks for a release log; it is in none", 8)
    if case.log.key not in trust.keys or case.log.head.origin != trust.origin:
        raise RefusedError(
            "not-in-log", f"it is in the log {case.log.head.origin} of another key", 8
        )


def _extends(case: Case, last: LastSeen, size: int) -> None:
    if case.log is None:
        raise RefusedError("log-rollback", "the release last seen was in a log, this one is not", 8)
    if case.log.head.size < size:
        # The same release may come with the proof of the day on which it was made.
        if case.bundle_id == last.bundle_id:
            return
        detail = f"the log has {case.log.head.size} releases, {size} were seen"
        raise RefusedError("log-rollback", detail, 8)
    if merkle.root(case.log.leaves[:size]).hex() != last.log_root:
        raise RefusedError("equivocation", f"its first {size} releases are not those seen", 8)
