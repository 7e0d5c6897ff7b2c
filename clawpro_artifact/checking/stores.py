"""runtime store + arguments -> Found: entries that a native surface left."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field, model_validator

from clawpro_artifact.checking.context import Context
from clawpro_artifact.checking.deeds import searchable
from clawpro_artifact.checking.library import Found, kind, verdict
from clawpro_artifact.checking.values import MISSING, brief, compiled, get
from clawpro_artifact.model.base import Value


class StoreHas(Value):
    """Entries of an array (or object values) in a store; `where`: pointer -> searched pattern."""

    store: str
    pointer: str = ""
    where: dict[str, str] = Field(default_factory=dict)
    where_not: dict[str, str] = Field(default_factory=dict)
    least: int = Field(default=1, ge=0)
    most: int | None = None

    @model_validator(mode="after")
    def _compiles(self) -> StoreHas:
        for pattern in (*self.where.values(), *self.where_not.values()):
            compiled(pattern)
        return self


@kind("store-has", StoreHas)
def store_has(a: StoreHas, c: Context) -> Found:
    """So many entries of a store fit all of `where` and none of `where_not`."""
    entries = get(c.store(a.store), a.pointer)
    if isinstance(entries, dict):
        entries = [{"key": k, "value": v} for k, v in sorted(entries.items())]
    if not isinstance(entries, list):
        return verdict(False, f"store '{a.store}' has no list at '{a.pointer}'")
    hits = [
        e
        for e in entries
        if all(_fits(e, at, p) for at, p in a.where.items())
        and not any(_fits(e, at, p) for at, p in a.where_not.items())
    ]
    good = len(hits) >= a.least and (a.most is None or len(hits) <= a.most)
    return verdict(good, f"entries of '{a.store}'", count=len(hits), first=brief(hits[:3]))


def _fits(entry: Any, pointer: str, pattern: str) -> bool:
    value = get(entry, pointer)
    return value is not MISSING and re.search(pattern, searchable(value), re.MULTILINE) is not None
