"""files -> layer tar: the same files give the same bytes, whoever packs them, wherever.

POSIX 1003.1 ustar; a pax record only where ustar has no room (long names). Entries in byte order
of their path; owner 0:0 without names; one time; modes 0755 or 0644 by the owner's x bit; hard
links written as files. What differs between machines has no place to be.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal

from clawpro_artifact.errors import InputError

_CHUNK = 1 << 20
_BLOCK = tarfile.BLOCKSIZE


@dataclass(frozen=True)
class Member:
    """One entry; `path` is relative POSIX without `.` parts. `open` gives a file's bytes."""

    path: str
    kind: Literal["file", "folder", "link"]
    executable: bool = False
    size: int = 0
    target: str = ""
    open: Callable[[], BinaryIO] | None = None


@dataclass(frozen=True)
class Layer:
    """What was written: the digest of the uncompressed tar (OCI diff id) and its bytes."""

    diff_id: str
    size: int


@dataclass(frozen=True)
class Difference:
    """The first place where two layers differ: a member's path and an offset in the tar."""

    member: str
    offset: int


def file_of(path: str, data: bytes, *, executable: bool = False) -> Member:
    """A file member from bytes in memory."""
    return Member(path, "file", executable, len(data), open=lambda: BytesIO(data))


def write_layer(
    members: Iterable[Member], out: BinaryIO, *, mtime: int, modes: Mapping[str, int] | None = None
) -> Layer:
    """Write `members` and the folders above them; `modes` are exceptions by path.

    Raises InputError for a name twice, a whiteout name, or a file that changes while it is read.
    """
    digest, size = hashlib.sha256(), 0
    for chunk in stream(members, mtime=mtime, modes=modes):
        digest.update(chunk)
        out.write(chunk)
        size += len(chunk)
    return Layer("sha256:" + digest.hexdigest(), size)


def stream(
    members: Iterable[Member], *, mtime: int, modes: Mapping[str, int] | None = None
) -> Iterator[bytes]:
    """The bytes of the tar in order."""
    for member in _ordered(members):
        yield _header(member, mtime, (modes or {}).get(member.path))
        if member.kind == "file" and member.size:
            yield from _content(member)
            yield bytes(-member.size % _BLOCK)
    yield bytes(2 * _BLOCK)


def opener(path: Path) -> Callable[[], BinaryIO]:
    """What opens a file later, when its turn has come."""
    return lambda: path.open("rb")


def members_of_folder(folder: Path, prefix: str = "") -> Iterator[Member]:
    """Everything below `folder`, under `prefix` (`opt/openclaw/`); links are kept as links.

    Raises InputError for devices, fifos and sockets.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            path, place = prefix + entry.name, Path(entry.path)
            if entry.is_symlink():
                yield Member(path, "link", target=str(place.readlink()))
            elif entry.is_dir(follow_symlinks=False):
                yield Member(path, "folder")
                yield from members_of_folder(place, path + "/")
            elif entry.is_file(follow_symlinks=False):
                facts = entry.stat(follow_symlinks=False)
                executable = bool(facts.st_mode & stat.S_IXUSR)
                yield Member(path, "file", executable, facts.st_size, open=opener(place))
            else:
                raise _special(str(place))


def members_of_tar(archive: tarfile.TarFile) -> Iterator[Member]:
    """The members of a tar on disk by normal path; hard links become files with their content."""
    for info in archive:
        path = PurePosixPath(info.name.removeprefix("/")).as_posix()
        if path == ".":
            continue
        if info.isdir():
            yield Member(path, "folder")
        elif info.issym():
            yield Member(path, "link", target=info.linkname)
        elif info.isfile() or info.islnk():
            content = archive._find_link_target(info) if info.islnk() else info  # type: ignore[attr-defined]
            executable = bool(content.mode & stat.S_IXUSR)
            yield Member(path, "file", executable, content.size, open=_reader(archive, content))
        elif not path.startswith("dev/"):
            raise _special(path)


def first_difference(a: Path, b: Path) -> Difference | None:
    """Where two tars differ first, or None if they are equal."""
    offset = 0
    with a.open("rb") as one, b.open("rb") as other:
        while True:
            x, y = one.read(_CHUNK), other.read(_CHUNK)
            if x != y:
                same = next(
                    (i for i, (p, q) in enumerate(zip(x, y, strict=False)) if p != q),
                    min(len(x), len(y)),
                )
                return Difference(_member_at(a, offset + same), offset + same)
            if not x:
                return None
            offset += len(x)


def _ordered(members: Iterable[Member]) -> list[Member]:
    by_path: dict[str, Member] = {}
    for member in members:
        if PurePosixPath(member.path).name.startswith(".wh."):
            raise InputError("a layer cannot hold a whiteout name", where=member.path)
        if by_path.get(member.path, member) != member:
            raise InputError("a layer holds a path twice", where=member.path)
        by_path[member.path] = member
    for path in list(by_path):
        for parent in PurePosixPath(path).parents[:-1]:
            by_path.setdefault(parent.as_posix(), Member(parent.as_posix(), "folder"))
    return sorted(by_path.values(), key=lambda m: os.fsencode(m.path))


def _header(member: Member, mtime: int, mode: int | None) -> bytes:
    info = tarfile.TarInfo(member.path)
    info.mtime = mtime
    info.mode = 0o755 if member.executable or member.kind == "folder" else 0o644
    if member.kind == "folder":
        info.type = tarfile.DIRTYPE
    elif member.kind == "link":
        info.type, info.linkname, info.mode = tarfile.SYMTYPE, member.target, 0o777
    else:
        info.size = member.size
    if mode is not None:
        info.mode = mode
    try:
        info.name.encode("ascii"), info.linkname.encode("ascii")
        return info.tobuf(tarfile.USTAR_FORMAT)
    except ValueError:  # too long for ustar, or not ASCII
        return info.tobuf(tarfile.PAX_FORMAT)


def _content(member: Member) -> Iterator[bytes]:
    assert member.open is not None
    left = member.size
    with member.open() as file:
        while left:
            chunk = file.read(min(_CHUNK, left))
            if not chunk:
                break
            left -= len(chunk)
            yield chunk
        if left or file.read(1):
            raise InputError("a file changed while it was packed", where=member.path)


def _reader(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], BinaryIO]:
    def open_it() -> BinaryIO:
        file = archive.extractfile(info)
        assert file is not None
        return file  # type: ignore[return-value]

    return open_it


def _special(where: str) -> InputError:
    return InputError(
        "a layer cannot hold this kind of file",
        where=where,
        expected="regular files, folders and symbolic links",
        found="a device, fifo or socket",
    )


def _member_at(path: Path, offset: int) -> str:
    name = "(end of archive)"
    with tarfile.open(path, "r:") as archive:
        for info in archive:
            end = info.offset_data + -(-info.size // _BLOCK) * _BLOCK
            if info.offset <= offset < end:
                return info.name
    return name
