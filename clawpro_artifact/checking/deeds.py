"""trace -> Calls: what was really done, resolved through scripts and base64."""

from __future__ import annotations

import base64
import binascii
import fnmatch
import posixpath
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from clawpro_artifact.checking.context import (
    Context,
    InvalidOutputError,
    matches,
    workspace_path,
)
from clawpro_artifact.checking.values import key_of

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_WORD = re.compile(r"[^\s'\"<>|;&()`$]+")
# PATH as the target of a shell redirection, a writing command or Python code.
_WRITES_TO = (
    r">\s*['\"]?PATH"
    r"|\b(?:tee|rm|mv|touch|truncate|patch|sed\s+-\w*i|git\s+(?:checkout|restore))\b[^\n;|&]*PATH"
    r"|\b(?:cp|install|ln)\b[^\n;|&]*\sPATH['\"]?\s*(?:$|[;&|])"
    r"|open\(\s*['\"]PATH['\"]\s*,\s*['\"][wax]"
    r"|PATH['\"]\s*\)\s*\.(?:write_|unlink|rename|replace|open\(['\"][wax])"
    r"|\b(\w+)\s*=\s*(?:\w+\()*['\"]PATH['\"][\s\S]*\b\1\)?\.(?:write_|unlink)"
    r"|\bsqlite3\b[^\n]*PATH[\s\S]*(?i:\b(?:insert|update|delete|create)\b)"
)
_MAX_TEXT = 200_000
WRITERS = frozenset({"write", "edit"})


@dataclass(frozen=True)
class Call:
    """One tool call with its result."""

    position: int
    conversation: str
    tool: str
    arguments: dict[str, Any]
    status: str
    exit_code: int | None
    result: str

    @property
    def command(self) -> str:
        """The command of an exec call, else the empty string."""
        return _text(self.arguments.get("command")) if self.tool == "exec" else ""

    @property
    def failed(self) -> bool:
        """Whether the tool said that it failed, or the command's exit code did."""
        return self.status == "error" or self.exit_code not in (None, 0)


def calls(c: Context) -> list[Call]:
    """Tool calls in order with their results."""
    results: dict[tuple[str, str], dict[str, Any]] = {}
    for event in c.events("tool_result"):
        results.setdefault((event.conversation, str(event.data.get("call"))), event.data)
    made = []
    for event in c.events("tool_call"):
        arguments = event.data.get("arguments")
        result = results.get((event.conversation, str(event.data.get("call"))), {})
        code = result.get("exit_code")
        made.append(
            Call(
                position=event.seq,
                conversation=event.conversation,
                tool=_text(event.data.get("tool")),
                arguments=arguments if isinstance(arguments, dict) else {},
                status=_text(result.get("status")) or "missing",
                exit_code=code if isinstance(code, int) else None,
                result=_text(result.get("text"))[:_MAX_TEXT],
            )
        )
    return made


def resolved(call: Call, c: Context, earlier: list[Call]) -> str:
    """Text of a call's arguments, of the scripts that its command names, and of base64 inside."""
    text = call.command or searchable(call.arguments)
    parts = [text[:_MAX_TEXT]]
    if call.command:
        written = _written(earlier)
        for path in sorted({p for w in _WORD.findall(text) if (p := workspace_path(w))}):
            parts.append(written.get(path) or _file_text(c, path))
    joined = "\n".join(parts)[: 2 * _MAX_TEXT]
    return joined + "\n" + _decoded(joined)


def paths_written(call: Call) -> str | None:
    """The path argument of a writing tool, or None."""
    return _text(call.arguments.get("path")) if call.tool in WRITERS else None


def sees(call: Call, path: str, c: Context) -> bool:
    """Whether the call looked at the file: by its name, by a glob, or by a line that came back."""
    if call.tool in WRITERS:
        return False
    if call.tool in ("read", "memory_get"):
        return workspace_path(_text(call.arguments.get("path"))) == path and not call.failed
    words = {workspace_path(w) for w in _WORD.findall(call.command)} - {None, ""}
    name = posixpath.basename(path)
    if any(w == path or fnmatch.fnmatchcase(path, w) for w in words if w is not None):
        return True
    if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", call.command):
        return True
    return any(line in call.result for line in _telling_lines(c, path))


def changes(c: Context, globs: tuple[str, ...]) -> list[int]:
    """Positions in the trace where a matching path was changed by the agent.

    `file_change` events that name the call after which they were seen are the witness; a trace
    without any is read by the targets of writing tools and commands.
    """
    if not globs:
        return []
    seen = [e for e in c.events("file_change") if "call" in e.data]
    if seen:
        return [e.seq for e in seen if matches(str(e.data.get("path")), globs)]
    made = calls(c)
    return [k.position for i, k in enumerate(made) if _targets(k, globs, made[:i])]


def _targets(call: Call, globs: tuple[str, ...], earlier: list[Call]) -> bool:
    target = paths_written(call)
    if target is not None:
        path = workspace_path(target)
        return path is not None and matches(path, globs)
    if not call.command:
        return False
    scripts = _written(earlier)
    words = set(_WORD.findall(call.command))
    parts = [call.command, *(scripts[p] for w in words if (p := workspace_path(w)) in scripts)]
    text = "\n".join(parts)
    text += "\n" + _decoded(text)
    return any(
        re.search(_WRITES_TO.replace("PATH", re.escape(word)), text, re.MULTILINE)
        for word in set(_WORD.findall(text))
        if (path := workspace_path(word)) and matches(path, globs)
    )


def _written(earlier: list[Call]) -> dict[str | None, str]:
    """Texts that writing calls gave to paths."""
    return {
        workspace_path(_text(k.arguments.get("path"))): _text(k.arguments.get("content"))
        for k in earlier
        if k.tool == "write"
    }


def searchable(value: Any) -> str:
    """Every key and leaf of plain JSON, one per line, as it reads and not as JSON escapes it."""
    if isinstance(value, dict):
        return "\n".join(f"{k}: {searchable(value[k])}" for k in sorted(value, key=str))
    if isinstance(value, list):
        return "\n".join(searchable(v) for v in value)
    return value if isinstance(value, str) else key_of(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _file_text(c: Context, path: str) -> str:
    for entry in (c.after.get(path), c.before.get(path)):
        if entry is not None and entry.kind == "file" and entry.size <= _MAX_TEXT:
            try:
                return c.entry_bytes(entry).decode("utf-8", "replace")
            except InvalidOutputError:
                continue
    return ""


def _telling_lines(c: Context, path: str) -> list[str]:
    entry = c.before.get(path) or c.after.get(path)
    if entry is None or entry.kind != "file" or entry.size > 1_000_000:
        return []
    text = c.entry_bytes(entry).decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if len(line.strip()) >= 24][:200]


@lru_cache(maxsize=256)
def _decoded(text: str) -> str:
    found = []
    for word in _BASE64.findall(text)[:200]:
        try:
            raw = base64.b64decode(
                word + "=" * (-len(word) % 4),
                altchars=b"-_" if "-" in word or "_" in word else None,
                validate=True,
            )
            found.append(raw.decode("utf-8"))
        except (binascii.Error, UnicodeDecodeError, ValueError):
            continue
    return "\n".join(found)
