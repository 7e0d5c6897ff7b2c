"""digests -> files: the downloads of image builds, by content, verified at each use.

`<root>/sha256/<hex>` and `<root>/sha512/<hex>`: a folder that can be carried to a machine without
a network.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from clawpro_artifact.adapters.store import make_folder
from clawpro_artifact.errors import InfraError, PinError


def address(pin: str) -> tuple[str, str]:
    """(algorithm, hex) of `sha256:<hex>` or of an SRI `sha512-<base64>`."""
    if pin.startswith("sha256:"):
        return "sha256", pin.removeprefix("sha256:")
    return "sha512", base64.b64decode(pin.removeprefix("sha512-")).hex()


@dataclass(frozen=True)
class Inputs:
    """A content-addressed folder of downloads."""

    root: Path

    def path(self, pin: str) -> Path:
        """Where the file of `pin` is or would be."""
        algorithm, digest = address(pin)
        return self.root / algorithm / digest

    def missing(self, pins: list[str]) -> list[str]:
        """Those of `pins` that are not here."""
        return [pin for pin in pins if not self.path(pin).is_file()]

    def verified(self, pin: str, what: str) -> Path:
        """The file of `pin`, hashed now. PinError if its bytes changed, InfraError if missing."""
        path = self.path(pin)
        if not path.is_file():
            raise InfraError(
                f"{what} was not downloaded",
                where=str(path),
                expected=pin,
                found="no file",
                do="run `clawpro lock fetch` on a machine with the registries",
            )
        self._check(path, pin, what, f"delete {path} and run again")
        return path

    def add(self, file: Path, pin: str, what: str) -> Path:
        """Take a download in if it has the locked digest. PinError otherwise."""
        self._check(
            file,
            pin,
            what,
            "if the mirror lost this version use a snapshot mirror (`--sources FILE`) or "
            "`clawpro image import`; if the change is wanted, `clawpro lock update` and review it",
        )
        path = self.path(pin)
        make_folder(path.parent)
        temporary = path.with_name(f".tmp-{os.getpid()}-{path.name}")
        shutil.copyfile(file, temporary)
        temporary.replace(path)
        return path

    def _check(self, file: Path, pin: str, what: str, do: str) -> None:
        algorithm, wanted = address(pin)
        with file.open("rb") as opened:
            found = hashlib.file_digest(opened, algorithm)
        if found.hexdigest() != wanted:
            raise PinError(
                f"{what} has other bytes than the lock says",
                where=str(file),
                expected=pin,
                found=spelled(algorithm, found.digest()),
                do=do,
            )


def spelled(algorithm: str, digest: bytes) -> str:
    """A digest as locks write it."""
    if algorithm == "sha256":
        return "sha256:" + digest.hex()
    return "sha512-" + base64.b64encode(digest).decode()
