"""an image + surfaces -> SurfaceInventory: one turn that a script plays, looked at from outside."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from clawpro_artifact.adapters.boundary import Recorder
from clawpro_artifact.adapters.engine import Confinement, Engine, with_init
from clawpro_artifact.adapters.models.answer import ModelAnswer, ModelCall, json_text
from clawpro_artifact.adapters.runtimes.openclaw.gateway import Gateway
from clawpro_artifact.errors import InfraError
from clawpro_artifact.formats import normal
from clawpro_artifact.formats.canonical import bytes_digest, digest
from clawpro_artifact.model.base import Surface
from clawpro_artifact.model.manifest import Limits
from clawpro_artifact.model.surface import SurfaceInventory, Tool

_LIMITS = Limits(wall_seconds=180, requests=8, output_tokens=10_000)
# Tool search finds by words; together these are to reach every deferred tool.
_QUERIES = ("file read write edit", "memory notes", "message send conversation", "browser page",
            "web fetch search", "schedule automation cron", "session agent spawn subagent",
            "image video music speech", "node device canvas gateway", "plan goal skill process",
            "pdf document diff", "task list status update")  # fmt: skip
_SESSION = "agent:main:inventory"
_STORE = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27,}|\d{4}-\d\d-\d\d[^/]*|[0-9a-f]{16,}")


@dataclass
class _Looker:
    """Answers with searches where tool search is offered, then ends the turn."""

    name: str = "inventory"
    secrets: tuple[str, ...] = ()
    asked: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, request: dict[str, Any], conversation: str, position: int) -> ModelAnswer:
        self.asked.append(request)
        names = {t["function"]["name"] for t in request.get("tools", ())}
        calls: tuple[ModelCall, ...] = ()
        if position == 0 and "tool_search" in names:
            calls = tuple(
                ModelCall(f"look{n}", "tool_search", json_text({"query": query, "limit": 50}))
                for n, query in enumerate(_QUERIES)
            )
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return ModelAnswer(text="" if calls else "Ready.", calls=calls, usage=usage,
                           finish="tool_calls" if calls else "stop", model=self.name)  # fmt: skip


def take(
    engine: Engine,
    image: str,
    version: str,
    surfaces: Collection[Surface],
    setting: Literal["trial", "default"],
    root: Path,
) -> SurfaceInventory:
    """Start a gateway in `root` (an empty folder with a short path), ask once, look, stop it."""
    gateway = Gateway(
        engine, image, version, surfaces, "inventory", root, as_it_comes=setting == "default"
    )
    looker = _Looker()
    try:
        gateway.wait_ready()
        gateway.boundary.begin(Recorder(looker, _LIMITS))
        try:
            status, value = gateway.turn(_SESSION, "Hello.", _LIMITS.wall_seconds)
        finally:
            gateway.boundary.end()
        if status != 200 or not looker.asked:
            raise InfraError("the inventory turn failed", found=str(value)[:300])
        stores = dict(sorted(_stores(gateway.state)))
    finally:
        gateway.close()
    first = looker.asked[0]
    tools = tuple(sorted(map(_tool, first.get("tools", ())), key=lambda t: t.name))
    prompt = _prompt(first)
    rest = normal.request({k: v for k, v in first.items() if k not in ("tools", "messages")})
    return SurfaceInventory(
        format="clawpro.surface.v1",
        runtime=f"openclaw@{version}",
        image=image,
        surfaces=tuple(sorted(surfaces)),
        setting=setting,
        normaliser=normal.VERSION,
        request_bytes=len(json.dumps(first, ensure_ascii=False).encode()),
        tools=tools,
        deferred=tuple(sorted(_found(looker.asked[-1]) - {t.name for t in tools})),
        prompt=prompt,
        prompt_digest=bytes_digest(prompt.encode()),
        settings=rest,
        config=_config(engine, image),
        stores=stores,
    )


def _tool(offered: dict[str, Any]) -> Tool:
    function = normal.value(offered["function"])
    body = {k: function.get(k) for k in ("name", "description", "parameters")}
    return Tool(
        name=str(body["name"]),
        description=str(body["description"] or ""),
        parameters=body["parameters"] or {},
        digest=digest(body),
    )


def _prompt(request: dict[str, Any]) -> str:
    messages = normal.request(request)["messages"]
    return "\n\n".join(
        f"[{m['role']}]\n{_text(m.get('content'))}" for m in messages if m["role"] != "tool"
    )


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(p.get("text", "")) for p in content if isinstance(p, dict))
    return str(content or "")


def _found(request: dict[str, Any]) -> set[str]:
    """Names in the results of tool search; the runtime's ids may carry a source in front."""
    found: set[str] = set()
    for message in request.get("messages", ()):
        if message.get("role") != "tool":
            continue
        try:
            value = json.loads(_text(message.get("content")))
        except ValueError:
            continue
        for row in _rows(value):
            name = row.get("name") or row.get("id")
            if isinstance(name, str):
                found.add(name.rsplit(":", 1)[-1])
    return found


def _rows(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _rows(item)
    elif isinstance(value, dict):
        if ("name" in value or "id" in value) and "description" in value:
            yield value
        for item in value.values():
            yield from _rows(item)


def _config(engine: Engine, image: str) -> dict[str, str]:
    """Every key of the runtime's own configuration schema: its type and default."""
    end, out, error = engine.run(
        Confinement(
            image=image,
            run="inventory",
            command=with_init(("openclaw", "config", "schema")),
            environment={"HOME": "/tmp", "OPENCLAW_STATE_DIR": "/tmp/state", "DO_NOT_TRACK": "1",
                         "OPENCLAW_NO_AUTO_UPDATE": "1", "OPENCLAW_OFFLINE": "1"},
        ),
        180,
    )  # fmt: skip
    start = out.find(b"{")
    if end.ending != "done" or start < 0:
        raise InfraError("the runtime did not print its configuration schema",
                         found=error.decode("utf-8", "replace")[-300:])  # fmt: skip
    schema = json.loads(out[start:])
    found: dict[str, str] = {}
    _keys(schema.get("schema", schema), "", found, 0)
    return dict(sorted(found.items()))


def _keys(node: Any, path: str, found: dict[str, str], depth: int) -> None:
    if not isinstance(node, dict) or depth > 12:
        return
    kind = node.get("type", "union" if "anyOf" in node or "oneOf" in node else "any")
    if path:
        default = f" = {json.dumps(node['default'])}" if "default" in node else ""
        found[path] = f"{kind if isinstance(kind, str) else '|'.join(kind)}{default}"
    for name, child in node.get("properties", {}).items():
        _keys(child, f"{path}.{name}" if path else name, found, depth + 1)


def _stores(state: Path) -> Iterator[tuple[str, str]]:
    """What lies in the state folder, names made up anew left out."""
    for path in sorted(state.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        relative = path.relative_to(state)
        if relative.parts[0] in ("tmp", "cache"):
            continue  # locks and downloads of one run
        name = _STORE.sub("*", relative.as_posix())
        if path.suffix == ".sqlite":
            yield name, _database(path)
        elif path.suffix in (".jsonl", ".json", ".md"):
            yield name, path.suffix[1:]


def _database(path: Path) -> str:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            version = database.execute("PRAGMA user_version").fetchone()[0]
            rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = sorted(row[0] for row in rows)
    except sqlite3.Error as error:
        return f"sqlite, unreadable: {error}"
    return f"sqlite, user_version {version}, tables: {', '.join(tables)}"
