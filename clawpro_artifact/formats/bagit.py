"""(path, sha256) pairs <-> BagIt 1.0 manifests (RFC 8493), and which paths are safe anywhere.

A manifest has one spelling: `HEX  PATH` lines as `sha256sum` writes them, in the byte order of the
paths, each once. Its sha256 then equals the in-toto `dirHash` of the tree, and binds the names.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clawpro_artifact.errors import InputError

DECLARATION_NAME = "bagit.txt"
DECLARATION = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
INFO_NAME = "bag-info.txt"
MANIFEST_NAME = "manifest-sha256.txt"
TAG_MANIFEST_NAME = "tagmanifest-sha256.txt"

# Limits of ustar (`bundletar`): 100 bytes of name with a folder's slash, 155 of prefix, of which
# the bundle's own folder takes 41.
MAX_NAME_BYTES = 99
MAX_ROOT_BYTES = 40
_USTAR_NAME, _USTAR_PREFIX = 100, 155 - MAX_ROOT_BYTES - 1
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
# Characters that a shell, Windows or BagIt's own percent-encoding reads as something else.
_PLAIN = re.compile(r"[A-Za-z0-9._+@=,/-]*")
_FORBIDDEN = frozenset('\\%<>:"|?*')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?")
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a bag: path relative to the bag, and sha256 in lower-case hex."""

    path: str
    sha256: str


def check_path(path: str, where: str) -> None:
    """InputError unless `path` names the same file on every system and needs no escape anywhere."""
    fault = _fault(path)
    if fault is not None:
        raise InputError(
            "a path is not safe",
            where=where,
            expected=fault,
            found=ascii(path)[:120],
            do="do not unpack this; ask for a bundle with plain relative names",
        )


@functools.lru_cache(maxsize=1 << 15)  # a bundle's reader meets each path several times
def _fault(path: str) -> str | None:
    if not path or path.startswith("/"):
        return "a relative path"
    for char in "" if _PLAIN.fullmatch(path) else path:
        # C: control, format (bidi), surrogate, private, unassigned; Z: every kind of space.
        if unicodedata.category(char)[0] in "CZ":
            return "no control, invisible or space character"
        if char in _FORBIDDEN:
            return "none of " + " ".join(sorted(_FORBIDDEN))
    if unicodedata.normalize("NFC", path) != path:
        return "Unicode normal form C"
    if not _fits_ustar(path.encode()):
        return f"a path that ustar can hold, at most {_USTAR_NAME + _USTAR_PREFIX} bytes"
    for name in path.split("/"):
        if name in ("", ".", ".."):
            return "no empty, `.` or `..` part"
        if len(name.encode()) > MAX_NAME_BYTES:
            return f"parts of at most {MAX_NAME_BYTES} bytes"
        if name[0] in "~-" or name[-1] == ".":
            return "no part that starts with `~` or `-` or ends with a dot"
        if _DEVICE.fullmatch(name.casefold()):
            return "no device name"
    return None


def _fits_ustar(path: bytes) -> bool:
    if len(path) <= _USTAR_NAME:
        return True
    slash = path.find(b"/", len(path) - _USTAR_NAME - 1)
    return 0 < slash <= _USTAR_PREFIX


def check_paths(paths: Iterable[str], where: str) -> None:
    """InputError unless all paths are safe and none collides with another.

    Colliding: the same path, the same after case folding and NFKC (one file on macOS or Windows),
    a file that is also a folder, or two spellings of one folder.
    """
    listed = tuple(paths)
    for path in listed:
        check_path(path, where)
    check_collisions(listed, where)


def check_collisions(paths: Iterable[str], where: str) -> None:
    """InputError if two paths collide (`check_paths`); the paths are safe already."""
    spelling: dict[str, str] = {}
    folders: set[str] = set()
    files: set[str] = set()
    for path in paths:
        if path in files or path in folders:
            raise _collision(where, path, path)
        files.add(path)
        part = path
        while part not in folders:
            folded = unicodedata.normalize("NFKC", part.casefold()).casefold()
            other = spelling.setdefault(folded, part)
            if other != part or (part in files and part is not path):
                raise _collision(where, other, path)
            if part is not path:
                folders.add(part)
            part = part.rpartition("/")[0]
            if not part:
                break


def _collision(where: str, one: str, other: str) -> InputError:
    return InputError(
        "two paths collide",
        where=where,
        expected="names that stay different on every file system",
        found=f"{one!a} and {other!a}",
    )


def manifest(entries: Iterable[Entry]) -> bytes:
    """A payload or tag manifest. InputError for unsafe or colliding paths."""
    ordered = sorted(entries, key=lambda e: e.path.encode("utf-8", "surrogatepass"))
    check_paths((e.path for e in ordered), "manifest")
    return "".join(f"{e.sha256}  {e.path}\n" for e in ordered).encode()


def parse_manifest(data: bytes, where: str) -> tuple[Entry, ...]:
    """The entries of a manifest; InputError, with the line, unless `manifest` writes the same."""
    entries = tuple(_lines(data, where))
    check_collisions((e.path for e in entries), where)
    return entries


def _lines(data: bytes, where: str) -> Iterator[Entry]:
    if not data.endswith(b"\n") or data.startswith(b"\xef\xbb\xbf"):
        raise _malformed(where, "UTF-8 lines, the last one ended", "another form")
    previous = b""
    for number, raw in enumerate(data[:-1].split(b"\n"), 1):
        place = f"{where}, line {number}"
        try:
            match = _LINE.fullmatch(raw.decode("utf-8"))
        except UnicodeDecodeError:
            raise _malformed(place, "UTF-8", ascii(raw)[:120]) from None
        if match is None:
            expected = "64 lower-case hex digits, two spaces, a path"
            raise _malformed(place, expected, ascii(raw)[:120])
        check_path(match[2], place)
        name = raw[66:]
        if name <= previous:
            raise _malformed(place, "paths in byte order, each once", ascii(match[2]))
        previous = name
        yield Entry(match[2], match[1])


def bag_info(fields: Iterable[tuple[str, str]]) -> bytes:
    """`bag-info.txt`, one line a field, in this order; ValueError for text of another shape."""
    rows = []
    for label, value in fields:
        if not _LABEL.fullmatch(label) or value != value.strip() or not value.isprintable():
            raise ValueError(f"no bag-info field: {label!r}: {value!r}")
        rows.append(f"{label}: {value}\n")
    return "".join(rows).encode()


def check_declaration(data: bytes, where: str) -> None:
    """InputError unless `bagit.txt` is exactly that of a BagIt 1.0 bag in UTF-8."""
    if data != DECLARATION:
        raise _malformed(where, repr(DECLARATION), repr(data[:120]))


def _malformed(where: str, expected: str, found: str) -> InputError:
    return InputError("malformed bag", where=where, expected=expected, found=found)
