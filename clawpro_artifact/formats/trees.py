"""folder -> digest: names and bytes of every file, the order of the file system left out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from clawpro_artifact.errors import InputError

IGNORED_NAMES = frozenset({"__pycache__", ".DS_Store"})


def walk(folder: Path) -> Iterator[tuple[str, Path]]:
    """(POSIX path below `folder`, path) of every regular file, sorted by the bytes of the path.

    Raises InputError on a link or a special file: a definition is plain files.
    """
    if not folder.is_dir():
        raise InputError("a folder is missing", where=str(folder), expected="a folder")
    found: list[tuple[str, Path]] = []
    for path in folder.rglob("*"):
        relative = path.relative_to(folder)
        if IGNORED_NAMES & set(relative.parts):
            continue
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise InputError(
                "a definition holds something that is not a plain file",
                where=str(path),
                expected="regular files and folders",
                found="a link or a special file",
                do="replace it by a regular file",
            )
        if path.is_file():
            found.append((relative.as_posix(), path))
    yield from sorted(found, key=lambda item: item[0].encode())


def tree_lines(files: Mapping[str, str]) -> bytes:
    """The `sha256sum` lines of {path: hex digest}, in C-locale order (equals in-toto `dirHash`)."""
    ordered = sorted(files.items(), key=lambda item: item[0].encode())
    return "".join(f"{digest}  {path}\n" for path, digest in ordered).encode()


def tree_digest(folder: Path) -> str:
    """`sha256:` of the sha256sum lines of all files below `folder`."""
    files = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in walk(folder)}
    return "sha256:" + hashlib.sha256(tree_lines(files)).hexdigest()
