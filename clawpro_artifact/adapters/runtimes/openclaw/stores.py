"""OpenClaw's own stores -> plain rows: transcripts, automations, notes (second witness)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.runtimes.host import TranscriptRow
from clawpro_artifact.adapters.runtimes.openclaw import jsonl
from clawpro_artifact.errors import InfraError
from clawpro_artifact.formats import transcriptstores
from clawpro_artifact.model.trial import Snapshot

# What the runtime schedules for itself, some of it only after a while.
_MANAGED = ("memory-core:", "skill-collection-review:", "heartbeat:")


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A live SQLite file, read only."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as db:
            yield db
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise InfraError("a store cannot be read", where=str(path), found=str(error)) from None


def transcript(state: Path) -> tuple[TranscriptRow, ...]:
    """Every transcript entry of the main agent, in (session, seq) order, from either store.

    SQLite from 2026.8.2 on; before, that file (if any) has no transcripts: sessions are JSONL.
    """
    path = state / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    if not path.exists():
        return jsonl.transcript(state)
    with opened(path) as db:
        known = {r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "transcript_events" not in known:
            return jsonl.transcript(state)
        return tuple(jsonl.of(transcriptstores.read_sqlite(db), path.name))


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
