"""the release before + the content of the next -> what changed, as text for the release notes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from clawpro_artifact import verifying
from clawpro_artifact.bundling import ReleaseContent
from clawpro_artifact.errors import ClawproError, InputError
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.formats.publickey import PublicKey
from clawpro_artifact.formats.shipped import Shipped
from clawpro_artifact.formats.trees import walk
from clawpro_artifact.model.lock import Lock
from clawpro_artifact.pipeline.history import ReleaseHistory
from clawpro_artifact.verifying.difference import Difference, Move, difference

_MOST = 40  # moves listed one by one; `clawpro diff` shows all


def since_last(history: ReleaseHistory, content: ReleaseContent, keys: Sequence[PublicKey]) -> str:
    """A section of the release notes; empty for a first release."""
    if history.last is None:
        return ""
    head = f"\n## What changed since {history.last}\n\n"
    path = history.last_path
    if path is None or not path.exists():
        return head + "Not listed: that bundle is no longer where it was made.\n"
    try:
        verdict = verifying.verify(path, keys)
        if verdict.bundle_id != history.last or verdict.answer != "yes":
            return head + "Not listed: the bundle kept of it does not verify with this key.\n"
        with open_bundle(path) as container:
            found = difference(Shipped(container, history.last), _Unsigned(content))
    except ClawproError as error:
        return head + f"Not listed: {error.summary}.\n"
    return head + rendered(found)


def rendered(found: Difference) -> str:
    """Moves by axis, as a list."""
    if not found.moves:
        return "Nothing that decides a result: the same lock was run again.\n"
    rows = [f"Moved: {', '.join(found.axes)}.", ""]
    rows += [f"- {m.axis}: {_words(m)}" for m in found.moves[:_MOST]]
    if len(found.moves) > _MOST:
        rows.append(f"- and {len(found.moves) - _MOST} more: `clawpro diff` lists them")
    return "\n".join(rows) + "\n"


def _words(move: Move) -> str:
    if move.before is None:
        return f"{move.at} is new"
    if move.after is None:
        return f"{move.at} is gone"
    return f"{move.at}: {_short(move.before)} became {_short(move.after)}"


def _short(value: str) -> str:
    return value if len(value) <= 80 else value[:77] + "..."


class _Unsigned:
    """Content that is to be signed, in the part of `Shipped` that a difference reads."""

    def __init__(self, content: ReleaseContent) -> None:
        self._lock = content.lock
        folders = {f"data/definitions/{name}": p for name, p in content.definitions.items()}
        folders |= {f"data/{part}": p for part, p in content.code.items()}
        self._paths: dict[str, Path] = {
            f"{prefix}/{name}": path
            for prefix, folder in folders.items()
            for name, path in walk(folder)
        }
        self.digests = {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            for name, path in self._paths.items()
        }

    def lock(self) -> Lock:
        return self._lock

    def read(self, path: str, max_bytes: int) -> bytes:
        data = self._paths[path].read_bytes()
        if len(data) > max_bytes:
            raise InputError("the file is too large", where=path)
        return data
