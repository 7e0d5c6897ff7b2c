"""bytes <-> disk, whole or not at all: atomic files, content by digest, results by inputs, journal.

Every write goes to a temporary file beside its target, is fsync'd, renamed, and the folder is
fsync'd. After kill -9 or a full disk there is the old state or the new one, and at most a
`.tmp-*` file that `Store.sweep` removes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from clawpro_artifact.errors import InfraError
from clawpro_artifact.formats import canonical, jsonio

_TEMPORARY = ".tmp-"
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_SLUG = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")


def make_folder(path: Path, mode: int = 0o755) -> None:
    """`mkdir -p`; the folders made get `mode` and are durable. InfraError if the disk refuses."""
    with disk(path):
        missing = [p for p in (path, *path.parents) if not p.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=mode, exist_ok=True)
            sync_folder(folder.parent)


def write(path: Path, data: bytes | Iterable[bytes], mode: int = 0o644) -> None:
    """Puts `data` at `path` in one step, over what is there. InfraError leaves the old file."""
    with _temporary(path, data, mode) as temporary, disk(path):
        temporary.replace(path)
        sync_folder(path.parent)


def write_new(path: Path, data: bytes | Iterable[bytes], mode: int = 0o644) -> bool:
    """The same, but False and nothing written if `path` exists; exactly one of two racers wins."""
    with _temporary(path, data, mode) as temporary, disk(path):
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            return False
        sync_folder(path.parent)
    return True


@contextlib.contextmanager
def _temporary(path: Path, data: bytes | Iterable[bytes], mode: int) -> Iterator[Path]:
    """A complete, fsync'd file beside `path`, gone at the end unless it was renamed."""
    temporary = path.with_name(f"{_TEMPORARY}{secrets.token_hex(8)}")
    try:
        with disk(path):
            # 0600 until it is whole, then exactly `mode` whatever the umask.
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(fd, "wb") as file:
                for chunk in (data,) if isinstance(data, bytes) else data:
                    file.write(chunk)
                file.flush()
                os.fchmod(fd, mode)
                os.fsync(fd)
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def disk(path: Path) -> Iterator[None]:
    """OSError -> InfraError that names `path`."""
    try:
        yield
    except OSError as error:
        raise InfraError(
            "the disk refused",
            where=str(path),
            expected="the file read or written, whole",
            found=error.strerror or type(error).__name__,
            do="free some space or fix the permissions, then run the same command again",
        ) from error


def sync_folder(path: Path) -> None:
    """Makes the names in a folder durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


class Store:
    """Content by its digest, and the result of each stage by the digest of its inputs.

    `root/content/ab/cdef...`: bytes. `root/results/STAGE/hex`: the digest of a content.
    Many processes may use one store at once. Every read is hashed again.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, digest: str) -> Path:
        """Where the content with this digest lies or would lie."""
        name = _hex(digest)
        return self.root / "content" / name[:2] / name[2:]

    def has(self, digest: str) -> bool:
        """Whether the content is there (it is hashed when it is read)."""
        return self.path(digest).is_file()

    def put(self, data: bytes) -> str:
        """Keeps bytes; their digest. Content that is there already is not written again."""
        digest = canonical.bytes_digest(data)
        path = self.path(digest)
        if not path.is_file():
            make_folder(path.parent)
            write(path, data, mode=0o444)
        return digest

    def put_file(self, source: Path) -> str:
        """Keeps a file of any size, streamed; its digest."""
        with disk(source):
            digest = canonical.file_digest(source)
        path = self.path(digest)
        if path.is_file():
            return digest
        make_folder(path.parent)
        hasher = hashlib.sha256()
        with _temporary(path, _hashed(source, hasher), 0o444) as temporary, disk(path):
            if "sha256:" + hasher.hexdigest() != digest:
                raise InfraError("a file changed while it was stored", where=str(source))
            temporary.replace(path)
            sync_folder(path.parent)
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes with this digest. InfraError if they are not there or are no longer these."""
        path = self.path(digest)
        with disk(path):
            data = path.read_bytes()
        found = canonical.bytes_digest(data)
        if found != digest:
            raise InfraError(
                "stored content is damaged",
                where=str(path),
                expected=digest,
                found=found,
                do="remove this file and run the same command again",
            )
        return data

    def remember(self, stage: str, inputs: str, result: bytes) -> None:
        """Keeps the result of a stage under the digest of its inputs; durable on return."""
        pointer = self._pointer(stage, inputs)
        digest = self.put(result)
        make_folder(pointer.parent)
        write(pointer, digest.encode() + b"\n")

    def recall(self, stage: str, inputs: str) -> bytes | None:
        """The result of a stage for these inputs, or None if it must be computed."""
        pointer = self._pointer(stage, inputs)
        with disk(pointer):
            try:
                digest = pointer.read_text("ascii", errors="replace").removesuffix("\n")
            except FileNotFoundError:
                return None
        return self.get(digest)

    def sweep(self) -> int:
        """Removes what killed writers left; how many. Only when no other process writes."""
        count = 0
        for path in self.root.rglob(f"{_TEMPORARY}*"):
            with disk(path):
                path.unlink(missing_ok=True)
            count += 1
        return count

    def _pointer(self, stage: str, inputs: str) -> Path:
        if not _SLUG.fullmatch(stage):
            raise ValueError(f"not a stage: {stage!r}")
        return self.root / "results" / stage / _hex(inputs)


def _hex(digest: str) -> str:
    match = _DIGEST.fullmatch(digest)
    if match is None:
        raise InfraError("not a digest", expected="sha256:<64 hex digits>", found=repr(digest))
    return match[1]


def _hashed(source: Path, hasher: Any) -> Iterator[bytes]:
    with source.open("rb") as file:
        while chunk := file.read(1 << 20):
            hasher.update(chunk)
            yield chunk


class Journal:
    """Append-only values, one canonical JSON text a line; one writer.

    An entry is there whole or not at all: a last line without its end, left by a killed writer, is
    no entry and is cut off by the next `append`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, value: object) -> None:
        """Adds one entry, durable on return. InfraError leaves the journal as it was."""
        line = canonical.encode(value) + b"\n"
        make_folder(self.path.parent)
        with disk(self.path):
            new = not self.path.exists()
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            with os.fdopen(fd, "r+b", buffering=0) as file:
                end = _whole_lines(file.read())
                try:
                    file.truncate(end)
                    file.seek(end)
                    left = memoryview(line)
                    while left:
                        left = left[file.write(left) :]
                    os.fsync(fd)
                except OSError:
                    with contextlib.suppress(OSError):
                        file.truncate(end)
                    raise
            if new:
                sync_folder(self.path.parent)

    def entries(self) -> list[Any]:
        """All whole entries, in order; InputError if one of them is damaged."""
        with disk(self.path):
            try:
                data = self.path.read_bytes()
            except FileNotFoundError:
                return []
        lines = data[: _whole_lines(data)].split(b"\n")[:-1]
        return [jsonio.parse(line, f"{self.path}, line {i}") for i, line in enumerate(lines, 1)]


def _whole_lines(data: bytes) -> int:
    return data.rfind(b"\n") + 1
