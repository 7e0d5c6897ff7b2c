"""what a reader remembers between verifications: releases last seen, a policy, keys of first use.

`$XDG_STATE_HOME/clawpro/seen/SCOPE/NAME.json` and `.../pinned/NAME.pem`. The scope is the trust
under which a release was accepted, so that a stranger's release of the same name moves nothing.
"""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path

from clawpro_artifact.adapters import store
from clawpro_artifact.errors import InputError, TrustError, UsageError
from clawpro_artifact.formats import canonical, publickey
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.formats.publickey import PublicKey
from clawpro_artifact.formats.trust import TrustPolicy
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.bundle import LastSeen

_NAME = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
_FIELDS = {f.name for f in dataclasses.fields(LastSeen)}


def folder() -> Path:
    """`$XDG_STATE_HOME/clawpro`; a relative value is ignored, as the XDG rules say."""
    base = os.environ.get("XDG_STATE_HOME", "")
    root = Path(base) if base.startswith("/") else Path.home() / ".local" / "state"
    return root / "clawpro"


def scope_of(policy: TrustPolicy) -> str:
    """The same for every version of a policy; for named keys it is the keys themselves."""
    what: object = policy.name
    if policy.expires is None and policy.previous is None:
        what = sorted(k.key.keyid for k in policy.keys)
    return canonical.digest(what).removeprefix("sha256:")[:16]


class Memory:
    """The memory below `root`. InfraError if the disk refuses."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or folder()

    def last_seen(self, policy: TrustPolicy, name: str) -> LastSeen | None:
        """The newest release of this name that was accepted under this trust."""
        path = self._seen(policy, name)
        with store.disk(path):
            if not path.is_file():
                return None
            value = canonical.decode(path.read_bytes(), str(path))
        if not isinstance(value, dict) or set(value) != _FIELDS:
            raise InputError(
                "the memory of a release is damaged",
                where=str(path),
                expected=", ".join(sorted(_FIELDS)),
                do="remove the file only if you know that no newer release was seen",
            )
        return LastSeen(**value)

    def remember(self, policy: TrustPolicy, seen: LastSeen) -> None:
        """Keeps what `Verdict.remembered` gave; an older release never replaces a newer one."""
        known = self.last_seen(policy, seen.name)
        if known is not None and seen.sequence < known.sequence:
            return
        if known is not None and (seen.log_size or 0) < (known.log_size or 0):
            seen = dataclasses.replace(seen, log_size=known.log_size, log_root=known.log_root)
        path = self._seen(policy, seen.name)
        store.make_folder(path.parent, mode=0o700)
        store.write(path, canonical.encode(dataclasses.asdict(seen)))

    def pinned(self, name: str) -> PublicKey | None:
        """The key of first use of this release name."""
        path = self._pin(name)
        with store.disk(path):
            return publickey.from_pem(path.read_bytes(), str(path)) if path.is_file() else None

    def pin(self, name: str, key: PublicKey) -> None:
        """Keeps a key of first use; TrustError if another one is pinned."""
        path = self._pin(name)
        store.make_folder(path.parent, mode=0o700)
        if not store.write_new(path, key.pem) and self.pinned(name) != key:
            raise TrustError(
                "another key was pinned for this release",
                where=str(path),
                found=key.keyid,
                do="ask the publisher over another channel why the key changed",
            )

    def _seen(self, policy: TrustPolicy, name: str) -> Path:
        return self.root / "seen" / scope_of(policy) / f"{_checked(name)}.json"

    def _pin(self, name: str) -> Path:
        return self.root / "pinned" / f"{_checked(name)}.pem"


def key_of_first_use(bundle: Path) -> PublicKey:
    """The one key that the bundle itself carries: to be pinned, and to be warned about, loudly.

    TrustError if it carries several: then there is no first use, a policy is needed.
    """
    with open_bundle(bundle) as container:
        paths = [
            p
            for p in container.members
            if p.startswith(names.KEYS) and p.endswith(".pem") and p != names.LOG_KEY
        ]
        if len(paths) != 1:
            raise TrustError(
                "first use needs exactly one key",
                where=str(bundle),
                expected="one key",
                found=str(len(paths)),
                do="get a trust policy from the publisher",
            )
        return publickey.from_pem(container.read(paths[0], 1 << 16), paths[0])


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name) or len(name) > 80:
        raise UsageError("not a name of a release", found=repr(name)[:100])
    return name
