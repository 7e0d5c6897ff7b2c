"""judged trials -> a mapping that keeps them on disk, so that memory does not grow with a run."""

from __future__ import annotations

import pickle
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from clawpro_artifact.adapters.store import disk

T = TypeVar("T")
U = TypeVar("U")


class Spool(Mapping[str, T]):
    """Values by name, in one nameless temporary file in `folder`, gone with the process.

    InfraError where the disk refuses.

    Only what this process wrote is ever read back, through a file that no other can open.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Unbuffered: a full disk shows where it is met.
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        self._places: dict[str, tuple[int, int]] = {}
        self._turn = threading.Lock()

    def keep(self, name: str, value: T) -> None:
        """Put a value in; one of the same name is replaced."""
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        with self._turn, disk(self._folder):
            at = self._file.seek(0, 2)
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]
            self._places[name] = at, len(data)

    def __getitem__(self, name: str) -> T:
        at, size = self._places[name]
        with self._turn, disk(self._folder):
            self._file.seek(at)
            value: T = pickle.loads(self._file.read(size))
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Part(Mapping[str, U], Generic[T, U]):
    """One part of each value of a mapping, made when it is asked for."""

    def __init__(self, whole: Mapping[str, T], part: Callable[[T], U]) -> None:
        self._whole = whole
        self._part = part

    def __getitem__(self, name: str) -> U:
        return self._part(self._whole[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole)

    def __len__(self) -> int:
        return len(self._whole)
