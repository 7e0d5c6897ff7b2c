"""two inventories -> what changed for a model, and whether scenarios can still be played.

compatible: nothing that a model sees changed. changed: it sees something else. breaking: a tool
that is needed is gone, hidden behind tool search, or demands or refuses other arguments.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from clawpro_artifact.model.surface import SurfaceInventory, Tool

Verdict = Literal["compatible", "changed", "breaking"]
_SHOWN = 60  # lines of one diff


@dataclass(frozen=True)
class SurfaceChange:
    """One thing: its kind, its name, both sides, and lines of a diff where there are any."""

    kind: Literal["size", "tool", "deferred", "schema", "description", "prompt", "setting",
                  "config", "store"]  # fmt: skip
    name: str
    before: str
    after: str
    breaking: bool = False
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class SurfaceDiff:
    """Everything that changed between two inventories."""

    changes: tuple[SurfaceChange, ...]

    @property
    def verdict(self) -> Verdict:
        """Size, configuration keys and stores alone change nothing that a model sees."""
        if any(c.breaking for c in self.changes):
            return "breaking"
        seen = [c for c in self.changes if c.kind not in ("size", "config", "store")]
        return "changed" if seen else "compatible"

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "format": "clawpro.surface-diff.v1",
            "verdict": self.verdict,
            "changes": [asdict(c) for c in self.changes],
        }


def surface_diff(
    before: SurfaceInventory, after: SurfaceInventory, needed: Mapping[str, str] | None = None
) -> SurfaceDiff:
    """What changed; `needed` are the tools that scenarios call: name before -> name after."""
    return SurfaceDiff(tuple(_changes(before, after, needed or {})))


def _changes(
    before: SurfaceInventory, after: SurfaceInventory, needed: Mapping[str, str]
) -> Iterator[SurfaceChange]:
    if before.request_bytes != after.request_bytes or len(before.tools) != len(after.tools):
        yield SurfaceChange("size", "first request", _size(before), _size(after))
    one, other = ({t.name: t for t in s.tools} for s in (before, after))
    for name in sorted({*one, *other}):
        yield from _tool(name, one.get(name), other.get(name), after, needed.get(name))
    for name in sorted(set(before.deferred) ^ set(after.deferred)):
        if name not in one and name not in other:
            yield SurfaceChange("deferred", name, _there(name in before.deferred),
                                _there(name in after.deferred))  # fmt: skip
    if before.prompt_digest != after.prompt_digest:
        lines = _diff(before.prompt, after.prompt)
        yield SurfaceChange("prompt", "messages before the first answer",
                            f"{len(before.prompt)} characters",
                            f"{len(after.prompt)} characters", lines=lines)  # fmt: skip
    for kind, old, new in (
        ("setting", before.settings, after.settings),
        ("config", before.config, after.config),
        ("store", before.stores, after.stores),
    ):
        for key in sorted({*old, *new}):
            if old.get(key) != new.get(key):
                yield SurfaceChange(kind, key, _value(old, key), _value(new, key))  # type: ignore[arg-type]


def _tool(
    name: str, old: Tool | None, new: Tool | None, after: SurfaceInventory, needed: str | None
) -> Iterator[SurfaceChange]:
    if old is None:
        yield SurfaceChange("tool", name, "not offered", "offered")
        return
    if new is None:
        there = "behind tool search" if name in after.deferred else "not offered"
        renamed = needed is not None and needed != name and needed in {t.name for t in after.tools}
        if renamed:
            there = f"offered as {needed}"
        yield SurfaceChange("tool", name, "offered", there,
                            breaking=needed is not None and not renamed)  # fmt: skip
        return
    if old.parameters != new.parameters:
        reason = _refused(old.parameters, new.parameters)
        yield SurfaceChange(
            "schema", name, "its arguments", reason or "other arguments",
            breaking=needed is not None and bool(reason),
            lines=_diff(_pretty(old.parameters), _pretty(new.parameters)),
        )  # fmt: skip
    if old.description != new.description:
        yield SurfaceChange("description", name, f"{len(old.description)} characters",
                            f"{len(new.description)} characters",
                            lines=_diff(old.description, new.description))  # fmt: skip


def _refused(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Why a call that was right before is wrong now; empty if none is, as far as keys tell."""
    demanded = sorted(set(new.get("required", ())) - set(old.get("required", ())))
    before, after = old.get("properties", {}), new.get("properties", {})
    gone = sorted(set(before) - set(after)) if new.get("additionalProperties") is False else []
    typed = sorted(
        k for k in set(before) & set(after)
        if before[k].get("type") != after[k].get("type") and "type" in after[k]
        # A whole number is a number: who sent one before still may.
        and (before[k].get("type"), after[k]["type"]) != ("number", "integer")
    )  # fmt: skip
    words = [f"demands {', '.join(demanded)}"] if demanded else []
    words += [f"refuses {', '.join(gone)}"] if gone else []
    words += [f"another type of {', '.join(typed)}"] if typed else []
    return "; ".join(words)


def _size(s: SurfaceInventory) -> str:
    hidden = f", {len(s.deferred)} more behind tool search" if s.deferred else ""
    return f"{len(s.tools)} tools in {round(s.request_bytes / 1000)} KB{hidden}"


def _there(there: bool) -> str:
    return "behind tool search" if there else "not there"


def _value(of: Mapping[str, Any], key: str) -> str:
    return json.dumps(of[key], ensure_ascii=False) if key in of else "not there"


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)


def _diff(old: str, new: str) -> tuple[str, ...]:
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), "before", "after",
                                      lineterm="", n=1))  # fmt: skip
    more = len(lines) - _SHOWN
    return (*lines[:_SHOWN], *((f"... {more} more lines",) if more > 0 else ()))
