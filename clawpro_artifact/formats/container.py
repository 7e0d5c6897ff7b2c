"""a bundle's path -> Container: its files by name, for streaming; nothing is ever extracted.

Two forms, one view: a directory, or the tar of `bundletar`. Only regular files and the folders that
lead to them; no links. A file that changes while it is read, or between listing and reading, is an
InputError. Memory does not depend on the size of files, only on how many there are.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from clawpro_artifact.errors import InfraError, InputError
from clawpro_artifact.formats import bagit, bundletar
from clawpro_artifact.formats.bundletar import refused

CHUNK = 1024 * 1024
_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"PK": "zip", b"BZh": "bzip2"}
_COMPRESSED[b"\xfd7zXZ"] = "xz"

_Stamp = tuple[int, int, int, int, int]


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
    stamp: _Stamp


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
        with _disk(self._where):
            got = os.preadv(self._fd, [buffer[:want]], self._at)
        if got == 0:
            raise _changed(self._where, "the file ended early")
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
            with _disk(where):
                fd = stack.enter_context(self._fd_of(member))
            if _stamp(os.fstat(fd)) != member.stamp:
                raise _changed(where, "it is not the file that was listed")
            yield Reader(fd, member, where)
            if _stamp(os.fstat(fd)) != member.stamp:
                raise _changed(where, "size or times moved")

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
        with _disk(self.where):
            again = self._list()
        if again != self.members:
            odd = set(again.items()) ^ set(self.members.items())
            raise _changed(self.where, "changed: " + ", ".join(sorted({k for k, _ in odd})[:5]))

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


def open_bundle(path: Path, budget: Budget | None = None) -> Container:
    """The bundle at `path`, a directory or a tar, fully listed.

    Raises InputError for anything that is not safe to read, InfraError if the disk fails.
    """
    limits = budget or Budget()
    try:
        fd = os.open(path, _OPEN)
    except OSError as error:
        raise InputError(
            "the bundle cannot be opened",
            where=str(path),
            expected="a bundle: a directory or a tar file",
            found=error.strerror or "an error",
        ) from None
    try:
        mode = os.fstat(fd).st_mode
        with _disk(str(path)):
            if stat.S_ISDIR(mode):
                return _Directory(fd, str(path), limits)
            if stat.S_ISREG(mode):
                return _Tar(fd, str(path), limits)
        raise refused(str(path), "a directory or a tar file", stat.filemode(mode))
    except BaseException:
        os.close(fd)
        raise


class _Tally:
    """Spends the budget, file by file."""

    def __init__(self, budget: Budget, where: str) -> None:
        self._budget, self._where = budget, where
        self._members = self._bytes = 0

    def spend(self, size: int) -> None:
        self._members += 1
        self._bytes += size
        for name, limit, found in (
            ("files", self._budget.members, self._members),
            ("bytes in one file", self._budget.member_bytes, size),
            ("bytes in all files", self._budget.total_bytes, self._bytes),
        ):
            if found > limit:
                raise refused(self._where, f"at most {limit} {name}", f"at least {found}")


class _Directory(Container):
    def __init__(self, fd: int, where: str, budget: Budget) -> None:
        super().__init__()
        self.where, self._root, self._budget = where, fd, budget
        self._parent: tuple[str, int] | None = None
        self.members = self._list()

    def _list(self) -> dict[str, Member]:
        found: list[Member] = []
        self._walk(self._root, "", found, _Tally(self._budget, self.where))
        found.sort(key=lambda m: m.path.encode())
        if not found:
            raise refused(self.where, "files", "an empty folder")
        bagit.check_collisions((m.path for m in found), self.where)
        return {m.path: m for m in found}

    def _walk(self, fd: int, prefix: str, found: list[Member], tally: _Tally) -> None:
        folders = []
        empty = True
        with os.scandir(fd) as entries:
            for entry in entries:
                empty = False
                path = prefix + entry.name
                bagit.check_path(path, self.where)
                info = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(info.st_mode):
                    tally.spend(0)
                    folders.append(entry.name)
                    continue
                self._check_file(path, info)
                tally.spend(info.st_size)
                found.append(Member(path, info.st_size, 0, _stamp(info)))
        if empty and prefix:
            raise refused(self.where, "no empty folder", ascii(prefix))
        for name in folders:
            inner = os.open(name, _OPEN | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=fd)
            try:
                self._walk(inner, f"{prefix}{name}/", found, tally)
            finally:
                os.close(inner)

    def _check_file(self, path: str, info: os.stat_result) -> None:
        where = f"{self.where}: {path!a}"
        if not stat.S_ISREG(info.st_mode):
            raise refused(where, "a regular file or a folder", stat.filemode(info.st_mode))
        if info.st_nlink != 1:
            raise refused(where, "a file with one name", f"a hard link, {info.st_nlink} names")
        if info.st_mode & (stat.S_ISUID | stat.S_ISGID):
            raise refused(where, "no setuid, no setgid", stat.filemode(info.st_mode))

    @contextlib.contextmanager
    def _fd_of(self, member: Member) -> Iterator[int]:
        folder, _, name = member.path.rpartition("/")
        fd = os.open(name, _OPEN | os.O_NOFOLLOW, dir_fd=self._folder(folder))
        try:
            yield fd
        finally:
            os.close(fd)

    def _folder(self, path: str) -> int:
        """Descriptor of a folder, reached without following links; the last one is kept open."""
        if not path:
            return self._root
        if self._parent is not None:
            if self._parent[0] == path:
                return self._parent[1]
            os.close(self._parent[1])
            self._parent = None
        fd = os.dup(self._root)
        for name in path.split("/"):
            try:
                inner = os.open(name, _OPEN | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=fd)
            finally:
                os.close(fd)
            fd = inner
        self._parent = (path, fd)
        return fd

    def close(self) -> None:
        if self._parent is not None:
            os.close(self._parent[1])
            self._parent = None
        os.close(self._root)


class _Tar(Container):
    def __init__(self, fd: int, where: str, budget: Budget) -> None:
        super().__init__()
        self.where, self._file, self._budget = where, fd, budget
        self.members = self._list()

    def _list(self) -> dict[str, Member]:
        before = _stamp(os.fstat(self._file))
        total = before[2]
        start = os.pread(self._file, 6, 0)
        for magic, name in _COMPRESSED.items():
            if start.startswith(magic):
                raise refused(self.where, "an uncompressed tar", f"{name} data")
        order = bundletar.Order(self.where)
        tally = _Tally(self._budget, self.where)
        members: dict[str, Member] = {}
        at = pad = 0
        while True:
            block = os.pread(self._file, pad + bundletar.BLOCK, at)
            if len(block) < pad + bundletar.BLOCK:
                raise refused(f"{self.where}, byte {at}", "another block", "the end of the file")
            if any(block[:pad]):
                raise refused(f"{self.where}, byte {at}", "zero bytes after a file", "others")
            at += pad
            block = block[pad:]
            if not any(block):
                break
            place = f"{self.where}, byte {at}"
            header = bundletar.decode(block, place)
            path = order.take(header)
            tally.spend(header.size)
            at += bundletar.BLOCK
            if at + header.size > total:
                raise refused(place, f"{header.size} bytes of {path}", "the end of the file")
            if not header.is_folder:
                members[path] = Member(path, header.size, at, before)
            at += header.size
            pad = bundletar.padding(header.size)
        order.finish()
        tail = os.pread(self._file, len(bundletar.END) + 1, at)
        if tail != bundletar.END or at + len(bundletar.END) != total:
            raise refused(f"{self.where}, byte {at}", "two zero blocks and the end", "another end")
        if not members:
            raise refused(self.where, "files", "no file")
        bagit.check_collisions(members, self.where)
        if _stamp(os.fstat(self._file)) != before:
            raise _changed(self.where, "size or times moved")
        return members

    @contextlib.contextmanager
    def _fd_of(self, member: Member) -> Iterator[int]:
        yield self._file

    def close(self) -> None:
        os.close(self._file)


def _stamp(info: os.stat_result) -> _Stamp:
    return (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)


@contextlib.contextmanager
def _disk(where: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # A name that was a file or folder a moment ago is a link, another kind, or gone now.
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENOENT, errno.ENXIO):
            raise _changed(where, error.strerror or "gone") from None
        raise InfraError(
            "the bundle cannot be read", where=where, found=error.strerror or type(error).__name__
        ) from error


def _changed(where: str, found: str) -> InputError:
    return InputError(
        "the bundle changed while it was read",
        where=where,
        expected="files that nobody writes to",
        found=found,
        do="copy the bundle to a place that nobody writes to, then verify the copy",
    )
