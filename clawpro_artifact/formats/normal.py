"""text of a trace -> the same with ids, times, ports and temporary names taken out.

The normaliser is declared and versioned: two trajectories, or two requests, are called equal under
RULES of VERSION and under nothing else. What it takes out is what a runtime makes up anew each
time; values that an agent works with (file contents, numbers, names) are not touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

VERSION: Final = "clawpro.normal.v2"
_STAMP = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
# In this order; each is (what, pattern, replacement).
RULES: Final[tuple[tuple[str, re.Pattern[str], str], ...]] = (
    ("uuid", re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.I), "<uuid>"),
    ("turn time", re.compile(r"^\[[A-Z][a-z]{2} " + _STAMP + r"(?: \w+)?\] "), "[<time>] "),
    ("timestamp", re.compile(rf"\b{_STAMP}(?:Z|[+-]\d\d:?\d\d| UTC)"), "<time>"),
    ("clock", re.compile(r"\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) <time>\]"), "[<time>]"),
    (
        "listing",
        re.compile(r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d\b"),
        "<time>",
    ),
    ("epoch", re.compile(r"\b1[6-9]\d{11}\b|\b1[6-9]\d{8}(?:\.\d+)?\b"), "<epoch>"),
    ("host", re.compile(r"\bhost=[^\s|]+"), "host=<host>"),
    ("session", re.compile(r"\btrial-[0-9a-f]{14}\b"), "<session>"),
    ("port", re.compile(r"\b(127\.0\.0\.1|localhost):\d{4,5}\b"), r"\1:<port>"),
    (
        "temporary",
        re.compile(r"/tmp/(?:tmp\.?[A-Za-z0-9_]{6,}|clawpro-[A-Za-z0-9_-]+)"),
        "/tmp/<t>",
    ),
    ("process", re.compile(r"\b(pid|PID)[ =:]+\d+"), r"\1=<pid>"),
    ("measured", re.compile(r'("\w*(?:Ms|Millis|Seconds)": ?)\d+(?:\.\d+)?'), r"\1<took>"),
    ("took", re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds)\b"), "<took>"),
    ("wrapper id", re.compile(r"(CONTENT id=\\?\")[0-9a-f]{16}\b"), r"\1<id>"),
    ("browser target", re.compile(r"\b[0-9A-F]{32}\b"), "<target>"),
)
# A runtime tells the day in its own words; a task's documents are not touched by this rule.
_SYSTEM_DAY: Final = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
# Measured, not done: left out of a comparison.
_LEFT_OUT: Final = frozenset({"t_ms", "started_ms", "ended_ms", "duration_ms", "durationMs"})
# How an answer is transported says nothing about what is asked.
_TRANSPORT: Final = frozenset({"stream", "stream_options", "model"})
# Names that a runtime gives and an agent passes back: what a replay has to translate.
GIVEN: Final = re.compile(
    r"\b(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9A-F]{32})\b", re.IGNORECASE
)


def text(value: str) -> str:
    """One text under all rules."""
    for _, pattern, replacement in RULES:
        value = pattern.sub(replacement, value)
    return value


def value(item: Any) -> Any:
    """A JSON value with every text normalised and measured times left out."""
    if isinstance(item, str):
        return text(item)
    if isinstance(item, Mapping):
        return {text(str(k)): value(v) for k, v in item.items() if k not in _LEFT_OUT}
    if isinstance(item, list | tuple):
        return [value(v) for v in item]
    return item


def trajectory(events: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Normalised events in order. Digests of whole requests are left out: they hold times."""
    rows = []
    for event in events:
        row: dict[str, Any] = value(event)
        if row["kind"] == "model_request":
            row["data"].pop("digest", None)
        rows.append(row)
    return rows


def request(asked: Mapping[str, Any]) -> dict[str, Any]:
    """A model request under all rules; a new value."""
    found = {k: value(v) for k, v in asked.items() if k not in _TRANSPORT and k != "messages"}
    messages = asked.get("messages")
    if isinstance(messages, list):
        found["messages"] = [_message(m) for m in messages]
    return found


def _message(message: Any) -> Any:
    found = value(message)
    if isinstance(found, dict) and found.get("role") in ("system", "developer"):
        return _without_day(found)
    return found


def _without_day(item: Any) -> Any:
    if isinstance(item, str):
        return _SYSTEM_DAY.sub("<day>", item)
    if isinstance(item, dict):
        return {k: _without_day(v) for k, v in item.items()}
    if isinstance(item, list):
        return [_without_day(v) for v in item]
    return item


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
