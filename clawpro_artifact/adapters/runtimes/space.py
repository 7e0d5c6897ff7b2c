"""a scenario's workspace <-> a folder that the container's user owns; snapshots of it.

The agent owns what it wrote: links are recorded and never followed, special files never opened.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from clawpro_artifact.adapters import store
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model.trial import EntryKind, Snapshot, SnapshotEntry

Fill = Callable[[bytes], bytes]
MAX_FILE = 64 << 20
_KINDS: tuple[tuple[Callable[[int], bool], EntryKind], ...] = (
    (stat.S_ISDIR, "directory"),
    (stat.S_ISLNK, "symlink"),
    (stat.S_ISFIFO, "fifo"),
    (stat.S_ISSOCK, "socket"),
)


def lay_out(scenario: ScenarioFolder, space: Path, owner: int, fill: Fill) -> None:
    """Put the scenario's files into the empty folder `space`, canaries filled in."""
    for item in scenario.workspace():
        if item.target is not None:
            link(space, item.path, item.target, owner)
            continue
        put(space, item.path, fill(item.data), owner, executable=item.executable)


def put(space: Path, path: str, data: bytes, owner: int, *, executable: bool = False) -> None:
    """Write one file and the folders above it; what is a link on the way is replaced."""
    target = space
    for part in path.split("/")[:-1]:
        target /= part
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            target.unlink()
        if not target.exists():
            target.mkdir(mode=0o755)
            os.lchown(target, owner, owner)
    target /= path.split("/")[-1]
    if target.is_symlink():
        target.unlink()
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
        os.fchmod(fd, 0o755 if executable else 0o644)
        os.fchown(fd, owner, owner)


def link(space: Path, path: str, to: str, owner: int) -> None:
    """A symbolic link that the scenario declares."""
    folder = space / path
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.symlink_to(to)
    os.lchown(folder, owner, owner)


def wipe(folder: Path) -> None:
    """Remove everything below `folder`, not the folder (it is bound into a container)."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def snapshot(space: Path, blobs: Path | None) -> Snapshot:
    """The tree below `space`, sorted by path bytes; contents are kept in `blobs/<hex>` if given.

    A file larger than 64 MiB is kept up to there, with its real size and the digest of what is
    kept; one that vanishes or cannot be opened while we look is left out of this moment.
    """
    entries: list[SnapshotEntry] = []
    for folder, names, files in os.walk(space, followlinks=False):
        for name in (*names, *files):
            path = Path(folder) / name
            entry = _entry(path, path.relative_to(space).as_posix(), blobs)
            if entry is not None:
                entries.append(entry)
    entries.sort(key=lambda e: e.path.encode("utf-8", "surrogateescape"))
    return Snapshot(entries=tuple(entries))


def _entry(path: Path, name: str, blobs: Path | None) -> SnapshotEntry | None:
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    try:
        info = path.lstat()
        if stat.S_ISREG(info.st_mode):
            return _file(path, shown, info, blobs)
        kind: EntryKind = next((k for test, k in _KINDS if test(info.st_mode)), "device")
        target = None
        if kind == "symlink":
            raw = os.fsencode(path.readlink())
            target = raw.decode("utf-8", "backslashreplace")
        return SnapshotEntry(path=shown, kind=kind, target=target)
    except OSError:
        return None


def _file(path: Path, name: str, info: os.stat_result, blobs: Path | None) -> SnapshotEntry:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(fd, "rb") as file:
        data = file.read(MAX_FILE)
    hexdigest = hashlib.sha256(data).hexdigest()
    if blobs is not None and not (blobs / hexdigest).exists():
        blobs.mkdir(exist_ok=True)
        store.write(blobs / hexdigest, data, mode=0o600)
    return SnapshotEntry(
        path=name,
        kind="file",
        executable=bool(info.st_mode & 0o100),
        size=max(info.st_size, len(data)),
        digest="sha256:" + hexdigest,
    )


def state_of(snapshot: Snapshot) -> dict[str, str]:
    """path -> what it is, folders left out: for telling what changed."""
    return {
        e.path: e.digest or e.target or e.kind for e in snapshot.entries if e.kind != "directory"
    }
