"""plain JSON value + JSON Schema -> nothing, or InputError with the pointer of the first misfit.

The subset of JSON Schema 2020-12 that our generated schemas use, in the standard library: the
verifier runs where neither pydantic nor jsonschema is. A keyword outside the subset is an error of
the schema, never ignored.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.jsonio import pointer

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: type(v) is int,
    "number": lambda v: type(v) in (int, float),
    "boolean": lambda v: type(v) is bool,
    "null": lambda v: v is None,
}
_BOUNDS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "minimum": (lambda v, n: v >= n, "at least"),
    "maximum": (lambda v, n: v <= n, "at most"),
    "exclusiveMinimum": (lambda v, n: v > n, "more than"),
    "exclusiveMaximum": (lambda v, n: v < n, "less than"),
}
_AT_LEAST, _AT_MOST = (lambda n, k: n >= k), (lambda n, k: n <= k)
_LENGTHS: dict[type, tuple[tuple[str, Callable[[int, int], bool], str], ...]] = {
    kind: (
        (f"min{what}", _AT_LEAST, f"{what} at least"),
        (f"max{what}", _AT_MOST, f"{what} at most"),
    )
    for kind, what in ((str, "Length"), (list, "Items"), (dict, "Properties"))
}
_KEYWORDS = """
    $schema $id $defs title description default $ref type const enum anyOf pattern properties
    required additionalProperties patternProperties propertyNames items prefixItems
"""
_KNOWN = {
    *_KEYWORDS.split(),
    *_BOUNDS,
    *(name for rows in _LENGTHS.values() for name, *_ in rows),
}


_SEEN: set[str] = set()


class _MisfitError(Exception):
    def __init__(self, steps: tuple[str | int, ...], expected: str, found: Any) -> None:
        super().__init__(expected)
        self.steps, self.expected, self.found = steps, expected, found


def check(value: Any, schema: dict[str, Any], where: str) -> None:
    """InputError unless `value` (of `jsonio.parse`) fits `schema`; ValueError if no schema."""
    _known(schema)
    try:
        _check(value, schema, schema, ())
    except _MisfitError as misfit:
        raise InputError(
            f"the document is no {schema.get('title', 'document of this kind')}",
            where=f"{where}#{pointer(misfit.steps)}",
            expected=misfit.expected,
            found=ascii(misfit.found)[:120],
        ) from None


def _known(schema: dict[str, Any]) -> None:
    """ValueError if a keyword is used that `_check` would pass over; looked at once a schema."""
    if schema.get("$id") in _SEEN:
        return
    stack: list[Any] = [schema]
    while stack:
        node = stack.pop()
        if not set(node) <= _KNOWN:
            raise ValueError(f"keywords outside the subset: {sorted(set(node) - _KNOWN)}")
        for name in ("$defs", "properties", "patternProperties"):
            stack += node.get(name, {}).values()
        for name in ("items", "propertyNames", "additionalProperties"):
            stack += [node[name]] if isinstance(node.get(name), dict) else []
        for name in ("anyOf", "prefixItems"):
            stack += node.get(name, [])
    if "$id" in schema:
        _SEEN.add(schema["$id"])


def _check(value: Any, schema: Any, top: dict[str, Any], at: tuple[str | int, ...]) -> None:
    if "$ref" in schema:
        _check(value, top["$defs"][schema["$ref"].removeprefix("#/$defs/")], top, at)
    if "anyOf" in schema:
        _any(value, schema["anyOf"], top, at)
    if "type" in schema and not _TYPES[schema["type"]](value):
        raise _MisfitError(at, f"{schema['type']}", value)
    if "const" in schema and not _same(value, schema["const"]):
        raise _MisfitError(at, repr(schema["const"]), value)
    if "enum" in schema and not any(_same(value, option) for option in schema["enum"]):
        raise _MisfitError(at, "one of " + ", ".join(map(str, schema["enum"])), value)
    if value is None or value is True or value is False:
        return
    if isinstance(value, dict):
        _object(value, schema, top, at)
    elif isinstance(value, list):
        prefix = schema.get("prefixItems", [])
        for i, item in enumerate(value):
            inner = prefix[i] if i < len(prefix) else schema.get("items", {})
            _check(item, inner, top, (*at, i))
    elif isinstance(value, str) and "pattern" in schema and not _matches(schema["pattern"], value):
        raise _MisfitError(at, f"text that matches {schema['pattern']}", value)
    if type(value) in (int, float):
        for name, (fits, words) in _BOUNDS.items():
            if name in schema and not fits(value, schema[name]):
                raise _MisfitError(at, f"{words} {schema[name]}", value)
        return
    for name, fitting, words in _LENGTHS[type(value)]:
        if name in schema and not fitting(len(value), schema[name]):
            raise _MisfitError(at, f"{words} {schema[name]}", value)


def _object(value: dict[str, Any], schema: Any, top: Any, at: tuple[str | int, ...]) -> None:
    for name in schema.get("required", ()):
        if name not in value:
            raise _MisfitError(at, f"the field `{name}`", sorted(value))
    properties = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    for name, inner in value.items():
        known = name in properties
        if known:
            _check(inner, properties[name], top, (*at, name))
        for pattern, rule in patterns.items():
            if _matches(pattern, name):
                known = True
                _check(inner, rule, top, (*at, name))
        if "propertyNames" in schema:
            _check(name, schema["propertyNames"], top, (*at, name))
        rest = schema.get("additionalProperties", True)
        if not known and rest is False:
            raise _MisfitError((*at, name), "no such field", inner)
        if not known and isinstance(rest, dict):
            _check(inner, rest, top, (*at, name))


def _any(value: Any, options: list[Any], top: Any, at: tuple[str | int, ...]) -> None:
    deepest: _MisfitError | None = None
    for option in options:
        try:
            return _check(value, option, top, at)
        except _MisfitError as misfit:
            if deepest is None or len(misfit.steps) > len(deepest.steps):
                deepest = misfit
    assert deepest is not None
    raise deepest


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _matches(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text) is not None


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # ECMA's `$` is the very end; Python's also matches before a last line feed.
    return re.compile(re.sub(r"(?<!\\)\$", r"\\Z", pattern), re.ASCII)
