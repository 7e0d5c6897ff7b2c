"""TrustPolicy + what changes -> the next TrustPolicy; and whether a next one is to be believed.

The rule of TUF's root role: the next policy counts only if a threshold of the keys of the one
before has signed it, and a threshold of its own.
"""

from __future__ import annotations

import dataclasses
from datetime import datetime

from clawpro_artifact.errors import TrustError, UsageError
from clawpro_artifact.formats import claims, trust
from clawpro_artifact.formats.publickey import PublicKey
from clawpro_artifact.formats.trust import LogTrust, Revocation, TrustedKey, TrustPolicy


def first(
    name: str,
    keys: tuple[TrustedKey, ...],
    *,
    threshold: int,
    expires: str,
    log: LogTrust | None = None,
) -> TrustPolicy:
    """Version 1. UsageError if fewer keys than the threshold."""
    if not 1 <= threshold <= len({k.key for k in keys}):
        raise UsageError("the threshold needs that many different keys", found=str(threshold))
    return TrustPolicy(name, 1, threshold, keys, expires=expires, log=log)


def rotate(
    policy: TrustPolicy, old: PublicKey, new: TrustedKey, *, at: str, expires: str
) -> TrustPolicy:
    """The next policy: `old` counts for what it signed until `at`, `new` is there.

    UsageError if `old` is not in the policy or `new` is there already.
    """
    _listed(policy, old)
    if new.key in {k.key for k in policy.keys}:
        raise UsageError("the new key is in the policy already", found=new.key.keyid)
    keys = tuple(dataclasses.replace(k, valid_until=at) if k.key == old else k for k in policy.keys)
    return _next(policy, expires, keys=(*keys, new))


def revoke(
    policy: TrustPolicy,
    key: PublicKey,
    *,
    at: str,
    reason: str,
    expires: str,
    keep: tuple[str, ...] = (),
) -> TrustPolicy:
    """The next policy: nothing that `key` signed counts any more, save the bundle ids in `keep`.

    UsageError if the key is not in the policy, or too few are left for the threshold.
    """
    _listed(policy, key)
    revoked = (*policy.revoked, Revocation(key.keyid, at, reason, keep))
    left = {k.key.keyid for k in policy.keys} - {r.keyid for r in revoked}
    if len(left) < policy.threshold:
        raise UsageError(
            "too few keys would be left",
            expected=f"at least {policy.threshold}",
            found=str(len(left)),
            do="add a key first (`clawpro keys rotate`)",
        )
    return _next(policy, expires, revoked=revoked)


def _listed(policy: TrustPolicy, key: PublicKey) -> None:
    if key not in {k.key for k in policy.keys}:
        raise UsageError("the key is not in the policy", where=policy.name, found=key.keyid)


def _next(policy: TrustPolicy, expires: str, **changes: object) -> TrustPolicy:
    fields = {f.name: getattr(policy, f.name) for f in dataclasses.fields(policy)} | changes
    fields |= {"version": policy.version + 1, "previous": policy.digest, "expires": expires}
    return TrustPolicy(**fields)


def advance(old: TrustPolicy, data: bytes, *, now: datetime, where: str) -> TrustPolicy:
    """The policy in the file `data`, if it may follow `old`; `old` itself if it is the same.

    Raises TrustError for a rollback, a gap, a fork, an expired policy or too few signatures;
    InputError for a malformed file.
    """
    new = trust.read(data, where)
    if new == old:
        return old
    _expect(new.name == old.name, where, f"a policy of {old.name}", new.name)
    _expect(
        new.version == old.version + 1,
        where,
        f"version {old.version + 1}, which follows the one you have",
        f"version {new.version}",
    )
    _expect(new.previous == old.digest, where, f"to follow {old.digest}", str(new.previous))
    for policy, whose in ((old, "the policy before"), (new, "itself")):
        # A key that the new policy revokes may be the stolen one: it cannot vote for itself.
        usable = {k.key for k in policy.keys if k.key.keyid not in {r.keyid for r in new.revoked}}
        usable -= {k.key for k in policy.keys if _over(k, now)}
        count = len(trust.signers_of(data, usable, where))
        _expect(
            count >= policy.threshold,
            where,
            f"signatures of {policy.threshold} keys of {whose}",
            f"{count}",
        )
    expired = new.expires is not None and now > claims.moment(new.expires)
    _expect(not expired, where, "a policy that has not expired", f"expired at {new.expires}")
    return new


def _over(key: TrustedKey, now: datetime) -> bool:
    return key.valid_until is not None and now > claims.moment(key.valid_until)


def _expect(fine: bool, where: str, expected: str, found: str) -> None:
    if not fine:
        raise TrustError(
            "the trust policy is not to be believed",
            where=where,
            expected=expected,
            found=found,
            do="keep the policy that you have, and ask its owners over another channel",
        )
