"""tool calls on native surfaces -> stores: the simulation's stand-ins for a runtime's surfaces.

Shapes of the stores are those that checks see after a real trial, reduced to what decides:
memory {"notes": {path: text}}, scheduling {"jobs": [...]}, messaging {"sent": [{chat, text}]},
browsing_witness {"requests": [{method, url, form}]},
subagents {"runs": [{label, task, status, result}]}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.placeholders import each_text, with_references
from clawpro_artifact.adapters.simulated_browser import Browser
from clawpro_artifact.adapters.surfaces.browsing import WebService
from clawpro_artifact.adapters.surfaces.messaging import ChatService
from clawpro_artifact.adapters.surfaces.server import Request
from clawpro_artifact.model.canary import fill
from clawpro_artifact.model.scenario import Scenario

_RESULT = re.compile(r"\{\{result:(\d+)(?::(/[^}]*))?\}\}")


class SimulatedSurfaces:
    """The stand-ins of real trials, called directly, behind the version-neutral tool names."""

    def __init__(self, scenario: Scenario, space: Path, canaries: Mapping[str, str]) -> None:
        self.space = space
        self.setup: dict[str, Any] = filled(dict(scenario.surfaces), canaries, [])
        self._canaries = canaries
        self._chats = ChatService()
        self._chats.begin({"chats": self.setup.get("messaging", {}).get("chats", [])})
        self._web = WebService()
        self._web.begin(self.setup.get("browsing", {}))
        self._browser = Browser(self._web)
        self.jobs: list[dict[str, Any]] = [
            dict(job) for job in self.setup.get("scheduling", {}).get("jobs", [])
        ]
        self.sent: list[dict[str, Any]] = []
        self.subagents: list[dict[str, Any]] = []

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
            "messaging_witness": self._chats.end(),
            "browsing_witness": self._web.end(),
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
        if tool == "web_fetch":
            return self._browser.fetch(str(arguments["url"]))
        if tool == "browser":
            return self._browser.use(arguments)
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
        """A changed service; an incoming message reaches nobody here: the policy plays on."""
        if effect.get("service") == "web":
            self._web.change(filled(effect.get("set", {}), self._canaries, []))

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
        action = arguments.get("action", "send")
        chat, text = str(arguments.get("target", "")), str(arguments.get("message", ""))
        given: dict[str, Any] = {"chat_id": chat, "text": text}
        if action == "send":
            given["reply_to_message_id"] = arguments.get("replyTo")
        elif action in ("edit", "delete"):
            given["message_id"] = arguments.get("messageId")
        else:
            raise NotImplementedError("message")
        method = {"send": "sendMessage", "edit": "editMessageText"}.get(action, "deleteMessage")
        body = json.dumps(given).encode()
        request = Request("POST", f"/bot1:x/{method}", {"content-type": "application/json"}, body)
        answer = json.loads(self._chats.answer(request).body)
        if not answer["ok"]:
            raise ValueError(f"{answer['error_code']}: {answer['description']}")
        if action != "send":
            return json.dumps({"ok": True})
        self.sent.append({"chat": chat, "text": text})
        return json.dumps({"ok": True, "messageId": str(answer["result"]["message_id"])})


def filled(value: Any, canaries: Mapping[str, str], results: list[str]) -> Any:
    """`{{canary:...}}`, `{{result:N}}`, `{{result:N:/pointer}}`, `{{ref:...}}` filled in."""

    def one(text: str) -> str:
        text = _RESULT.sub(lambda m: _result(results, m), fill(text, canaries))
        return with_references(text, results)

    return each_text(value, one)


def _result(results: list[str], match: re.Match[str]) -> str:
    text = results[int(match[1])]
    if match[2] is None:
        return text
    value: Any = json.loads(text)
    for part in match[2].split("/")[1:]:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
