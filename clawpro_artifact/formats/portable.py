"""JSON values that an agent made -> the same with what RFC 8785 has no bytes for said in words.

Evidence is never refused for being odd: a number that two readers could read differently becomes
`[[number:1e+300]]`, a lone surrogate `[[surrogate:d800]]`, what is nested deeper than DEEPEST the
text of its JSON. What is portable already is returned as it is, the same object.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

# A document around it may nest a little further (jsonio.MAX_DEPTH is 100).
DEEPEST: Final = 64
# Characters of a text that stand in an event; longer ones are kept by digest.
INLINE: Final = 1 << 20
_LARGEST: Final = 2**53 - 1
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_TEXT_LIMIT: Final = 1 << 20


def portable(value: Any, depth: int = 0) -> Any:
    """`value` as canonical JSON can hold it. Other types than JSON's become their `repr`."""
    if isinstance(value, str):
        return text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, dict | list | tuple) and depth >= DEEPEST:
        return f"[[nested:{_flat(value)}]]"
    if isinstance(value, dict):
        made = {_key(k): portable(v, depth + 1) for k, v in value.items()}
        same = len(made) == len(value) and all(
            a is b and made[a] is v for (b, v), a in zip(value.items(), made, strict=True)
        )
        return value if same else _all_keys(value, made, depth)
    if isinstance(value, list | tuple):
        items = [portable(v, depth + 1) for v in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    return text(repr(value))


def text(value: str) -> str:
    """A text without lone surrogates."""
    if value.isascii():
        return value
    return _SURROGATE.sub(lambda m: f"[[surrogate:{ord(m[0]):04x}]]", value)


def cut(value: str, most: int) -> str:
    """The first `most` characters of a text that is kept whole elsewhere, and how many follow."""
    if len(value) <= most:
        return value
    return f"{value[:most]}[[cut:{len(value) - most} more characters]]"


def _key(key: Any) -> str:
    return text(key) if isinstance(key, str) else text(str(key))


def _all_keys(old: dict[Any, Any], made: dict[str, Any], depth: int) -> dict[str, Any]:
    """Keys that have become equal are told apart by their number: nothing is lost."""
    if len(made) == len(old):
        return made
    found: dict[str, Any] = {}
    for number, (key, value) in enumerate(old.items()):
        name = _key(key)
        name = name if name not in found else f"{name}[[key:{number}]]"
        found[name] = portable(value, depth + 1)
    return found


def _number(value: int | float) -> int | float | str:
    if isinstance(value, int):
        return value if -_LARGEST <= value <= _LARGEST else f"[[number:{_digits(value)}]]"
    if not math.isfinite(value) or (abs(value) > _LARGEST and value == int(value)):
        return f"[[number:{value!r}]]"
    return value


def _digits(value: int) -> str:
    # Python refuses decimal texts of huge integers (CVE-2020-10735).
    return str(value) if value.bit_length() < 4000 else hex(value)


def _flat(value: Any) -> str:
    """The JSON text of a deep value, by hand: `json` recurses as deep as the value asks."""
    out: list[str] = []
    stack: list[Any] = [value]
    size = 0
    while stack and size < _TEXT_LIMIT:
        item = stack.pop()
        if isinstance(item, _Raw):
            piece = item.text
        elif isinstance(item, dict):
            stack.append(_Raw("}"))
            for n, (k, v) in reversed(list(enumerate(item.items()))):
                stack += [v, _Raw(("," if n else "") + json.dumps(_key(k)) + ":")]
            piece = "{"
        elif isinstance(item, list | tuple):
            stack.append(_Raw("]"))
            for n, v in reversed(list(enumerate(item))):
                stack += [v, _Raw("," if n else "")]
            piece = "["
        else:
            piece = json.dumps(portable(item))
        out.append(piece)
        size += len(piece)
    return "".join(out) + ("" if not stack else "[[cut]]")


class _Raw:
    """A piece of JSON text between values."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text
