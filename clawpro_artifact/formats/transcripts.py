"""bytes of an OpenClaw session file -> its entries, and every defect by line and byte.

Nothing is skipped in silence: what cannot be read is a Defect that says where and how much, with
the digest of the bytes, and the rest is read on. The format is that of releases until 2026.7.1:
JSON Lines of version 3, a header and then a tree of entries by `parentId`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.portable import portable

MAX_BYTES: Final = 256 << 20
HEADER_VERSION: Final = 3

Kind = Literal[
    "bom", "crlf", "nul-run", "torn-last-line", "blank-line", "not-utf8", "not-portable", "spliced",
    "torn-record", "no-json", "no-object", "too-deep", "no-header", "other-version",
    "missing-parent", "duplicate-id", "parent-cycle", "no-payload", "two-payloads",
    "damaged-payload", "too-large", "sequence-gap", "other-schema",
]  # fmt: skip
# Whether an entry, or a part of one, is lost: then the transcript is no whole witness.
LOSSY: Final[frozenset[str]] = frozenset({
    "not-utf8", "torn-record", "no-json", "too-deep", "no-payload", "damaged-payload", "too-large",
        })  # fmt: skip


@dataclass(frozen=True)
class Defect:
    """`line` counts from 1 (SQLite: the row); `byte` from the start of the file (SQLite: of the
    payload); `size` bytes are concerned, of which `digest` is the sha256."""

    kind: Kind
    line: int
    byte: int
    size: int = 0
    digest: str = ""
    detail: str = ""

    @property
    def is_lossy(self) -> bool:
        """Whether something of the transcript is lost."""
        return self.kind in LOSSY


@dataclass(frozen=True)
class Entry:
    """One entry as plain JSON that has a canonical form, and where it stood."""

    session: str
    line: int
    value: dict[str, Any]


@dataclass(frozen=True)
class Transcript:
    """All entries in file order, and what was wrong."""

    entries: tuple[Entry, ...]
    defects: tuple[Defect, ...]


_NEXT = re.compile(r'\{\s*"(?:type|id|parentId|message)"\s*:')
_DECODER = json.JSONDecoder()


def read_jsonl(data: bytes, session: str) -> Transcript:
    """Entries of one session file. Raises InputError only if it is larger than MAX_BYTES."""
    if len(data) > MAX_BYTES:
        raise InputError("a session file is too large", where=session,
                         expected=f"at most {MAX_BYTES} bytes", found=str(len(data)))  # fmt: skip
    entries: list[Entry] = []
    defects: list[Defect] = []
    at = 0
    if data.startswith(b"\xef\xbb\xbf"):
        defects.append(defect_at("bom", 1, 0, data[:3]))
        at = 3
    number = 0
    while at < len(data):
        number += 1
        end = data.find(b"\n", at)
        whole = end >= 0
        end = end if whole else len(data)
        for value in _line(data[at:end], number, at, whole, defects):
            entries.append(Entry(session, number, value))
        at = end + 1
    defects += tree_defects(entries)
    return Transcript(tuple(entries), tuple(defects))


def _line(
    raw: bytes, number: int, base: int, whole: bool, defects: list[Defect]
) -> Iterator[dict[str, Any]]:
    if raw.endswith(b"\r"):
        defects.append(defect_at("crlf", number, base + len(raw) - 1, b"\r"))
        raw = raw[:-1]
    for run in re.finditer(rb"\0+", raw):
        defects.append(defect_at("nul-run", number, base + run.start(), run[0]))
    if b"\0" in raw:
        # Where the file system lost a page, or lines were laid over each other.
        for piece in re.finditer(rb"[^\0]+", raw):
            last = whole or piece.end() < len(raw)
            yield from values_of(piece[0], number, base + piece.start(), last, defects)
    elif raw.strip():
        yield from values_of(raw, number, base, whole, defects)
    elif raw or whole:
        defects.append(defect_at("blank-line", number, base, raw))


def values_of(
    raw: bytes, number: int, base: int, whole: bool, defects: list[Defect]
) -> Iterator[dict[str, Any]]:
    """The JSON values of a line; usually one."""
    text, offsets = _decoded(raw, number, base, defects)
    at = found = 0
    while at < len(text):
        if text[at] in " \t\r":
            at += 1
            continue
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            follow = _NEXT.search(text, at + 1)
            stop = follow.start() if follow is not None else len(text)
            lost = raw[offsets(at) : offsets(stop)]
            kind: Kind = "no-json"
            if isinstance(error, RecursionError):
                kind = "too-deep"
            elif follow is not None:
                kind = "torn-record"
            elif not whole:
                kind = "torn-last-line"
            defects.append(defect_at(kind, number, base + offsets(at), lost, str(error)[:80]))
            at = stop
            continue
        if found:
            defects.append(
                defect_at("spliced", number, base + offsets(at), b"", "a further record")
            )
        found += 1
        yield _entry(value, number, base + offsets(at), raw[offsets(at) : offsets(end)], defects)
        at = end


def _decoded(raw: bytes, number: int, base: int, defects: list[Defect]) -> tuple[str, Any]:
    """The text, and a function from its characters to bytes of `raw`."""
    if raw.isascii():
        return raw.decode("ascii"), lambda at: at
    text = raw.decode("utf-8", "surrogateescape")
    bad = re.search("[\udc80-\udcff]+", text)
    if bad is not None:
        start = len(text[: bad.start()].encode("utf-8", "surrogateescape"))
        broken = bad[0].encode("utf-8", "surrogateescape")
        defects.append(defect_at("not-utf8", number, base + start, broken, broken[:16].hex()))
        # As `errors="replace"` shows it, but one character for one byte.
        shown = re.sub("[\udc80-\udcff]", "\ufffd", text)
    else:
        shown = text
    return shown, lambda at: len(text[:at].encode("utf-8", "surrogateescape"))


def _entry(value: Any, number: int, at: int, raw: bytes, defects: list[Defect]) -> dict[str, Any]:
    made = portable(value)
    if made is not value:
        detail = "a number, a surrogate or nesting that JSON texts do not carry over"
        defects.append(defect_at("not-portable", number, at, raw, detail))
    if isinstance(made, dict):
        return made
    defects.append(defect_at("no-object", number, at, raw))
    return {"value": made}


def tree_defects(entries: Iterable[Entry]) -> Iterator[Defect]:
    """What is wrong with the header and the references between entries."""
    rows = list(entries)
    if rows:
        head = rows[0].value
        if head.get("type") != "session":
            yield Defect("no-header", rows[0].line, 0)
        elif head.get("version") != HEADER_VERSION:
            detail = f"expected {HEADER_VERSION}, found {head.get('version')!r}"
            yield Defect("other-version", rows[0].line, 0, detail=detail)
    lines: dict[str, int] = {}
    parents: dict[str, str] = {}
    for row in rows:
        name = row.value.get("id")
        if row.value.get("type") == "session" or not isinstance(name, str):
            continue
        if name in lines:
            yield Defect("duplicate-id", row.line, 0, detail=f"{name}: first on line {lines[name]}")
            continue
        lines[name] = row.line
        if isinstance(row.value.get("parentId"), str):
            parents[name] = row.value["parentId"]
    for name, parent in parents.items():
        if parent not in lines:
            yield Defect("missing-parent", lines[name], 0, detail=f"{name}: {parent} is not here")
    done: set[str] = set()
    for name in parents:
        seen: dict[str, None] = {}
        step: str | None = name
        while step is not None and step not in seen and step not in done:
            seen[step] = None
            step = parents.get(step)
        if step is not None and step in seen:
            yield Defect("parent-cycle", lines[step], 0, detail=step)
        done.update(seen)


def branch(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The active branch: from the last entry up by `parentId`, in order from the root down.

    Entries without ids (the header, older records) are all kept.
    """
    rows = list(entries)
    by_id = {r.value["id"]: r for r in rows if isinstance(r.value.get("id"), str)
             and r.value.get("type") != "session"}  # fmt: skip
    leaf = next((r for r in reversed(rows) if r.value.get("id") in by_id), None)
    kept: set[int] = {n for n, r in enumerate(rows) if r.value.get("id") not in by_id}
    place = {id(r): n for n, r in enumerate(rows)}
    while leaf is not None and place[id(leaf)] not in kept:
        kept.add(place[id(leaf)])
        leaf = by_id.get(str(leaf.value.get("parentId")))
    return tuple(rows[n] for n in sorted(kept))


def defect_at(kind: Kind, line: int, at: int, raw: bytes, detail: str = "") -> Defect:
    """A defect of the bytes `raw`, which begin at `at`."""
    return Defect(kind, line, at, len(raw), hashlib.sha256(raw).hexdigest(), detail)
