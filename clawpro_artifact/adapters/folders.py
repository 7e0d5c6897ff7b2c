"""folders that appear whole or not at all, and folders for a moment."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clawpro_artifact.adapters import store
from clawpro_artifact.errors import InfraError, UsageError


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """An empty folder that becomes `out` if the block succeeds and is removed if it fails.

    What a killed process left under the same name is removed by the next one; two at once: the
    second gets InfraError.
    """
    if os.path.lexists(out):
        raise UsageError(
            "the folder is there already and is never overwritten",
            where=str(out),
            do="choose another folder, or remove this one",
        )
    store.make_folder(out.parent)
    folder = out.parent / f".tmp-{out.name}"
    with store.disk(folder):
        folder.mkdir(exist_ok=True)
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InfraError(
                "another process writes this folder", where=str(folder), do="wait for it to end"
            ) from None
        with store.disk(folder):
            for entry in folder.iterdir():
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        try:
            yield folder
            with store.disk(out):
                folder.rename(out)
                store.sync_folder(out.parent)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    finally:
        os.close(fd)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A private folder that is gone afterwards; InfraError if the disk refuses it."""
    with store.disk(Path(tempfile.gettempdir())):
        folder = Path(tempfile.mkdtemp(prefix="clawpro-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
