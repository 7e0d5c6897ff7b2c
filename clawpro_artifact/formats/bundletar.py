"""files of a bundle <-> the one ustar file that holds them: a tree has exactly one tar.

POSIX.1-1988 ustar and nothing newer: one root folder, entries in strict byte order, every folder
before its files and none empty, mode 0644 or 0755, owner 0, time 0, zero padding, two zero blocks
and then the end. What is not byte for byte what the writer writes is refused, so no header has a
bit to hide anything in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import bagit

BLOCK = 512
END = bytes(2 * BLOCK)
MAX_FILE_BYTES = 8**11 - 1  # eleven octal digits
_OTHER_TYPES = {
    b"\x00": "a file of a tar before POSIX",
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a fifo",
    b"7": "a contiguous file",
    b"g": "a global pax header, which overrides others",
    b"x": "a pax header, which overrides the next",
    b"K": "a GNU long link",
    b"L": "a GNU long name",
    b"S": "a sparse file",
    b"V": "a volume label",
}


@dataclass(frozen=True)
class Header:
    """One entry: a file, or a folder whose `path` ends with a slash and whose size is 0."""

    path: str
    size: int

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder."""
        return self.path.endswith("/")


def padding(size: int) -> int:
    """How many zero bytes follow `size` bytes of content."""
    return -size % BLOCK


def encode(header: Header) -> bytes:
    """The 512 bytes of an entry; InputError if the path or the size does not fit ustar."""
    name, prefix = _split(header.path.encode(), header.path)
    if header.size > MAX_FILE_BYTES:
        raise InputError(
            "a file is too large for the bundle's tar",
            where=header.path,
            expected=f"at most {MAX_FILE_BYTES} bytes",
            found=f"{header.size}",
            do="keep this bundle as a directory",
        )
    block = bytearray(
        name.ljust(100, b"\0")
        + (b"0000755\0" if header.is_folder else b"0000644\0")
        + b"0000000\0" * 2
        + b"%011o\0" % header.size
        + b"%011o\0" % 0
        + b" " * 8
        + (b"5" if header.is_folder else b"0")
        + bytes(100)
        + b"ustar\x0000"
        + bytes(80)  # no names of owners, no device, as Python's tarfile leaves them
        + prefix.ljust(155, b"\0")
        + bytes(12)
    )
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def _split(path: bytes, shown: str) -> tuple[bytes, bytes]:
    """(name, prefix), with the shortest prefix that does."""
    if len(path) <= 100:
        return path, b""
    slash = path.find(b"/", len(path) - 101)
    if not 0 < slash <= 155 or slash == len(path) - 1:
        raise InputError(
            "a path does not fit ustar", where=ascii(shown), expected="100 + 155 bytes"
        )
    return path[slash + 1 :], path[:slash]


def decode(block: bytes, where: str) -> Header:
    """The entry of a header block; InputError, naming what it is instead, for any other block."""
    kind = block[156:157]
    if block[257:265] != b"ustar\x0000":
        raise refused(where, "a ustar header", f"magic {block[257:265]!r}")
    if kind not in (b"0", b"5"):
        raise refused(where, "a regular file or a folder", _OTHER_TYPES.get(kind, f"type {kind!r}"))
    name, prefix = block[:100].rstrip(b"\0"), block[345:500].rstrip(b"\0")
    try:
        path = (prefix + b"/" + name if prefix else name).decode("utf-8")
        size = int(block[124:135].decode("ascii"), 8)
    except ValueError:
        raise refused(where, "a UTF-8 path and an octal size", ascii(block[:40])) from None
    if size < 0 or path.endswith("/") != (kind == b"5") or (kind == b"5" and size):
        raise refused(where, "a size of 0 or more, and folders named `.../` of size 0", ascii(path))
    bagit.check_path(path.removesuffix("/"), where)
    header = Header(path, size)
    again = encode(header)
    if again != block:
        at = next(i for i in range(BLOCK) if again[i] != block[i])
        raise refused(
            f"{where}, byte {at} of the header of {path}",
            f"{again[at : at + 8]!r} (owner 0, time 0, mode 0644 or 0755, right checksum)",
            repr(block[at : at + 8]),
        )
    return header


def write(root: str, files: Iterable[tuple[str, int, Iterable[bytes]]]) -> Iterator[bytes]:
    """The tar, in pieces, of (path, size, content) in the byte order of the paths, under `root/`.

    Raises InputError for an unsafe path, another order, or content of another size.
    """
    _check_root(root, "tar")
    yield encode(Header(f"{root}/", 0))
    folders: set[str] = set()
    previous = b""
    for path, size, content in files:
        bagit.check_path(path, "tar")
        if path.encode() <= previous:
            raise refused("tar", "paths in byte order, each once", ascii(path))
        previous = path.encode()
        for at, char in enumerate(path):
            if char == "/" and path[: at + 1] not in folders:
                folders.add(path[: at + 1])
                yield encode(Header(f"{root}/{path[: at + 1]}", 0))
        yield encode(Header(f"{root}/{path}", size))
        left = size
        for chunk in content:
            left -= len(chunk)
            yield chunk
        if left != 0:
            raise refused(ascii(path), f"{size} bytes", f"{size - left} bytes")
        yield bytes(padding(size))
    yield END


def _check_root(root: str, where: str) -> None:
    bagit.check_path(root, where)
    if "/" in root or len(root.encode()) > bagit.MAX_ROOT_BYTES:
        raise refused(where, f"a root folder of at most {bagit.MAX_ROOT_BYTES} bytes", ascii(root))


class Order:
    """Checks the sequence of entries in constant memory; gives each its path inside the bundle."""

    def __init__(self, where: str) -> None:
        self.root = ""
        self._where = where
        self._previous = b""
        self._open: list[tuple[str, bool]] = []  # folders around, and whether anything is in them

    def take(self, header: Header) -> str:
        """Path relative to the root; InputError if the entry may not come here."""
        path = header.path
        parent = path.removesuffix("/").rpartition("/")[0]
        parent = f"{parent}/" if parent else ""
        if not self.root:
            if parent or not header.is_folder:
                raise refused(self._where, "one root folder, first", ascii(path))
            self.root = path
            _check_root(path[:-1], self._where)
        elif path.encode() <= self._previous:
            raise refused(
                self._where,
                "entries in byte order, each once",
                f"{path!a} after {self._previous.decode()!a}",
            )
        else:
            if not any(folder == parent for folder, _ in self._open):
                raise refused(self._where, f"its folder before it, in {self.root}", ascii(path))
            while self._open[-1][0] != parent:
                self._close()
            self._open[-1] = (parent, True)
        self._previous = path.encode()
        if header.is_folder:
            self._open.append((path, False))
        return path[len(self.root) :]

    def finish(self) -> None:
        """InputError if a folder was empty or there was no entry at all."""
        if not self.root:
            raise refused(self._where, "one root folder, first", "an empty tar")
        while self._open:
            self._close()

    def _close(self) -> None:
        path, used = self._open.pop()
        if not used:
            raise refused(self._where, "no empty folder", ascii(path))


def refused(where: str, expected: str, found: str) -> InputError:
    """The error of everything in here."""
    return InputError(
        "the bundle is not safe to read",
        where=where,
        expected=expected,
        found=found,
        do="do not unpack it; a tar of a bundle is made by `clawpro` only, or verify the directory",
    )
