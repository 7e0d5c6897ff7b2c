"""two folders -> what differs, as a person reads it: unified diffs of texts, names of the rest."""

from __future__ import annotations

import difflib
from pathlib import Path

from clawpro_artifact.formats.trees import walk

_LONGEST = 200_000  # bytes; a longer text is named and not shown


def folder_diff(old: Path, new: Path, name: str) -> list[str]:
    """Lines in the form of `diff -ru`; a folder that is missing has no file."""
    then = dict(walk(old)) if old.is_dir() else {}
    now = dict(walk(new)) if new.is_dir() else {}
    rows: list[str] = []
    for path in sorted({*then, *now}):
        before, after = _read(then.get(path)), _read(now.get(path))
        if before != after:
            rows += _rows(f"{name}/{path}", before, after)
    return rows


def _read(path: Path | None) -> bytes | None:
    return None if path is None else path.read_bytes()


def _rows(name: str, before: bytes | None, after: bytes | None) -> list[str]:
    try:
        if max(len(before or b""), len(after or b"")) > _LONGEST:
            raise ValueError
        was, is_now = ((data or b"").decode().splitlines() for data in (before, after))
    except ValueError:
        return [f"{name}: differs ({_size(before)} -> {_size(after)})"]
    old = "/dev/null" if before is None else name
    new = "/dev/null" if after is None else name
    lines = list(difflib.unified_diff(was, is_now, old, new, lineterm=""))
    return lines or [f"{name}: differs in line ends only"]


def _size(data: bytes | None) -> str:
    return "missing" if data is None else f"{len(data)} bytes"
