"""an append-only Merkle log of releases in one folder, with a signed head (C2SP checkpoint).

`log/list`: leaf hashes and the head, in one file that is replaced in one step.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clawpro_artifact.adapters import store
from clawpro_artifact.errors import InfraError, InputError
from clawpro_artifact.formats import loglist, merkle
from clawpro_artifact.formats.loglist import LogEntry
from clawpro_artifact.formats.publickey import PublicKey, Signer


class ReleaseLog:
    """A log of one origin (a name without white space, shown in every checkpoint)."""

    def __init__(self, root: Path, origin: str, key: PublicKey) -> None:
        self.root, self.origin, self.key = root, origin, key

    def append(self, tag_manifest: bytes, signer: Signer) -> LogEntry:
        """Adds a release, unless it is there, and proves that it is in; durable on return.

        Raises InputError if the stored log does not fit its own signed head, InfraError if the
        disk refuses or another process appends.
        """
        leaf = merkle.leaf_hash(tag_manifest)
        with self._held():
            leaves, note = self._read()
            if leaf not in leaves:
                leaves = (*leaves, leaf)
                head = merkle.Checkpoint(self.origin, len(leaves), merkle.root(leaves))
                note = merkle.sign_checkpoint(head, signer)
                merkle.open_checkpoint(note, self.origin, [self.key], "new checkpoint")
                store.write(self.root / "list", loglist.write(leaves) + b"\n" + note.encode())
        return self._files(leaf, leaves, note)

    def files_of(self, tag_manifest: bytes) -> LogEntry:
        """What a bundle carries, under the present head; InputError if it is not in the log."""
        leaves, note = self._read()
        leaf = merkle.leaf_hash(tag_manifest)
        if leaf not in leaves:
            raise InputError("the release is not in the log", where=str(self.root))
        return self._files(leaf, leaves, note)

    def head(self) -> merkle.Checkpoint | None:
        """The signed head, or None of an empty log."""
        leaves, note = self._read()
        return self._open(leaves, note) if leaves else None

    def leaves(self) -> tuple[bytes, ...]:
        """All leaf hashes in order."""
        return self._read()[0]

    def consistency(self, old: int) -> list[bytes]:
        """RFC 6962 proof that the log of `old` leaves is a prefix of the present one."""
        return merkle.consistency_proof(old, self._read()[0])

    def _files(self, leaf: bytes, leaves: tuple[bytes, ...], note: str) -> LogEntry:
        index = leaves.index(leaf)
        hashes = tuple(merkle.inclusion_proof(index, leaves))
        return LogEntry(merkle.LogProof(index, hashes, note).text.encode(), loglist.write(leaves))

    def _read(self) -> tuple[tuple[bytes, ...], str]:
        path = self.root / "list"
        with store.disk(path):
            if not path.exists():
                return (), ""
            data = path.read_bytes()
        rows, blank, note = data.partition(b"\n\n")
        if not blank:
            raise InputError("malformed release log", where=str(path), expected="list and head")
        leaves = loglist.read(rows + b"\n", str(path))
        text = note.decode("utf-8", "replace")
        self._open(leaves, text)
        return leaves, text

    def _open(self, leaves: tuple[bytes, ...], note: str) -> merkle.Checkpoint:
        where = str(self.root / "list")
        head = merkle.open_checkpoint(note, self.origin, [self.key], where)
        if head.size != len(leaves) or head.root != merkle.root(leaves):
            raise InputError(
                "the release log does not fit its signed head",
                where=where,
                expected=f"{head.size} releases with the root {head.root.hex()}",
                found=f"{len(leaves)} with {merkle.root(leaves).hex()}",
                do="restore the log from a copy; never append to this one",
            )
        return head

    @contextmanager
    def _held(self) -> Iterator[None]:
        store.make_folder(self.root)
        with store.disk(self.root), (self.root / "held").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InfraError(
                    "another process appends to the log", where=str(self.root), do="try again"
                ) from None
            yield
