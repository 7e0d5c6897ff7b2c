"""Entries -> ranks under each view, ties as groups, and how ranks change between views."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from clawpro_artifact.comparing.entries import VIEWS, Entry
from clawpro_artifact.comparing.signatures import same_signature
from clawpro_artifact.errors import InputError

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Place:
    """Rank of a configuration under one view.

    `best` to `worst`: the ranks that the simultaneous intervals leave open. `group`: 1 holds the
    first and all who cannot be told from it, 2 the first of the rest and its ties, and so on.
    """

    configuration: str
    value: float
    interval: tuple[float, float] | None
    rank: int
    best: int
    worst: int
    group: int


@dataclass(frozen=True)
class Table:
    """The configurations of one track that may be ranked together, under each view."""

    track: str
    scenarios: int
    trials: int
    signature: Mapping[str, object]
    places: dict[str, tuple[Place, ...]]

    def moves(self) -> list[dict[str, Any]]:
        """Rank under each view, for configurations whose rank depends on it; largest move first."""
        ranks: dict[str, dict[str, int]] = defaultdict(dict)
        for view, places in self.places.items():
            for place in places:
                ranks[place.configuration][view] = place.rank
        rows = [
            {"configuration": name, "ranks": by, "spread": max(by.values()) - min(by.values())}
            for name, by in ranks.items()
        ]
        moved = [row for row in rows if row["spread"]]
        return sorted(moved, key=lambda r: (-int(str(r["spread"])), str(r["configuration"])))


@dataclass(frozen=True)
class Leaderboard:
    """Tables of what is comparable, and who is in none of them, with the reason."""

    tables: tuple[Table, ...]
    unranked: tuple[tuple[str, str], ...]

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "format": "clawpro.leaderboard.v1",
            "confidence": CONFIDENCE,
            "intervals": "simultaneous (Bonferroni): t over scenarios, Wilson for counts",
            "tables": [
                {
                    "track": t.track,
                    "scenarios": t.scenarios,
                    "trials": t.trials,
                    "signature": dict(t.signature),
                    "views": {v: [asdict(p) for p in places] for v, places in t.places.items()},
                    "rank_changes": t.moves(),
                }
                for t in self.tables
            ],
            "unranked": [{"configuration": c, "reason": r} for c, r in self.unranked],
        }


def leaderboard(entries: Iterable[Entry]) -> Leaderboard:
    """Rank what is comparable: same track, same coverage, same signature, nothing undecided.

    InputError where a configuration is there twice on one track, or signatures of one coverage
    differ: those must not stand in one table, and choosing is not ours.
    """
    groups: dict[tuple[str, tuple[str, ...], int], list[Entry]] = defaultdict(list)
    unranked: list[tuple[str, str]] = []
    seen: dict[tuple[str, str], str] = {}
    for entry in entries:
        name = (entry.configuration, entry.track)
        if name in seen:
            raise InputError(
                "a configuration is there twice",
                where=f"{seen[name]} and {entry.source}",
                found=f"{entry.configuration} on {entry.track}",
                do="name one of the two sources",
            )
        seen[name] = entry.source
        if entry.undecided:
            unranked.append(
                (entry.configuration, f"{entry.track}: {entry.undecided} trials are undecided")
            )
        else:
            groups[entry.track, tuple(sorted(entry.names)), entry.trials].append(entry)
    for members in groups.values():
        same_signature({f"{e.source}: {e.configuration}": e.signature for e in members})
    tables = [_table(members) for _, members in sorted(groups.items())]
    return Leaderboard(tuple(tables), tuple(sorted(unranked)))


def _table(members: Sequence[Entry]) -> Table:
    places = {}
    for view, more_is_better in VIEWS.items():
        known = [e for e in members if view in e.figures and e.figures[view].value is not None]
        if known:
            places[view] = _places(known, view, more_is_better)
    first = members[0]
    return Table(first.track, first.scenarios, first.trials, first.signature, places)


def _places(members: Sequence[Entry], view: str, more_is_better: bool) -> tuple[Place, ...]:
    sign = 1 if more_is_better else -1
    # Bonferroni over the configurations: all intervals hold together with the stated confidence.
    confidence = 1 - (1 - CONFIDENCE) / len(members)
    rows = []
    for entry in members:
        figure = entry.figures[view]
        assert figure.value is not None
        rows.append((entry.configuration, figure.value, figure.interval(confidence)))
    rows.sort(key=lambda row: (-sign * row[1], row[0]))
    found: list[Place] = []
    group, head = 0, None
    for name, value, interval in rows:
        better = sum(sign * other > sign * value for _, other, _ in rows)
        above = sum(_beats(other, interval, sign) for _, _, other in rows)
        below = sum(_beats(interval, other, sign) for _, _, other in rows)
        if group == 0 or _beats(head, interval, sign):
            group, head = group + 1, interval
        found.append(Place(name, value, interval, better + 1, above + 1, len(rows) - below, group))
    return tuple(found)


def _beats(one: tuple[float, float] | None, other: tuple[float, float] | None, sign: int) -> bool:
    """Whether the intervals are apart, `one` on the better side."""
    if one is None or other is None:
        return False
    return one[0] > other[1] if sign > 0 else one[1] < other[0]
