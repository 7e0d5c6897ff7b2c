"""declared events + what the agent did -> a changed workspace, and the record of both.

Runs while the boundary holds a request, so that the world moves between two steps of the agent and
never during one. The environment is looked at first: what differs is the agent's doing.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.clock import monotonic
from clawpro_artifact.adapters.runtimes import space as spaces
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model.scenario import WorldEvent

# What a service or a chat does when an event says so; given by the host that has such surfaces.
Effect = Callable[[dict[str, Any]], None]


@dataclass
class World:
    """One trial's moving parts. `happened` and `changes` are in the order they came about."""

    scenario: ScenarioFolder
    space: Path
    owner: int
    fill: spaces.Fill
    surface: Effect | None = None
    happened: list[dict[str, Any]] = field(default_factory=list)
    changes: list[dict[str, Any]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    _due: list[WorldEvent] = field(default_factory=list)
    _seen: Mapping[str, str] = field(default_factory=dict)
    _started: float = field(default_factory=monotonic)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self._due = list(self.scenario.scenario.events)
        self._seen = self._look()

    def before_answer(self, exchange: int, tool_results: int, calls: int) -> None:
        """Look at the environment, then let happen what is due.

        `exchange` numbers the request that waits; `calls` is how many results came since the last.
        """
        with self._lock:
            self._note_changes(exchange, calls)
            left = []
            for event in self._due:
                if self._is_due(event.trigger, tool_results):
                    self._apply(event, exchange)
                else:
                    left.append(event)
            if len(left) != len(self._due):
                self._due = left
                self._seen = self._look()

    def _note_changes(self, exchange: int, calls: int) -> None:
        now = self._look()
        for path in sorted(now.keys() | self._seen.keys()):
            old, new = self._seen.get(path), now.get(path)
            if old != new:
                change = "created" if old is None else "deleted" if new is None else "modified"
                row = {"path": path, "change": change, "digest": new}
                self.changes.append({**row, "before_exchange": exchange, "t_ms": self._ms()})
        self._seen = now

    def _look(self) -> dict[str, str]:
        return spaces.state_of(spaces.snapshot(self.space, None))

    def _is_due(self, trigger: dict[str, Any], tool_results: int) -> bool:
        if "after_tool_calls" in trigger:
            return tool_results >= int(trigger["after_tool_calls"])
        if "after_path_exists" in trigger:
            path = self.space / str(trigger["after_path_exists"])
            return path.exists() or path.is_symlink()
        if "after_seconds" in trigger:
            return monotonic() - self._started >= float(trigger["after_seconds"])
        return True

    def _apply(self, event: WorldEvent, exchange: int) -> None:
        effect = dict(event.effect)
        try:
            if "write" in effect:
                data = self.fill(self.scenario.data(str(effect["from"])))
                effect |= self._put(str(effect["write"]), data)
            elif "append" in effect:
                path = self.space / str(effect["append"])
                old = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
                data = old + self.fill(str(effect["text"]).encode())
                effect |= self._put(str(effect["append"]), data)
            elif "delete" in effect:
                self._delete(self.space / str(effect["delete"]))
            elif self.surface is not None:
                self.surface(effect)
            else:
                self.faults.append(f"event {event.id}: this runtime cannot do {effect}")
        except OSError as error:
            self.faults.append(f"event {event.id}: {error}")
        row = {"event": event.id, "effect": effect, "before_exchange": exchange, "t_ms": self._ms()}
        self.happened.append(row)

    def _put(self, path: str, data: bytes) -> dict[str, str]:
        executable = data[:2] == b"#!"
        spaces.put(self.space, path, data, self.owner, executable=executable)
        return {"digest": "sha256:" + hashlib.sha256(data).hexdigest()}

    @staticmethod
    def _delete(path: Path) -> None:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def _ms(self) -> int:
        return int(1000 * (monotonic() - self._started))
