"""two verified bundles -> what moved between them, by axis, with the contents that differ.

Scores may be compared along one axis only: if more moved, the numbers say nothing about it.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from clawpro_artifact.errors import InputError, UsageError
from clawpro_artifact.formats import jsonio
from clawpro_artifact.model.lock import Lock

Axis = Literal[
    "runtime", "scenarios", "checks", "scoring", "weights", "sanitizer", "model", "decoding",
    "trials", "limits", "configuration",
]  # fmt: skip
# The last three are what else decides a run; they move with none of the eight.
AXES: Final[tuple[Axis, ...]] = Axis.__args__  # type: ignore[attr-defined]
_MAX_LINES = 200
_TEXT_BYTES = 1 << 20
_CODE: Final[dict[Axis, str]] = {
    "checks": "checking",
    "scoring": "scoring",
    "sanitizer": "sanitizing",
}


@dataclass(frozen=True)
class Move:
    """One thing that differs: a JSON pointer into the lock or a path, before and after.

    None: it is not there. `diff`: unified lines, of texts only.
    """

    axis: Axis
    at: str
    before: str | None
    after: str | None
    diff: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """Everything that moved between two bundles."""

    moves: tuple[Move, ...]

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Which axes moved."""
        moved = {m.axis for m in self.moves}
        return tuple(a for a in AXES if a in moved)

    @property
    def exit_code(self) -> int:
        """0 if nothing differs, else 1."""
        return 1 if self.moves else 0

    def comparable(self, axis: Axis) -> None:
        """InputError, naming them, if an axis other than `axis` moved: scores say nothing then."""
        if axis not in AXES:
            raise UsageError("no such axis", expected=", ".join(AXES), found=axis)
        others = [a for a in self.axes if a != axis]
        if others:
            raise InputError(
                "the scores of these bundles cannot be compared",
                expected=f"that only {axis} differs",
                found="also moved: " + ", ".join(others),
                do="release both with the same lock except for that axis",
            )

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "format": "clawpro.difference.v1",
            "axes": list(self.axes),
            "moves": [
                {
                    "axis": m.axis,
                    "at": m.at,
                    "before": m.before,
                    "after": m.after,
                    "diff": [*m.diff],
                }
                for m in self.moves
            ],
        }


class Source(Protocol):
    """What is compared: a verified bundle (`formats.shipped`), or content that is to be signed."""

    @property
    def digests(self) -> Mapping[str, str]:
        """Payload path -> sha256 in hex."""
        ...

    def lock(self) -> Lock:
        """Its lock."""
        ...

    def read(self, path: str, max_bytes: int) -> bytes:
        """A payload file."""
        ...


class Renamed:
    """A source with configurations under other ids, so that two runs are compared like with like.

    `ids`: id in the bundle -> id that it is compared under.
    """

    def __init__(self, source: Source, ids: Mapping[str, str]) -> None:
        self._source = source
        self._ids = ids
        self.digests = source.digests

    def lock(self) -> Lock:
        """Its lock, configurations renamed."""
        found = self._source.lock()
        configurations = tuple(
            c.model_copy(update={"id": self._ids.get(c.id, c.id)})
            for c in found.manifest.configurations
        )
        manifest = found.manifest.model_copy(update={"configurations": configurations})
        return found.model_copy(update={"manifest": manifest})

    def read(self, path: str, max_bytes: int) -> bytes:
        """A payload file, as it is."""
        return self._source.read(path, max_bytes)


def difference(before: Source, after: Source) -> Difference:
    """What moved from one bundle to the other. InputError for an unreadable bundle."""
    old, new = before.lock(), after.lock()
    moves = [
        *_values(_settings(old), _settings(new)),
        *_scenarios(before, after, old, new),
        *_code(before, after, old, new),
    ]
    return Difference(tuple(sorted(moves, key=lambda m: (AXES.index(m.axis), m.at))))


def _settings(lock: Lock) -> dict[Axis, Any]:
    """The lock's values, by the axis that each belongs to; configurations by their id."""
    manifest = lock.manifest
    found: dict[Axis, Any] = {axis: {} for axis in AXES}
    found["weights"] = manifest.weights.model_dump(mode="json")
    found["trials"] = {"trials": manifest.trials, "seed": manifest.seed}
    found["limits"] = {
        **manifest.limits.model_dump(mode="json"),
        **manifest.attempts.model_dump(mode="json"),
    }
    for image in lock.images:
        found["runtime"][f"images/{image.image}"] = image.model_dump(mode="json")
    found["runtime"]["runtime_code"] = lock.runtime_code
    for configuration in manifest.configurations:
        value = configuration.model_dump(mode="json")
        name = f"configurations/{configuration.id}"
        found["model"][name] = value.pop("base_model")
        found["decoding"][name] = value.pop("decoding")
        found["runtime"][name] = value.pop("harness_runtime")
        found["trials"][name] = value.pop("trial_repeat_count")
        found["scenarios"][name] = value.pop("scenarios")
        found["configuration"][name] = value
    return found


def _values(old: dict[Axis, Any], new: dict[Axis, Any]) -> Iterator[Move]:
    for axis in AXES:
        one, other = _leaves(old[axis]), _leaves(new[axis])
        for at in sorted(one.keys() | other.keys()):
            if one.get(at) != other.get(at):
                yield Move(axis, at, one.get(at), other.get(at))


def _leaves(value: Any, at: tuple[str | int, ...] = ()) -> dict[str, str]:
    if isinstance(value, dict) and value:
        items: list[tuple[str | int, Any]] = list(value.items())
    elif isinstance(value, list) and value:
        items = list(enumerate(value))
    else:
        return {} if not at else {jsonio.pointer(at): json.dumps(value, ensure_ascii=False)}
    return {k: v for key, inner in items for k, v in _leaves(inner, (*at, key)).items()}


def _scenarios(before: Source, after: Source, old: Lock, new: Lock) -> Iterator[Move]:
    one = {pin.id: pin.digest for pin in old.scenarios}
    other = {pin.id: pin.digest for pin in new.scenarios}
    for scenario in sorted(one.keys() | other.keys()):
        if one.get(scenario) == other.get(scenario):
            continue
        if scenario not in one or scenario not in other:
            yield Move("scenarios", scenario, one.get(scenario), other.get(scenario))
        else:
            yield from _files(before, after, "scenarios", f"data/definitions/{scenario}/")


def _code(before: Source, after: Source, old: Lock, new: Lock) -> Iterator[Move]:
    for axis, part in _CODE.items():
        if getattr(old, part) != getattr(new, part):
            yield from _files(before, after, axis, f"data/{part}/")


def _files(before: Source, after: Source, axis: Axis, prefix: str) -> Iterator[Move]:
    paths = {p for b in (before, after) for p in b.digests if p.startswith(prefix)}
    for path in sorted(paths):
        one, other = before.digests.get(path), after.digests.get(path)
        if one != other:
            lines = tuple(_unified(before, after, path)) if one and other else ()
            yield Move(axis, path, one, other, lines)


def _unified(before: Source, after: Source, path: str) -> Iterator[str]:
    try:
        one, other = (b.read(path, _TEXT_BYTES).decode("utf-8") for b in (before, after))
    except (UnicodeDecodeError, InputError):
        return
    lines = difflib.unified_diff(
        one.splitlines(), other.splitlines(), "before", "after", lineterm="", n=2
    )
    for number, line in enumerate(lines):
        if number == _MAX_LINES:
            yield "... more lines differ"
            return
        yield line
