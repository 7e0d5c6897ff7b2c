"""bytes of an OpenClaw store (SQLite) or of an archive of a session -> its entries and defects.

Schemas 19, 21 and 23 of releases from 2026.8.2 on: `transcript_events`, from 23 on with the payload
in `event_zstd` where `event_json` is NULL. Archives are either form packed with zstd or gzip.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from typing import Any, Final

import zstandard

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.transcripts import (
    MAX_BYTES,
    Defect,
    Entry,
    Kind,
    Transcript,
    defect_at,
    read_jsonl,
    tree_defects,
    values_of,
)

MAX_EVENT: Final = 64 << 20
SCHEMAS: Final = (19, 21, 23)
_STEP = 512


def read_sqlite(db: sqlite3.Connection) -> Transcript:
    """Entries of a store, by session and sequence number; InputError if it has no such table.

    The connection is the caller's: a copy in memory, or a file opened read only.
    """
    db.text_factory = bytes  # before the first look: also names may be damaged
    columns = {row[1] for row in db.execute("PRAGMA table_info(transcript_events)")}
    if not columns:
        raise InputError("the store has no transcripts", expected="a table transcript_events",
                         found="none")  # fmt: skip
    defects: list[Defect] = []
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, *SCHEMAS):
        detail = f"schema {version}; read like {SCHEMAS[-1]}"
        defects.append(Defect("other-schema", 0, 0, detail=detail))
    packed = "event_zstd" if b"event_zstd" in columns else "NULL"
    entries: list[Entry] = []
    last: tuple[str, int] | None = None
    query = (f"SELECT session_id, seq, event_json, {packed} FROM transcript_events "
             "ORDER BY session_id, seq")  # fmt: skip
    for number, (session, seq, plain, data) in enumerate(db.execute(query), 1):
        name = session.decode("utf-8", "replace") if isinstance(session, bytes) else str(session)
        if last is not None and last[0] == name and isinstance(seq, int) and seq > last[1] + 1:
            detail = f"{name}: {last[1]} is followed by {seq}"
            defects.append(Defect("sequence-gap", number, 0, detail=detail))
        last = (name, seq if isinstance(seq, int) else 0)
        payload = _payload(plain, data, number, defects)
        if payload is not None:
            at = seq if isinstance(seq, int) else number
            values = list(values_of(payload, number, 0, True, defects))
            entries += [Entry(name, at, value) for value in values]
    by_session: dict[str, list[Entry]] = {}
    for entry in entries:
        by_session.setdefault(entry.session, []).append(entry)
    for rows in by_session.values():
        defects += [d for d in tree_defects(rows) if d.kind not in ("no-header", "other-version")]
    return Transcript(tuple(entries), tuple(defects))


def _payload(plain: Any, data: Any, number: int, defects: list[Defect]) -> bytes | None:
    if plain is not None:
        if data is not None:
            defects.append(
                defect_at("two-payloads", number, 0, _bytes(data), "the plain one is read")
            )
        return _bytes(plain)
    if data is None:
        defects.append(Defect("no-payload", number, 0))
        return None
    try:
        return unpack(_bytes(data))
    except InputError as error:
        kind: Kind = "too-large" if error.summary.endswith("too large") else "damaged-payload"
        defects.append(defect_at(kind, number, 0, _bytes(data), str(error.found)))
        return None


def unpack(data: bytes, limit: int = MAX_EVENT) -> bytes:
    """zstd or gzip -> its bytes, all frames; other data as it is.

    Raises InputError if it is damaged, cut off or larger than `limit`.
    """
    try:
        if data.startswith(b"\x28\xb5\x2f\xfd"):
            source = zstandard.ZstdDecompressor(max_window_size=1 << 27)
            return _all(data, source.decompressobj, limit)
        if data.startswith(b"\x1f\x8b"):
            return _all(data, lambda: zlib.decompressobj(31), limit)
    except (zstandard.ZstdError, zlib.error) as error:
        raise InputError("a packed payload is damaged", found=str(error)) from None
    return data


def _all(data: bytes, begin: Callable[[], Any], limit: int) -> bytes:
    """Every frame, in small steps: a step of zstd may give 32,768 times its size."""
    out: list[bytes] = []
    size = at = 0
    one = begin()
    while at < len(data):
        piece = data[at : at + _STEP]
        out.append(one.decompress(piece))
        size += len(out[-1])
        at += len(piece) - len(one.unused_data)
        if size > limit:
            raise InputError("a packed payload is too large", found=f"more than {limit} bytes")
        if one.eof and at < len(data):
            one = begin()
    if not one.eof:
        raise InputError("a packed payload is damaged", found="its last frame is cut off")
    return b"".join(out)


def read(data: bytes, session: str) -> Transcript:
    """A session as it lies on disk: JSONL or SQLite, also packed (an archive).

    Raises InputError if it is neither, or a store that nobody can read.
    """
    data = unpack(data, MAX_BYTES)
    if not data.startswith(b"SQLite format 3\0"):
        return read_jsonl(data, session)
    try:
        with closing(sqlite3.connect(":memory:")) as db:
            db.deserialize(data)
            return read_sqlite(db)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # of a message that quotes a damaged name
        raise InputError("a store cannot be read", where=session, found=str(error)) from None


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
