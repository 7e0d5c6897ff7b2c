"""a checkout's earlier releases of one name -> the sequence of the next, and the release log."""

from __future__ import annotations

from pathlib import Path

from clawpro_artifact.adapters.releaselog import ReleaseLog
from clawpro_artifact.adapters.store import Journal
from clawpro_artifact.formats import bagit, canonical
from clawpro_artifact.formats.loglist import LogEntry
from clawpro_artifact.formats.publickey import Signer


class ReleaseHistory:
    """Releases are counted from 0; each names the one before, and all are in one Merkle log."""

    def __init__(self, work: Path, name: str, signer: Signer) -> None:
        self._work = work
        self._name = name
        self._signer = signer
        self._journal = Journal(work / "releases.jsonl")
        self._log = ReleaseLog(work / "log" / name, f"clawpro-artifact/{name}", signer.public)

    @property
    def _bundles(self) -> list[str]:
        return [e["bundle"] for e in self._journal.entries() if e["name"] == self._name]

    @property
    def next(self) -> int:
        """Sequence of the release to be made."""
        return len(self._bundles)

    @property
    def last(self) -> str | None:
        """Bundle id of the newest release, if there is one."""
        return next(reversed(self._bundles), None)

    @property
    def last_path(self) -> Path | None:
        """Where the newest release was made, if that was noted."""
        found = [e for e in self._journal.entries() if e["name"] == self._name]
        path = found[-1].get("path") if found else None
        return None if path is None else self._work / path

    def log(self, tag_manifest: bytes) -> LogEntry:
        """Append a release to the log; the same bytes again change nothing."""
        return self._log.append(tag_manifest, self._signer)

    def note(self, bundle: Path) -> None:
        """Count a release that stands; noting it twice changes nothing."""
        tags = (bundle / bagit.TAG_MANIFEST_NAME).read_bytes()
        bundle_id = canonical.bytes_digest(tags)
        if bundle_id not in self._bundles:
            path = bundle.relative_to(self._work).as_posix()
            self._journal.append({"name": self._name, "bundle": bundle_id, "path": path})
