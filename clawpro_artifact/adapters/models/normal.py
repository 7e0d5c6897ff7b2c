"""a model request -> the same without what differs from run to run: the declared normaliser.

Two requests are equal when their normal forms are. Each rule names what it takes away; the version
changes when a rule does.
"""

from __future__ import annotations

import re
from typing import Any

VERSION = "clawpro.normal.v1"
_STAMP = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2}| UTC)?"
# (what is taken away, where it is looked for, what stands there instead), applied in this order.
RULES: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("uuid", re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.I), "<uuid>"),
    ("turn time", re.compile(r"^\[[A-Z][a-z]{2} " + _STAMP + r"\] "), "[<time>] "),
    ("time stamp", re.compile(_STAMP), "<time>"),
    ("epoch milliseconds", re.compile(r"\b1[6-9]\d{11}\b"), "<ms>"),
    ("loopback port", re.compile(r"\b(127\.0\.0\.1|localhost):\d{2,5}\b"), r"\1:<port>"),
    ("temporary path", re.compile(r"/tmp/[A-Za-z0-9._-]+"), "/tmp/<name>"),
    ("process id", re.compile(r"\b(pid)([ =:]+)\d+\b", re.I), r"\1\2<pid>"),
    (
        "duration",
        re.compile(r"(\"(?:durationMs|tookMs|elapsedMs|ageMs)\"\s*:\s*)[\d.]+"),
        r"\1<ms>",
    ),
    ("wrapper id", re.compile(r"(CONTENT id=\\?\")[0-9a-f]{16}\b"), r"\1<id>"),
    ("browser target", re.compile(r"\b[0-9A-F]{32}\b"), "<target>"),
    ("trial", re.compile(r"\btrial-[0-9a-f]{14}\b"), "<trial>"),
)
# A runtime tells the day in its own words; a task's documents are not touched by this rule.
_SYSTEM_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
# How an answer is transported says nothing about what is asked.
_TRANSPORT = frozenset({"stream", "stream_options", "model"})


def normal(request: dict[str, Any]) -> dict[str, Any]:
    """The normal form; a new value."""
    found = {k: _value(v) for k, v in request.items() if k not in _TRANSPORT and k != "messages"}
    messages = request.get("messages")
    if isinstance(messages, list):
        found["messages"] = [_message(m) for m in messages]
    return found


def first_difference(a: Any, b: Any, pointer: str = "") -> tuple[str, Any, Any] | None:
    """(JSON pointer, value in a, value in b) of the first place that differs; None if none does.

    Objects are walked by sorted key, arrays by index; what one side lacks is None.
    """
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            step = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in a or key not in b:
                return step, a.get(key), b.get(key)
            if (found := first_difference(a[key], b[key], step)) is not None:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        for index in range(max(len(a), len(b))):
            step = f"{pointer}/{index}"
            if index >= len(a) or index >= len(b):
                return (
                    step,
                    a[index] if index < len(a) else None,
                    b[index] if index < len(b) else None,
                )
            if (found := first_difference(a[index], b[index], step)) is not None:
                return found
        return None
    # True == 1 in Python, not in JSON.
    return None if a == b and isinstance(a, bool) == isinstance(b, bool) else (pointer, a, b)


def _message(message: Any) -> Any:
    value = _value(message)
    if isinstance(value, dict) and value.get("role") in ("system", "developer"):
        return _value(value, day=True)
    return value


def _value(value: Any, day: bool = False) -> Any:
    if isinstance(value, str):
        return _text(value, day)
    if isinstance(value, list):
        return [_value(v, day) for v in value]
    if isinstance(value, dict):
        return {k: _value(v, day) for k, v in value.items()}
    return value


def _text(text: str, day: bool) -> str:
    for _, pattern, instead in RULES:
        text = pattern.sub(instead, text)
    return _SYSTEM_DAY.sub("<day>", text) if day else text
