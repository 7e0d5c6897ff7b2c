"""one operation of ours, for a process that is to be hurt: `driver.py OPERATION FOLDER`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec

from clawpro_artifact.adapters.archive import Archive
from clawpro_artifact.adapters.blobs import Folder
from clawpro_artifact.adapters.keys import KeyFile
from clawpro_artifact.adapters.releaselog import ReleaseLog
from clawpro_artifact.bundling import BundleFile, ReleaseInfo, bundle, write_tar
from clawpro_artifact.errors import ClawproError

KEY = KeyFile(ec.derive_private_key(11, ec.SECP256R1()))
NOW = datetime(2026, 3, 1, tzinfo=UTC)
INFO = ReleaseInfo("test", "0.1.0", "2026-03-01T12:00:00Z", "clawpro", log_key=KEY.public)
CONTENT = [BundleFile("data/a/one", b"1" * 5000), BundleFile("data/two", b"2\n")]


def log_at(folder: Path) -> ReleaseLog:
    return ReleaseLog(folder / "log", "example.test/log", KEY.public)


def make_bundle(folder: Path) -> None:
    bundle(CONTENT, [KEY], INFO, folder / "bundle", lambda tags: log_at(folder).append(tags, KEY))


def keep(folder: Path) -> None:
    archive = Archive(Folder(folder / "archive"), Folder(folder / "copy"))
    bundle_id = (folder / "id").read_text()
    archive.put(folder / "bundle", bundle_id, NOW)


def append(folder: Path) -> None:
    log_at(folder).append(b"second", KEY)


def tar(folder: Path) -> None:
    write_tar(folder / "bundle", folder / "bundle.tar")


OPERATIONS = {"bundle": make_bundle, "archive": keep, "log": append, "tar": tar}

if __name__ == "__main__":
    try:
        OPERATIONS[sys.argv[1]](Path(sys.argv[2]))
    except ClawproError as error:
        sys.exit(error.exit_code)
