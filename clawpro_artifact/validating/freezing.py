"""scenario folders + the frozen set -> what was edited; + a version and its reason -> the next set.

A set of version 0.x is being written: an edit needs a new version of the scenario and of the set,
and a line in the changelog. From 1.0.0 on a scenario is never edited: it is retired, and replaced
under a new id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from clawpro_artifact.errors import InputError, PinError, UsageError
from clawpro_artifact.formats import documents
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.formats.trees import tree_lines, walk
from clawpro_artifact.model.base import Track
from clawpro_artifact.model.frozen import Change, Frozen, FrozenScenario, RetiredScenario

LOCK_FILE = "manifests/holdout.lock"


@dataclass(frozen=True)
class Release:
    """What a person says about the next version; `retire` is old id -> new id or None."""

    version: str
    date: str
    says: str
    retire: Mapping[str, str | None]


def read(root: Path) -> Frozen:
    """The frozen holdout of a checkout; InputError where it is missing or malformed."""
    return documents.read(Frozen, root / LOCK_FILE)


def entries(
    folders: Iterable[ScenarioFolder], track: Track, since: str
) -> dict[str, FrozenScenario]:
    """What the scenarios on disk are, by id."""
    found: dict[str, FrozenScenario] = {}
    for one in sorted(folders, key=lambda f: f.scenario.id):
        if one.scenario.track != track:
            continue
        files = {name: hashlib.sha256(p.read_bytes()).hexdigest() for name, p in walk(one.folder)}
        found[one.scenario.id] = FrozenScenario(
            id=one.scenario.id,
            version=one.scenario.version,
            since=since,
            digest=_digest(files),
            files=files,
        )
    return found


def differences(
    frozen: Frozen, folders: Iterable[ScenarioFolder], *, part: bool = False
) -> list[str]:
    """One line per scenario and file that is not as frozen; empty when all is.

    `part`: the folders are only some of the set, so none is missed.
    """
    now = entries(folders, frozen.track, frozen.version)
    then = {s.id: s for s in frozen.scenarios}
    retired = {s.id for s in frozen.retired}
    gone = [] if part else [name for name in then if name not in now]
    rows = [f"- {name}: the scenario is gone" for name in gone]
    for name, entry in now.items():
        if name in retired:
            rows.append(f"! {name}: retired, its id is not used again")
        elif name not in then:
            rows.append(f"+ {name}: a scenario that is not frozen")
        elif entry.digest != then[name].digest:
            rows.append(f"~ {name}: frozen {then[name].digest}, found {entry.digest}")
            rows += _file_rows(name, then[name].files, entry.files)
    if root_of(frozen.scenarios) != frozen.root:
        rows.append(f"! the lock itself: its root is {root_of(frozen.scenarios)}")
    return rows


def check(frozen: Frozen, folders: Iterable[ScenarioFolder], *, part: bool = False) -> None:
    """PinError with the differences unless everything is as frozen."""
    rows = differences(frozen, folders, part=part)
    if rows:
        way = (
            "restore it; a released scenario is retired and replaced under a new id"
            if frozen.released
            else "restore it, or give the scenario a new version and freeze the set anew"
        )
        raise PinError(
            "\n".join([f"the {frozen.track} is not as frozen", *(f"  {row}" for row in rows)]),
            where=LOCK_FILE,
            expected=frozen.root,
            do=f"{way} (`clawpro scenarios freeze --version X.Y.Z --says ...`)",
        )


def freeze(
    frozen: Frozen | None, folders: Iterable[ScenarioFolder], track: Track, release: Release
) -> Frozen:
    """The next set. UsageError for a version that is not higher or a set that did not change;
    InputError for an edit without a new version, or of what was released."""
    now = entries(folders, track, release.version)
    if frozen is None:
        return _frozen(track, now, (), (), release)
    if _parts(release.version) <= _parts(frozen.version):
        raise UsageError("the version must be higher", expected=f"more than {frozen.version}",
                         found=release.version)  # fmt: skip
    then = {s.id: s for s in frozen.scenarios}
    if {i: e.digest for i, e in now.items()} == {i: e.digest for i, e in then.items()}:
        raise UsageError("nothing changed since the last freeze", found=frozen.root)
    gone = _retired(frozen, now, release)
    for name, entry in now.items():
        old = then.get(name)
        if old is None or old.digest == entry.digest:
            continue
        if frozen.released:
            raise InputError(
                f"the released scenario {name} was edited",
                where=f"scenarios/{track}/{name}",
                expected=old.digest,
                found=entry.digest,
                do="restore it; retire it and write its replacement under a new id",
            )
        if entry.version <= old.version:
            raise InputError(
                f"the scenario {name} was edited under its old version",
                where=f"scenarios/{track}/{name}/scenario.toml#/version",
                expected=f"more than {old.version}",
                found=str(entry.version),
            )
    kept = {
        name: entry.model_copy(update={"since": then[name].since}) if name in then else entry
        for name, entry in now.items()
    }
    return _frozen(track, kept, gone, frozen.changelog, release)


def root_of(scenarios: Iterable[FrozenScenario]) -> str:
    """The root over all scenarios; a release that takes the whole set has it as `holdout_root`."""
    return _digest({s.id: s.digest.removeprefix("sha256:") for s in scenarios})


def _retired(
    frozen: Frozen, now: Mapping[str, FrozenScenario], release: Release
) -> tuple[RetiredScenario, ...]:
    then = {s.id: s for s in frozen.scenarios}
    missing = sorted(set(then) - set(now))
    if frozen.released and set(missing) != set(release.retire):
        raise InputError(
            "a released scenario does not vanish: it is retired by name",
            where=LOCK_FILE,
            expected="--retire for each of: " + (", ".join(missing) or "none"),
            found=", ".join(sorted(release.retire)) or "none",
        )
    back = sorted({s.id for s in frozen.retired} & set(now))
    if back:
        raise InputError("a retired id is used again", where=LOCK_FILE, found=", ".join(back))
    more = tuple(
        RetiredScenario(
            id=name,
            digest=then[name].digest,
            since=then[name].since,
            retired=release.version,
            replaced_by=release.retire.get(name),
        )
        for name in missing
        if frozen.released
    )
    return (*frozen.retired, *more)


def _frozen(
    track: Track,
    now: Mapping[str, FrozenScenario],
    retired: tuple[RetiredScenario, ...],
    changelog: tuple[Change, ...],
    release: Release,
) -> Frozen:
    return Frozen(
        format="clawpro.frozen.v1",
        track=track,
        version=release.version,
        root=root_of(now.values()),
        changelog=(
            *changelog,
            Change(version=release.version, date=release.date, says=release.says),
        ),
        scenarios=tuple(now.values()),
        retired=retired,
    )


def _file_rows(name: str, then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    rows = []
    for path in sorted({*then, *now}):
        if then.get(path) != now.get(path):
            sign = "-" if path not in now else "+" if path not in then else "~"
            rows.append(f"    {sign} {name}/{path}")
    return rows


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _digest(files: Mapping[str, str]) -> str:
    return "sha256:" + hashlib.sha256(tree_lines(files)).hexdigest()
