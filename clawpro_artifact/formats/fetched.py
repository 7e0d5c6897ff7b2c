"""a way to read single files -> Container of those that were read: for looking at a part."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator

from clawpro_artifact.formats.view import CHUNK, Container, Member, Reader

Fetch = Callable[[str, int], bytes]
_NO_STAMP = (0, 0, 0, 0, 0)


class _Bytes(Reader):
    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def readinto(self, buffer: memoryview) -> int:
        part = self.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def read(self, size: int = CHUNK) -> bytes:
        part = self._data[self._place : self._place + size]
        self._place += len(part)
        return part


class Fetched(Container):
    """Files read one by one with `fetch(path, max_bytes)`, kept in memory.

    It knows only what it was told to take: that no other file is there, it cannot say.
    `fetch` raises InputError for a missing or too large file.
    """

    def __init__(self, where: str, fetch: Fetch) -> None:
        super().__init__()
        self.where, self._fetch = where, fetch
        self._data: dict[str, bytes] = {}
        self._known: dict[str, Member] = {}
        self.members = self._known

    @property
    def bytes_read(self) -> int:
        """How many bytes of files were read so far."""
        return sum(map(len, self._data.values()))

    def take(self, path: str, max_bytes: int) -> None:
        """Reads a file, once."""
        if path not in self._data:
            data = self._fetch(path, max_bytes)
            self._data[path] = data
            self._known[path] = Member(path, len(data), 0, _NO_STAMP)

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[Reader]:
        """Streams one file that was taken; KeyError for another."""
        yield _Bytes(self._data[path])

    def sha256(self, path: str) -> str:
        """Digest of one file, lower-case hex."""
        return hashlib.sha256(self._data[path]).hexdigest()

    def check_unchanged(self) -> None:
        """What is in memory does not change."""

    def close(self) -> None:
        """Nothing is open."""
