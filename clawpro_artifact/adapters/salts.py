"""the user's config folder -> the key from which the salts of redactions are derived."""

from __future__ import annotations

import secrets
from pathlib import Path

from clawpro_artifact.adapters import store
from clawpro_artifact.errors import InfraError


def salt_key(path: Path) -> bytes:
    """32 bytes, made on first use (mode 0600); whoever holds them can open redactions."""
    if not path.exists():
        store.make_folder(path.parent, mode=0o700)
        store.write_new(path, secrets.token_bytes(32), mode=0o600)
    data = path.read_bytes()
    if len(data) != 32:
        raise InfraError("the salt key is damaged", where=str(path), expected="32 bytes")
    return data
