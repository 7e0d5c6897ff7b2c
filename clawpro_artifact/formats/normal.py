"""text of a trace -> the same with ids, times, ports and temporary names taken out.

The normaliser is declared and versioned: two trajectories are called equal under RULES of VERSION
and under nothing else. What it takes out is what a runtime makes up anew each time; values that an
agent works with (file contents, numbers, names) are not touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

VERSION: Final = "clawpro.normal.v1"
# In this order; each is (what, pattern, replacement).
RULES: Final[tuple[tuple[str, re.Pattern[str], str], ...]] = (
    ("uuid", re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.I), "<uuid>"),
    (
        "timestamp",
        re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d| UTC)"),
        "<time>",
    ),
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
)
# Measured, not done: left out of a comparison.
_LEFT_OUT: Final = frozenset({"t_ms", "started_ms", "ended_ms", "duration_ms", "durationMs"})


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
