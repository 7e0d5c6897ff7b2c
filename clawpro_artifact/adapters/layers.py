"""input digests -> layer tars: what was built once from the same inputs is used again.

`<root>/<hex of the diff id>.tar` and `<root>/by-input/<hex>.json`. A layer is hashed before each
use: a cache is no place that bytes are trusted in.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from clawpro_artifact.adapters.store import make_folder, write
from clawpro_artifact.errors import InfraError
from clawpro_artifact.formats import tar
from clawpro_artifact.formats.canonical import file_digest


@dataclass(frozen=True)
class LayerCache:
    """A folder of layers."""

    root: Path

    def path(self, diff_id: str) -> Path:
        """Where a layer is."""
        return self.root / (diff_id.removeprefix("sha256:") + ".tar")

    def get(self, inputs: str) -> tar.Layer | None:
        """The layer made from `inputs` (a digest) if it is here and its bytes are what they were.

        One that changed is removed and None returned, so that it is built again.
        """
        note = self._note(inputs)
        if not note.is_file():
            return None
        layer = tar.Layer(**json.loads(note.read_bytes()))
        path = self.path(layer.diff_id)
        whole = path.is_file() and path.stat().st_size == layer.size
        if whole and file_digest(path) == layer.diff_id:
            return layer
        path.unlink(missing_ok=True)
        note.unlink(missing_ok=True)
        return None

    def make(self, inputs: str, pack: Callable[[BinaryIO], tar.Layer]) -> tar.Layer:
        """The layer for `inputs`: from here, or packed now, whole or not at all."""
        found = self.get(inputs)
        if found is not None:
            return found
        make_folder(self.root / "by-input")
        temporary = self.root / f".tmp-{os.getpid()}-{inputs[-16:]}"
        try:
            with temporary.open("wb") as out:
                layer = pack(out)
            temporary.replace(self.path(layer.diff_id))
        except OSError as error:
            raise InfraError(
                "a layer could not be written", where=str(self.root), found=str(error)
            ) from None
        finally:
            temporary.unlink(missing_ok=True)
        facts = {"diff_id": layer.diff_id, "size": layer.size}
        write(self._note(inputs), json.dumps(facts).encode())
        return layer

    def _note(self, inputs: str) -> Path:
        return self.root / "by-input" / (inputs.removeprefix("sha256:") + ".json")
