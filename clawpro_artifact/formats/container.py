"""a bundle's path -> Container: its files by name, for streaming; nothing is ever extracted.

Two forms, one view: a directory, or the tar of `bundletar`. Only regular files and the folders that
lead to them; no links.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import bagit, bundletar
from clawpro_artifact.formats.bundletar import refused
from clawpro_artifact.formats.view import (
    Budget,
    Container,
    Member,
    Reader,
    Tally,
    changed,
    disk,
    stamp_of,
)

__all__ = ["Budget", "Container", "Member", "Reader", "open_bundle"]

_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"PK": "zip", b"BZh": "bzip2"}
_COMPRESSED[b"\xfd7zXZ"] = "xz"


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
        with disk(str(path)):
            if stat.S_ISDIR(mode):
                return _Directory(fd, str(path), limits)
            if stat.S_ISREG(mode):
                return _Tar(fd, str(path), limits)
        raise refused(str(path), "a directory or a tar file", stat.filemode(mode))
    except BaseException:
        os.close(fd)
        raise


class _Directory(Container):
    def __init__(self, fd: int, where: str, budget: Budget) -> None:
        super().__init__()
        self.where, self._root, self._budget = where, fd, budget
        self._parent: tuple[str, int] | None = None
        self.members = self._list()

    def _list(self) -> dict[str, Member]:
        found: list[Member] = []
        self._walk(self._root, "", found, Tally(self._budget, self.where))
        found.sort(key=lambda m: m.path.encode())
        if not found:
            raise refused(self.where, "files", "an empty folder")
        bagit.check_collisions((m.path for m in found), self.where)
        return {m.path: m for m in found}

    def _walk(self, fd: int, prefix: str, found: list[Member], tally: Tally) -> None:
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
                found.append(Member(path, info.st_size, 0, stamp_of(info)))
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

    def sha256(self, path: str) -> str:
        """The same as in `Container`, without its layers: a bundle has ten thousand files."""
        member = self.members[path]
        where = f"{self.where}: {path}"
        folder, _, name = path.rpartition("/")
        digest, left = hashlib.sha256(), member.size
        with disk(where):
            fd = os.open(name, _OPEN | os.O_NOFOLLOW, dir_fd=self._folder(folder))
            try:
                before = stamp_of(os.fstat(fd))
                while left and (got := os.readv(fd, [self._buffer[:left]])):
                    digest.update(self._buffer[:got])
                    left -= got
                after = stamp_of(os.fstat(fd))
            finally:
                os.close(fd)
        if left or not before == after == member.stamp:
            raise changed(where, "it is not the file that was listed, or it moved")
        return digest.hexdigest()

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
        before = stamp_of(os.fstat(self._file))
        total = before[2]
        start = os.pread(self._file, 6, 0)
        for magic, name in _COMPRESSED.items():
            if start.startswith(magic):
                raise refused(self.where, "an uncompressed tar", f"{name} data")
        order = bundletar.Order(self.where)
        tally = Tally(self._budget, self.where)
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
        if tail != bundletar.END:
            raise refused(f"{self.where}, byte {at}", "two zero blocks and the end", "another end")
        if not members:
            raise refused(self.where, "files", "no file")
        bagit.check_collisions(members, self.where)
        if stamp_of(os.fstat(self._file)) != before:
            raise changed(self.where, "size or times moved")
        return members

    @contextlib.contextmanager
    def _fd_of(self, member: Member) -> Iterator[int]:
        yield self._file

    def close(self) -> None:
        os.close(self._file)
