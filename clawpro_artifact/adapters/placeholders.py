"""policy text + earlier tool results -> text: what a policy takes over from what it was shown.

`{{ref:ROLE "NAME"}}` is the reference that the latest page snapshot gives to that element, since a
browser numbers its elements anew on each page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

_REF = re.compile(r"\{\{ref:([^}]+)\}\}")
_GIVEN = re.compile(r"\[ref=(\w+)\]")


def each_text(value: Any, fill: Callable[[str], str]) -> Any:
    """`value` with every string in it filled; keys stay."""
    if isinstance(value, str):
        return fill(value)
    if isinstance(value, list):
        return [each_text(v, fill) for v in value]
    if isinstance(value, dict):
        return {k: each_text(v, fill) for k, v in value.items()}
    return value


def with_references(text: str, results: Sequence[str]) -> str:
    """`text` with element references filled in; LookupError where no snapshot shows the element."""
    return _REF.sub(lambda match: _reference(match[1], results), text)


def _reference(element: str, results: Sequence[str]) -> str:
    for result in reversed(results):
        lines = [line for line in result.splitlines() if _GIVEN.search(line)]
        if not lines:
            continue
        for line in lines:
            before, _, after = line.partition(element)
            if before.strip(" -'") == "" and (given := _GIVEN.search(after)) is not None:
                return given[1]
        raise LookupError(f"the latest snapshot shows no {element}")
    raise LookupError(f"no snapshot yet that could show {element}")
