"""session files of OpenClaw until 2026.7.1 -> transcript rows.

`agents/<id>/sessions/<session id>.jsonl`, a header line of version 3 and one entry a line. Beside
it lie trajectories, checkpoints and what was reset or deleted: a session is chosen by its id.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.runtimes.host import TranscriptRow
from clawpro_artifact.errors import InfraError

_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl")
MAX_FILE = 256 << 20


def transcript(state: Path) -> tuple[TranscriptRow, ...]:
    """Every entry of the main agent's live sessions, in (session, line) order.

    Raises InfraError for a line that is no JSON object, with file and line; the last line alone may
    be torn (a process was stopped while it wrote) and is kept as {"type": "torn", "bytes": n}.
    """
    rows: list[TranscriptRow] = []
    folder = state / "agents" / "main" / "sessions"
    for path in sorted(p for p in folder.glob("*.jsonl") if _SESSION.fullmatch(p.name)):
        if path.is_symlink() or path.stat().st_size > MAX_FILE:
            raise InfraError("a session file cannot be read", where=path.name,
                             expected=f"a plain file of at most {MAX_FILE} bytes")  # fmt: skip
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
        for number, line in enumerate(lines):
            if line.strip(b"\r\0 "):
                # A whole file ends with a line break, so what follows the last one is torn.
                torn = number == len(lines) - 1
                rows.append(TranscriptRow(path.stem, number, _entry(line, path, number, torn)))
    return tuple(rows)


def _entry(line: bytes, path: Path, number: int, torn: bool) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        if torn:
            return {"type": "torn", "bytes": len(line)}
        raise InfraError(
            "a transcript line is no JSON",
            where=f"{path.name}, line {number + 1}",
            found=str(error),
        ) from None
    if not isinstance(value, dict):
        raise InfraError("a transcript line is no object", where=f"{path.name}, line {number + 1}")
    return value
