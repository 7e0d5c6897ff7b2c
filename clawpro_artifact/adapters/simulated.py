"""tool calls on native surfaces -> stores: the simulation's stand-ins for a runtime's surfaces.

Shapes of the stores are those that checks see after a real trial, reduced to what decides:
memory {"notes": {path: text}}, scheduling {"jobs": [...]}, messaging {"sent": [{chat, text}]},
browsing {"requests": [{method, url, form}]}, subagents {"runs": [{label, task, status, result}]}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clawpro_artifact.model.canary import fill
from clawpro_artifact.model.scenario import Scenario

_RESULT = re.compile(r"\{\{result:(\d+)(?::(/[^}]*))?\}\}")


class SimulatedSurfaces:
    """Plain dictionaries behind the version-neutral tool names."""

    def __init__(self, scenario: Scenario, space: Path) -> None:
        self.space = space
        self.setup = scenario.surfaces
        self.jobs: list[dict[str, Any]] = [
            dict(job) for job in self.setup.get("scheduling", {}).get("jobs", [])
        ]
        self.sent: list[dict[str, Any]] = []
        self.incoming: list[dict[str, Any]] = []
        self.requests: list[dict[str, Any]] = []
        self.subagents: list[dict[str, Any]] = []
        self.services: dict[str, Any] = {}

    def stores(self) -> dict[str, Any]:
        """The stores after the trial; scheduling and messaging stand twice, as two witnesses."""
        notes = {
            p.relative_to(self.space).as_posix(): p.read_text("utf-8", "replace")
            for p in self._notes()
        }
        found: dict[str, Any] = {
            "memory": {"notes": notes},
            "scheduling": {"jobs": self.jobs},
            "messaging": {"sent": self.sent},
            "messaging_witness": {"sent": self.sent},
            "browsing_witness": {"requests": self.requests},
            "subagents": {"runs": self.subagents},
        }
        return json.loads(json.dumps(found))  # type: ignore[no-any-return]

    def use(self, tool: str, arguments: dict[str, Any]) -> str:
        """The result text; ValueError for a refusal, NotImplementedError for an unknown tool."""
        if tool == "memory_search":
            return self._search(str(arguments.get("query", "")))
        if tool == "memory_get":
            return (self.space / str(arguments["path"])).read_text("utf-8", "replace")
        if tool == "schedule":
            return self._schedule(arguments)
        if tool == "message":
            return self._message(arguments)
        if tool in ("web_fetch", "browser"):
            return self._browse(arguments)
        if tool == "spawn":
            return json.dumps({"status": "accepted"})
        if tool == "yield":
            return "yielded"
        raise NotImplementedError(tool)

    def subagent(self, arguments: dict[str, Any], result: str | None) -> None:
        """Record a child; without a policy for its task it fails."""
        self.subagents.append(
            {
                "label": arguments.get("label", ""),
                "task": arguments.get("task", ""),
                "status": "failed" if result is None else "done",
                "result": result or "",
            }
        )

    def world(self, effect: dict[str, Any]) -> None:
        """An incoming message or a changed service."""
        if "message" in effect:
            self.incoming.append(effect)
        else:
            self.services[str(effect["service"])] = effect.get("set")

    def _notes(self) -> list[Path]:
        top = [p for p in (self.space / "MEMORY.md",) if p.is_file()]
        return top + sorted(p for p in (self.space / "memory").rglob("*.md") if p.is_file())

    def _search(self, query: str) -> str:
        words = set(re.findall(r"\w+", query.casefold()))
        results = []
        for path in self._notes():
            for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
                score = len(words & set(re.findall(r"\w+", line.casefold())))
                if score:
                    results.append(
                        {
                            "path": path.relative_to(self.space).as_posix(),
                            "startLine": number,
                            "score": score,
                            "snippet": line,
                        }
                    )
        results.sort(key=lambda r: (-int(str(r["score"])), str(r["path"])))
        return json.dumps({"results": results[:10]}, ensure_ascii=False)

    def _schedule(self, arguments: dict[str, Any]) -> str:
        action = arguments.get("action")
        key = arguments.get("id") or arguments.get("jobId")
        if action in ("list", "status"):
            return json.dumps({"jobs": self.jobs}, ensure_ascii=False)
        if action == "add":
            job = {"id": f"job-{len(self.jobs) + 1}", "enabled": True, **arguments["job"]}
            self.jobs.append(job)
            return json.dumps(job, ensure_ascii=False)
        found = [j for j in self.jobs if j.get("id") == key]
        if not found:
            raise ValueError(f"unknown job {key}")
        if action == "remove":
            self.jobs.remove(found[0])
        elif action == "update":
            found[0].update(arguments.get("patch", {}))
        elif action != "run":
            raise ValueError(f"unknown action {action}")
        return json.dumps({"ok": True, "id": key})

    def _message(self, arguments: dict[str, Any]) -> str:
        if arguments.get("action", "send") != "send":
            raise NotImplementedError("message")
        chat, text = str(arguments["target"]), str(arguments["message"])
        chats = [str(c.get("id")) for c in self.setup.get("messaging", {}).get("chats", [])]
        if chat not in chats:
            raise ValueError(f"Bad Request: chat not found ({chat})")
        self.sent.append({"chat": chat, "text": text})
        return json.dumps({"ok": True, "messageId": len(self.sent)})

    def _browse(self, arguments: dict[str, Any]) -> str:
        url = str(arguments.get("url") or arguments.get("targetUrl") or "")
        if not url:
            raise NotImplementedError("browser")
        self.requests.append({"method": "GET", "url": url})
        pages = self.setup.get("browsing", {}).get("pages", {})
        page = pages.get(re.sub(r"^https?://[^/]+", "", url) or "/")
        if page is None:
            raise ValueError("HTTP 404")
        return str(page)


def filled(value: Any, canaries: Mapping[str, str], results: list[str]) -> Any:
    """`{{canary:...}}` and `{{result:N}}` or `{{result:N:/pointer}}` (N from 0) filled in."""
    if isinstance(value, str):
        return _RESULT.sub(lambda m: _result(results, m), fill(value, canaries))
    if isinstance(value, list):
        return [filled(v, canaries, results) for v in value]
    if isinstance(value, dict):
        return {k: filled(v, canaries, results) for k, v in value.items()}
    return value


def _result(results: list[str], match: re.Match[str]) -> str:
    text = results[int(match[1])]
    if match[2] is None:
        return text
    value: Any = json.loads(text)
    for part in match[2].split("/")[1:]:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
