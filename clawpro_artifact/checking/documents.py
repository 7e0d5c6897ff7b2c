"""answer, JSON, YAML or TOML file, store + assertion -> Found: every assertion for every document.

Kinds: `json-OP` (the answer), `json-file-OP`, `yaml-file-OP`, `toml-file-OP` (a file `path`),
`store-OP` (a store `store`), with OP one of equals, number, set, one-of, absent, keys, matches,
contains, order. YAML reads by the 1.1 rules except that dates stay text.
"""

from __future__ import annotations

import datetime
import math
import tomllib
from collections.abc import Callable
from itertools import accumulate
from typing import Any, cast

import yaml
from pydantic import create_model

from clawpro_artifact.checking.assertions import ASSERTIONS, Assertion
from clawpro_artifact.checking.context import Context, InvalidOutputError
from clawpro_artifact.checking.library import Found, Kind, add, failed
from clawpro_artifact.checking.values import MAX_NODES
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import jsonio
from clawpro_artifact.model.base import RelativePath, Value

_MAX_DEPTH = 100
_MAX_YAML = 1_000_000


class _Loader(yaml.SafeLoader):
    """Safe YAML without dates and without a key twice in one mapping."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(tag, regexp) for tag, regexp in rules if tag != "tag:yaml.org,2002:timestamp"]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [k.value for k, _ in node.value if isinstance(k, yaml.ScalarNode)]
        if len(set(keys)) != len(keys):
            raise yaml.YAMLError("a key stands twice in one mapping")
        return super().construct_mapping(node, deep)


def read_json(context: Context, path: str) -> Any:
    """The file as strict JSON (one byte order mark is forgiven); raises InvalidOutputError."""
    try:
        return jsonio.parse(context.text(path).encode(), path)
    except InputError as error:
        raise InvalidOutputError(f"{path}: {error.summary}") from None


def read_yaml(context: Context, path: str) -> Any:
    """The file as one YAML document; raises InvalidOutputError."""
    text = context.text(path)
    if len(text) > _MAX_YAML or _flow_depth(text) > _MAX_DEPTH:
        # The parser is slow on both; a person's document is neither.
        raise InvalidOutputError(f"{path} is too large or too deep")
    try:
        value = yaml.load(text, Loader=_Loader)
    except Exception as error:  # the parser's own, and RecursionError, ValueError, TypeError ...
        raise InvalidOutputError(f"{path} is no YAML document: {_first_line(error)}") from None
    return plain(value, path)


def _flow_depth(text: str) -> int:
    brackets = (1 if c in "[{" else -1 for c in text if c in "[]{}")
    return max(accumulate(brackets), default=0)


def read_toml(context: Context, path: str) -> Any:
    """The file as TOML; raises InvalidOutputError."""
    try:
        value = tomllib.loads(context.text(path).replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise InvalidOutputError(f"{path} is no TOML document: {_first_line(error)}") from None
    return plain(value, path)


def plain(value: Any, where: str) -> Any:
    """Plain JSON values: keys and dates as text; raises InvalidOutputError where that explodes."""
    budget = MAX_NODES

    def walk(v: Any, depth: int) -> Any:
        nonlocal budget
        budget -= 1
        if budget < 0 or depth > _MAX_DEPTH:
            raise InvalidOutputError(f"{where} is too large or too deep")
        if isinstance(v, dict):
            return {_key(k): walk(e, depth + 1) for k, e in v.items()}
        if isinstance(v, list | tuple | set):
            return [walk(e, depth + 1) for e in v]
        if isinstance(v, datetime.date | datetime.time):
            return v.isoformat()
        if isinstance(v, float) and not math.isfinite(v):
            return str(v)
        if isinstance(v, int) and not isinstance(v, bool) and abs(v) > jsonio.MAX_INTEGER:
            # A digit count is enough: such a number equals no expected one.
            return f"(integer of {v.bit_length()} bits)"
        if v is None or isinstance(v, str | bool | int | float):
            return v
        return f"({type(v).__name__})"

    return walk(value, 0)


def _key(key: Any) -> str:
    return {True: "true", False: "false"}[key] if isinstance(key, bool) else str(key)[:1000]


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def _answer(a: Any, c: Context) -> Any:
    return c.answer


def _store(a: Any, c: Context) -> Any:
    return c.store(a.store)


Reader = Callable[[Any, Context], Any]
_PATH: dict[str, Any] = {"path": (RelativePath, ...)}
_FORMATS: dict[str, tuple[Reader, dict[str, Any]]] = {
    "json": (_answer, {}),
    "json-file": (lambda a, c: read_json(c, a.path), _PATH),
    "yaml-file": (lambda a, c: read_yaml(c, a.path), _PATH),
    "toml-file": (lambda a, c: read_toml(c, a.path), _PATH),
    "store": (_store, {"store": (str, ...)}),
}


def _register() -> None:
    for form, (reader, fields) in _FORMATS.items():
        for op, assertion in ASSERTIONS.items():
            made = create_model(f"{form}-{op}", __base__=assertion, **fields)
            model = cast(type[Value], made)
            says = (assertion.__doc__ or "").splitlines()[0]
            add(Kind(f"{form}-{op}", model, _judge(reader), says))


def _judge(reader: Reader) -> Callable[[Assertion, Context], Found]:
    def judge(a: Assertion, c: Context) -> Found:
        root = reader(a, c)
        if root is None and "store" in type(a).model_fields:
            return failed(f"the runtime has no store '{getattr(a, 'store', '')}'")
        return a.judge(root, c.expected)

    return judge


_register()
