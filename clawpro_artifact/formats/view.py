"""an open bundle, whatever its form -> its files by name: what `container` gives out.

A file that changes while it is read, or between listing and reading, is an InputError. Memory does
not depend on the size of files, only on how many there are.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from clawpro_artifact.errors import InfraError, InputError
from clawpro_artifact.formats import bundletar
from clawpro_artifact.formats.bundletar import refused

CHUNK = 1024 * 1024

Stamp = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Budget:
    """What a bundle may ask of its reader: number of files, bytes of one file, bytes of all."""

    members: int = 200_000
    member_bytes: int = bundletar.MAX_FILE_BYTES
    total_bytes: int = 1 << 40


@dataclass(frozen=True, slots=True)
class Member:
    """A file: path relative to the bundle, size in bytes; `offset` within the tar (else 0)."""

    path: str
    size: int
    offset: int
    stamp: Stamp


class Reader:
    """The bytes of one member, at most `size` of them, from the start."""

    def __init__(self, fd: int, member: Member, where: str) -> None:
        self._fd = fd
        self._at = member.offset
        self._end = member.offset + member.size
        self._where = where

    def readinto(self, buffer: memoryview) -> int:
        """Fills the start of `buffer`; how many bytes, 0 at the end."""
        want = min(len(buffer), self._end - self._at)
        if want == 0:
            return 0
        with disk(self._where):
            got = os.preadv(self._fd, [buffer[:want]], self._at)
        if got == 0:
            raise changed(self._where, "the file ended early")
        self._at += got
        return got

    def read(self, size: int = CHUNK) -> bytes:
        """At most `size` bytes, b"" at the end."""
        data = bytearray(min(size, self._end - self._at))
        return bytes(data[: self.readinto(memoryview(data))])

    def __iter__(self) -> Iterator[bytes]:
        while chunk := self.read():
            yield chunk


class Container:
    """A bundle open for reading; a context manager. Made by `open_bundle`.

    `members`: every file by path, in byte order.
    """

    where: str
    members: Mapping[str, Member]

    def __init__(self) -> None:
        self._buffer = memoryview(bytearray(CHUNK))

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[Reader]:
        """Streams one file. KeyError if it is not listed; InputError if it changes meanwhile."""
        member = self.members[path]
        where = f"{self.where}: {path}"
        with contextlib.ExitStack() as stack:
            with disk(where):
                fd = stack.enter_context(self._fd_of(member))
            if stamp_of(os.fstat(fd)) != member.stamp:
                raise changed(where, "it is not the file that was listed")
            yield Reader(fd, member, where)
            if stamp_of(os.fstat(fd)) != member.stamp:
                raise changed(where, "size or times moved")

    def sha256(self, path: str) -> str:
        """Digest of one file, lower-case hex."""
        digest = hashlib.sha256()
        with self.open(path) as reader:
            while got := reader.readinto(self._buffer):
                digest.update(self._buffer[:got])
        return digest.hexdigest()

    def read(self, path: str, max_bytes: int) -> bytes:
        """A whole small file; InputError if it is larger than `max_bytes`."""
        size = self.members[path].size
        if size > max_bytes:
            raise refused(f"{self.where}: {path}", f"at most {max_bytes} bytes", f"{size} bytes")
        with self.open(path) as reader:
            return b"".join(reader)

    def check_unchanged(self) -> None:
        """Lists again; InputError if any file came, went or changed since the first listing."""
        with disk(self.where):
            again = self._list()
        if again != self.members:
            odd = set(again.items()) ^ set(self.members.items())
            raise changed(self.where, "changed: " + ", ".join(sorted({k for k, _ in odd})[:5]))

    def close(self) -> None:
        """Gives the file descriptors back."""
        raise NotImplementedError

    def _list(self) -> dict[str, Member]:
        raise NotImplementedError

    def _fd_of(self, member: Member) -> contextlib.AbstractContextManager[int]:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Tally:
    """Spends the budget, file by file."""

    def __init__(self, budget: Budget, where: str) -> None:
        self._budget, self._where = budget, where
        self._members = self._bytes = 0

    def spend(self, size: int) -> None:
        """Counts one entry of `size` bytes; InputError once the budget is gone."""
        self._members += 1
        self._bytes += size
        for name, limit, found in (
            ("files", self._budget.members, self._members),
            ("bytes in one file", self._budget.member_bytes, size),
            ("bytes in all files", self._budget.total_bytes, self._bytes),
        ):
            if found > limit:
                raise refused(self._where, f"at most {limit} {name}", f"at least {found}")


def stamp_of(info: os.stat_result) -> Stamp:
    """What differs once a file was written to or replaced."""
    return (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)


@contextlib.contextmanager
def disk(where: str) -> Iterator[None]:
    """OSError -> InputError if the tree changed under us, InfraError otherwise."""
    try:
        yield
    except OSError as error:
        # A name that was a file or folder a moment ago is a link, another kind, or gone now.
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENOENT, errno.ENXIO):
            raise changed(where, error.strerror or "gone") from None
        raise InfraError(
            "the bundle cannot be read", where=where, found=error.strerror or type(error).__name__
        ) from error


def changed(where: str, found: str) -> InputError:
    """The error of a bundle that somebody writes to."""
    return InputError(
        "the bundle changed while it was read",
        where=where,
        expected="files that nobody writes to",
        found=found,
        do="copy the bundle to a place that nobody writes to, then verify the copy",
    )
