"""session files of OpenClaw until 2026.7.1 -> transcript rows.

`agents/<id>/sessions/<session id>.jsonl`, a header line of version 3 and one entry a line. Beside
it lie trajectories, checkpoints and what was reset or deleted: a session is chosen by its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from clawpro_artifact.adapters.runtimes.host import TranscriptRow
from clawpro_artifact.errors import InfraError
from clawpro_artifact.formats import transcripts

_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl")
MAX_FILE = transcripts.MAX_BYTES


def transcript(state: Path) -> tuple[TranscriptRow, ...]:
    """Every entry of the main agent's live sessions, in (session, line) order, and their defects.

    Raises InfraError for what is no plain file of at most MAX_FILE bytes.
    """
    rows: list[TranscriptRow] = []
    folder = state / "agents" / "main" / "sessions"
    for path in sorted(p for p in folder.glob("*.jsonl") if _SESSION.fullmatch(p.name)):
        if path.is_symlink() or path.stat().st_size > MAX_FILE:
            raise InfraError("a session file cannot be read", where=path.name,
                             expected=f"a plain file of at most {MAX_FILE} bytes")  # fmt: skip
        rows += of(transcripts.read_jsonl(path.read_bytes(), path.stem), path.stem)
    return tuple(rows)


def of(found: transcripts.Transcript, session: str) -> Iterator[TranscriptRow]:
    """Rows of a transcript; a defect is a row of the type `defect` where it was found."""
    for entry in found.entries:
        yield TranscriptRow(entry.session, entry.line, entry.value)
    for defect in found.defects:
        value = {"type": "defect", "lossy": defect.is_lossy, **asdict(defect)}
        yield TranscriptRow(session, defect.line, value)
