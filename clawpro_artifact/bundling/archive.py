"""a bundle folder -> the one tar that holds the same files, deterministic to the byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from clawpro_artifact.adapters import store
from clawpro_artifact.errors import UsageError
from clawpro_artifact.formats import bundletar
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.formats.view import Container


def write_tar(folder: Path, out: Path, root: str = "bundle") -> None:
    """Writes `out`, atomically; UsageError if it exists, InputError for what no bundle may hold."""
    with open_bundle(folder) as container:
        pieces = bundletar.write(root, _files(container))
        if not store.write_new(out, pieces):
            raise UsageError("the file is there already", where=str(out))


def _files(container: Container) -> Iterator[tuple[str, int, Iterator[bytes]]]:
    for path, member in container.members.items():
        yield path, member.size, _chunks(container, path)


def _chunks(container: Container, path: str) -> Iterator[bytes]:
    with container.open(path) as reader:
        yield from reader
