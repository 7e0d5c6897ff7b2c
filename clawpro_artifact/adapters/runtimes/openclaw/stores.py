"""OpenClaw's own stores -> plain rows: transcripts, automations, notes (second witness)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import zstandard

from clawpro_artifact.adapters.runtimes.host import TranscriptRow
from clawpro_artifact.adapters.runtimes.openclaw import jsonl
from clawpro_artifact.errors import InfraError
from clawpro_artifact.model.trial import Snapshot

# What the runtime schedules for itself, some of it only after a while.
_MANAGED = ("memory-core:", "skill-collection-review:", "heartbeat:")
MAX_EVENT = 64 << 20


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A live SQLite file, read only."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as db:
            yield db
    except sqlite3.Error as error:
        raise InfraError("a store cannot be read", where=str(path), found=str(error)) from None


def transcript(state: Path) -> tuple[TranscriptRow, ...]:
    """Every transcript entry of the main agent, in (session, seq) order, from either store.

    SQLite from 2026.8.2 on; before, that file (if any) has no transcripts: sessions are JSONL.
    """
    path = state / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    if not path.exists():
        return jsonl.transcript(state)
    rows: list[TranscriptRow] = []
    with opened(path) as db:
        known = {r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "transcript_events" not in known:
            return jsonl.transcript(state)
        columns = {r[1] for r in db.execute("PRAGMA table_info(transcript_events)")}
        packed = "event_zstd" if "event_zstd" in columns else "NULL"
        query = (
            f"SELECT session_id, seq, event_json, {packed} FROM transcript_events "
            "ORDER BY session_id, seq"
        )
        for session, seq, text, data in db.execute(query):
            rows.append(TranscriptRow(session, seq, _entry(text, data, f"{path}: {session}")))
    return tuple(rows)


def _entry(text: str | None, packed: bytes | None, where: str) -> dict[str, Any]:
    if text is None:
        if packed is None:
            raise InfraError("a transcript event has no payload", where=where)
        text = _unpack(packed, where)
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InfraError("a transcript event is no JSON", where=where, found=str(error)) from None
    return value if isinstance(value, dict) else {"value": value}


def _unpack(packed: bytes, where: str) -> str:
    try:
        reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        data = reader.read(MAX_EVENT + 1)
    except zstandard.ZstdError as error:
        raise InfraError("a packed event is damaged", where=where, found=str(error)) from None
    if len(data) > MAX_EVENT:
        raise InfraError("a packed event is too large", where=where)
    return data.decode("utf-8", "replace")


def jobs(payload: Any) -> list[dict[str, Any]]:
    """The automations of `cron.list`, those that the runtime made for itself left out."""
    found = payload.get("jobs", []) if isinstance(payload, dict) else []
    return [
        job
        for job in found
        if isinstance(job, dict) and not str(job.get("declarationKey", "")).startswith(_MANAGED)
    ]


def notes(space: Path, after: Snapshot) -> dict[str, str]:
    """The memory notes in the workspace by path."""
    found: dict[str, str] = {}
    for entry in after.entries:
        is_note = entry.path == "MEMORY.md" or (
            entry.path.startswith("memory/") and entry.path.endswith(".md")
        )
        if is_note and entry.kind == "file" and entry.size < 1_000_000:
            found[entry.path] = (space / entry.path).read_bytes().decode("utf-8", "replace")
    return found
