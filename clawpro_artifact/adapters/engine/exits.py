"""container state -> Exit: how a container ended, in one of a few words."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Ending = Literal["done", "failed", "signal", "oom", "timeout", "not_started"]


@dataclass(frozen=True)
class Exit:
    """`code` as the engine gives it; `reason` is a stable phrase for records."""

    ending: Ending
    code: int | None
    reason: str

    @property
    def infrastructure(self) -> bool:
        """Whether the container never ran what it was asked to: not the agent's doing."""
        return self.ending == "not_started"


def classify(state: Mapping[str, Any], *, timed_out: bool = False) -> Exit:
    """From the `State` of `docker inspect`.

    125, 126 and 127 with an engine error are the engine's (cannot create, not executable, not
    found); without one they are the program's own exit codes. 128+n is taken for signal n.
    """
    code = state.get("ExitCode")
    error = str(state.get("Error") or "")
    # A start that failed leaves `created` and no start time.
    started = not str(state.get("StartedAt") or "0001-01-01").startswith("0001-01-01")
    if not started or (error and code in (125, 126, 127, 128)):
        return Exit("not_started", code, f"not started: {error or state.get('Status', 'unknown')}")
    if state.get("OOMKilled"):
        return Exit("oom", code, "out of memory")
    if timed_out:
        return Exit("timeout", code, "time limit")
    if not isinstance(code, int):
        return Exit("not_started", None, "no exit code")
    if code == 0:
        return Exit("done", 0, "exit code 0")
    if code > 128:
        try:
            name = signal.Signals(code - 128).name
        except ValueError:
            return Exit("failed", code, f"exit code {code}")
        return Exit("signal", code, f"signal {name}")
    return Exit("failed", code, f"exit code {code}")
