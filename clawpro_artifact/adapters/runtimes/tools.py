"""version-neutral tool calls <-> the names and arguments of one runtime version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NEUTRAL = (
    "exec",
    "read",
    "write",
    "edit",
    "memory_search",
    "memory_get",
    "schedule",
    "message",
    "browser",
    "web_fetch",
    "spawn",
    "yield",
)
_COMMON = {"spawn": "sessions_spawn", "yield": "sessions_yield"}
# Until 2026.6.11 the scheduler's tool was `cron`; 2026.8.2 and 2026.9.6 call it `automations`.
_SCHEDULER = {"2026.5.28": "cron", "2026.6.11": "cron", "2026.7.1": "cron"}


class ToolNames:
    """The tool vocabulary of one OpenClaw version."""

    def __init__(self, version: str) -> None:
        names = {**_COMMON, "schedule": _SCHEDULER.get(version, "automations")}
        self._to: Mapping[str, str] = names
        self._from = {runtime: neutral for neutral, runtime in names.items()}

    def to_runtime(self, tool: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Name and arguments as this version takes them; an unknown tool goes as it is."""
        if tool == "edit" and {"old", "new"} <= arguments.keys():
            edits = [{"oldText": arguments["old"], "newText": arguments["new"]}]
            rest = {k: v for k, v in arguments.items() if k not in ("old", "new")}
            arguments = {**rest, "edits": edits}
        if tool == "schedule" and "id" in arguments:
            arguments = {**arguments, "jobId": arguments["id"]}
            del arguments["id"]
        if self._to["schedule"] == "automations" and tool == "schedule" and "patch" in arguments:
            arguments = {**arguments, "job": arguments["patch"]}
            del arguments["patch"]
        if tool == "spawn":
            arguments = {"mode": "run", **arguments}
        return self._to.get(tool, tool), arguments

    def to_neutral(self, tool: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The way back, for traces."""
        name = self._from.get(tool, tool)
        if name == "edit" and isinstance(arguments.get("edits"), list):
            edits = [e for e in arguments["edits"] if isinstance(e, dict)]
            if len(edits) == 1:
                rest = {k: v for k, v in arguments.items() if k != "edits"}
                new = {"old": edits[0].get("oldText"), "new": edits[0].get("newText")}
                return name, {**rest, **new}
        if name == "schedule" and "jobId" in arguments:
            rest = {k: v for k, v in arguments.items() if k != "jobId"}
            if rest.get("action") == "update" and "job" in rest:
                rest["patch"] = rest.pop("job")
            return name, {**rest, "id": arguments["jobId"]}
        return name, arguments
