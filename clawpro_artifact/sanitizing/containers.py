"""bytes of an archive or packed file -> the same with its content cleaned, or None if it is clean.

What is packed is unpacked in memory, cleaned and packed again, mostly without compression, so that
the result is the same everywhere. What cannot be read whole (encrypted, damaged, beyond the budget)
is replaced whole; so is what we can read but not write, by the markers of what was found in it.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import sqlite3
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing

import zstandard
from dulwich.errors import ChecksumMismatch
from dulwich.object_format import DEFAULT_OBJECT_FORMAT
from dulwich.pack import PackData, PackInflater

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.transcriptstores import unpack

BUDGET = 256 << 20  # bytes that one file may unpack to
MAX_DEPTH = 4
SEALED = b"[[redacted:sealed-archive]]"
# content, its name, in what it was packed (None: git, whose files are what they are) -> clean.
Clean = Callable[[bytes, str, str | None], bytes]
_GIT_OBJECT = re.compile(r"(?:^|/)objects/[0-9a-f]{2}/[0-9a-f]{38}$")
_MARKER = re.compile(rb"\[\[(?:canary|redacted):[^\]\n]+\]\]")
_STREAM = re.compile(rb"stream\r?\n")


class _SealedError(Exception):
    """Nobody can be sure what is in it."""


def unpacked(data: bytes, name: str, clean: Clean, depth: int = 0) -> bytes | None:
    """The cleaned file, or None if it is no container or nothing in it had to be replaced."""
    kind = _kind(data, name)
    if kind is None:
        return None
    if depth >= MAX_DEPTH:
        return SEALED
    try:
        return kind(data, clean)
    except (
        _SealedError, InputError,
        zlib.error, lzma.LZMAError, zipfile.BadZipFile, zstandard.ZstdError,
        tarfile.TarError, OSError, EOFError, ValueError, NotImplementedError, KeyError,
        RuntimeError, ChecksumMismatch, AssertionError,
    ):  # fmt: skip
        return SEALED


def _kind(data: bytes, name: str) -> Callable[[bytes, Clean], bytes | None] | None:
    if _GIT_OBJECT.search(name):
        return _git_object
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    if data[257:262] == b"ustar":
        return _tar
    return None


def _git_object(data: bytes, clean: Clean) -> bytes | None:
    """zlib over `type SP size NUL body`; the name stays, so every reference still resolves."""
    raw = _inflate(data, 15)
    head, nul, body = raw.partition(b"\0")
    if not nul:
        raise _SealedError
    kind = head.split(b" ")[0]
    # A tree holds raw object ids, of which none may change.
    done = _tree(body, clean) if kind == b"tree" else clean(body, "", None)
    if done == body:
        return None
    return zlib.compress(kind + b" " + str(len(done)).encode() + b"\0" + done, 0)


def _tree(body: bytes, clean: Clean) -> bytes:
    out, at = [], 0
    while at < len(body):
        end = body.index(b"\0", at)
        out.append(clean(body[at:end], "", None) + body[end : end + 21])
        at = end + 21
    return b"".join(out)


def _git_pack(data: bytes, clean: Clean) -> bytes | None:
    found: list[bytes] = []
    with closing(PackData.from_file(io.BytesIO(data), DEFAULT_OBJECT_FORMAT, len(data))) as pack:
        total = 0
        for item in PackInflater.for_pack_data(pack):
            body = item.as_raw_string()
            total += len(body)
            if total > BUDGET:
                raise _SealedError
            if item.type_name != b"tree":
                found += _markers(body, clean(body, "", "pack"))
    return _instead(found)


def _gzip(data: bytes, clean: Clean) -> bytes | None:
    raw = _inflate(data, 31)
    done = clean(raw, "", "gzip")
    if done == raw:
        return None
    return gzip.compress(done, 0, mtime=int.from_bytes(data[4:8], "little"))


def _inflate(data: bytes, wbits: int) -> bytes:
    """All members after another, as `gzip` reads them."""
    out: list[bytes] = []
    left = BUDGET
    while data:
        one = zlib.decompressobj(wbits)
        out.append(one.decompress(data, left))
        left -= len(out[-1])
        if not one.eof or left <= 0:
            raise _SealedError
        data = one.unused_data.lstrip(b"\0")
    return b"".join(out)


def _zip(data: bytes, clean: Clean) -> bytes | None:
    new = io.BytesIO()
    changed = False
    left = BUDGET
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(new, "w") as out:
        for info in old.infolist():
            if info.flag_bits & 1:
                raise _SealedError
            with old.open(info) as member:
                body = member.read(left + 1)
            left -= len(body)
            if left < 0:
                raise _SealedError
            done = clean(body, info.filename, "zip")
            name = clean(info.filename.encode(), "", "zip").decode()
            changed |= done != body or name != info.filename
            entry = zipfile.ZipInfo(name, info.date_time)
            entry.external_attr = info.external_attr
            out.writestr(entry, done)
    return new.getvalue() if changed else None


def _tar(data: bytes, clean: Clean) -> bytes | None:
    new = io.BytesIO()
    changed = False
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as old, \
            tarfile.open(fileobj=new, mode="w", format=tarfile.PAX_FORMAT) as out:  # fmt: skip
        for info in old:
            names = (info.name, info.linkname, info.uname, info.gname)
            file = old.extractfile(info) if info.isreg() else None
            body = file.read() if file is not None else b""
            done = clean(body, info.name, "tar") if body else body
            cleaned = [clean(n.encode("utf-8", "surrogateescape"), "", "tar") for n in names]
            plain = [n.decode("utf-8", "surrogateescape") for n in cleaned]
            changed |= done != body or tuple(plain) != names
            info.name, info.linkname, info.uname, info.gname = plain
            info.size, info.pax_headers = len(done), {}
            out.addfile(info, io.BytesIO(done))
    return new.getvalue() if changed else None


def _whole(
    how: str, read: Callable[[bytes], bytes], write: Callable[[bytes], bytes]
) -> Callable[[bytes, Clean], bytes | None]:
    def kind(data: bytes, clean: Clean) -> bytes | None:
        raw = read(data)
        done = clean(raw, "", how)
        return None if done == raw else write(done)

    return kind


def _unxz(data: bytes) -> bytes:
    return _bounded(lzma.LZMAFile(io.BytesIO(data)))


def _unbz2(data: bytes) -> bytes:
    return _bounded(bz2.BZ2File(io.BytesIO(data)))


def _unzstd(data: bytes) -> bytes:
    return unpack(data, BUDGET)


def _bounded(reader: io.BufferedIOBase) -> bytes:
    data = reader.read(BUDGET + 1)
    if len(data) > BUDGET:
        raise _SealedError
    return bytes(data)


def _pdf(data: bytes, clean: Clean) -> bytes | None:
    """Streams packed with zlib; those of other filters are looked at as they are."""
    found: list[bytes] = []
    for match in _STREAM.finditer(data):
        try:
            body = zlib.decompressobj().decompress(data[match.end() :], BUDGET)
        except zlib.error:
            continue
        found += _markers(body, clean(body, "", "pdf"))
    return _instead(found)


def _sqlite(data: bytes, clean: Clean) -> bytes | None:
    """A long value may be cut by a page; a cell that holds a secret is found by reading it."""
    raw = clean(data, "", "raw")
    found: list[bytes] = []
    try:
        with closing(sqlite3.connect(":memory:")) as db:
            db.deserialize(raw)
            db.text_factory = bytes
            for cell in _cells(db):
                found += _markers(cell, clean(cell, "", "sqlite"))
    except sqlite3.Error:
        return None  # not a database that anybody could read; its bytes are looked at
    return _instead(found) or (None if raw == data else raw)


def _cells(db: sqlite3.Connection) -> Iterator[bytes]:
    tables = [row[0].decode() for row in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    )]  # fmt: skip
    for table in tables:
        quoted = table.replace('"', '""')
        for row in db.execute(f'SELECT * FROM "{quoted}"'):
            yield from (cell for cell in row if isinstance(cell, bytes))


def _markers(old: bytes, new: bytes) -> list[bytes]:
    return [] if old == new else _MARKER.findall(new) or [SEALED]


def _instead(markers: list[bytes]) -> bytes | None:
    return b"\n".join(sorted(set(markers))) or None


_MAGIC: tuple[tuple[bytes, Callable[[bytes, Clean], bytes | None]], ...] = (
    (b"\x1f\x8b", _gzip),
    (b"PK\x03\x04", _zip),
    (b"PACK\0\0\0", _git_pack),
    (b"%PDF-", _pdf),
    (b"SQLite format 3\0", _sqlite),
    (b"\x28\xb5\x2f\xfd", _whole("zstd", _unzstd, zstandard.ZstdCompressor(level=1).compress)),
    (b"\xfd7zXZ\0", _whole("xz", _unxz, lambda data: lzma.compress(data, preset=0))),
    (b"BZh", _whole("bzip2", _unbz2, lambda data: bz2.compress(data, 1))),
)
