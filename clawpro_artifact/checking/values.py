"""plain JSON value -> equality and pieces of it, under one number policy and one text rule.

Number policy: JSON has one kind of number, so 25 equals 25.0 and is not "25"; a boolean is no
number. Tolerances are declared decimal strings and compared in exact decimal arithmetic.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from decimal import Decimal
from typing import Any, Literal

MISSING = object()
MAX_NODES = 200_000
TextRule = Literal["exact", "folded"]
_SELECT = re.compile(r"\[([^=\]]+)=(.*)\]")


def get(root: Any, pointer: str) -> Any:
    """The value at an RFC 6901 pointer, or MISSING.

    A step `[key=value]` takes the one element of an array whose `key` reads as `value`.
    """
    if pointer == "":
        return root
    value = root
    for raw in pointer.removeprefix("/").split("/"):
        step = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(step, MISSING)
        elif isinstance(value, list) and (select := _SELECT.fullmatch(step)):
            hits = [
                e for e in value if isinstance(e, dict) and _shown(e.get(select[1])) == select[2]
            ]
            value = hits[0] if len(hits) == 1 else MISSING
        elif isinstance(value, list) and re.fullmatch(r"0|[1-9][0-9]{0,8}", step):
            value = value[int(step)] if int(step) < len(value) else MISSING
        else:
            return MISSING
        if value is MISSING:
            return MISSING
    return value


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def fold(text: str) -> str:
    """NFKC, case folded, white space collapsed: for words whose spelling is not the task."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def key_of(value: Any, text: TextRule = "exact") -> str:
    """One string for all values that are equal under the number policy and the text rule."""

    def plain(v: Any) -> Any:
        if isinstance(v, bool) or v is None:
            return v
        if isinstance(v, float) and math.isfinite(v) and v == int(v):
            return int(v)
        if isinstance(v, str):
            return fold(v) if text == "folded" else v
        if isinstance(v, list):
            return [plain(e) for e in v]
        if isinstance(v, dict):
            return {str(k): plain(e) for k, e in v.items()}
        return v

    return json.dumps(plain(value), sort_keys=True)


def equal(a: Any, b: Any, text: TextRule = "exact") -> bool:
    """Equality under the number policy and the text rule."""
    return key_of(a, text) == key_of(b, text)


def number(value: Any) -> Decimal | None:
    """A finite JSON number exactly as it prints, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Decimal(repr(value)) if math.isfinite(value) else None


def brief(value: Any) -> Any:
    """The value, or its beginning where it is long: evidence stays small."""
    if value is MISSING:
        return "(missing)"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= 400 else text[:400] + "…"


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern; ValueError (an argument error for pydantic) where it is malformed."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"malformed pattern: {error}") from None
