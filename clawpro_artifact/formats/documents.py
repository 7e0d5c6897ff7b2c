"""JSON or TOML bytes -> model values, and models -> JSON Schema."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import jsonio

M = TypeVar("M", bound=BaseModel)

SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MAX_ALSO = 9


def load_json(model: type[M], data: bytes, where: str) -> M:
    """A model from strict JSON (`jsonio.parse`); InputError gives pointer, expected, found."""
    return _validate(model, jsonio.parse(data, where), data, where)


def load_toml(model: type[M], data: bytes, where: str) -> M:
    """A model from TOML, under the same rules as JSON: no dates, no NaN, no huge integers."""
    value = parse_toml(data, where)
    return _validate(model, value, json.dumps(value).encode(), where)


def load_value(model: type[M], value: object, where: str) -> M:
    """A model from plain JSON values already read."""
    return _validate(model, value, json.dumps(value, allow_nan=False).encode(), where)


def read(model: type[M], path: Path) -> M:
    """A model from a `.json` or `.toml` file; InputError if the file cannot be read."""
    data = read_bytes(path)
    return (load_toml if path.suffix == ".toml" else load_json)(model, data, str(path))


def read_bytes(path: Path, *, max_bytes: int = jsonio.MAX_BYTES) -> bytes:
    """A whole small file; InputError if it is missing, not a file, or too large."""
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise InputError(
            "the document cannot be read",
            where=str(path),
            expected="a readable file",
            found=error.strerror or type(error).__name__,
        ) from None
    if len(data) > max_bytes:
        raise InputError(
            "the document is too large",
            where=str(path),
            expected=f"at most {max_bytes} bytes",
            found="more",
        )
    return data


def parse_toml(data: bytes, where: str) -> dict[str, Any]:
    """The tables of a TOML document as plain JSON values; InputError names line or pointer."""
    try:
        value = tomllib.loads(data.decode("utf-8"))
        # The JSON reader is the judge of values: one set of rules for both languages.
        text = json.dumps(value, default=_no_dates).encode()
    except UnicodeDecodeError as error:
        raise InputError(
            "the TOML document is not UTF-8", where=f"{where}, byte {error.start}", expected="UTF-8"
        ) from None
    except (tomllib.TOMLDecodeError, RecursionError, _DateFoundError) as error:
        raise InputError(
            "malformed TOML",
            where=where,
            expected="TOML 1.0 with strings, numbers, booleans, arrays and tables",
            found=str(error) or "nesting too deep",
        ) from None
    checked: dict[str, Any] = jsonio.parse(text, where)
    return checked


class _DateFoundError(Exception):
    pass


def _no_dates(value: object) -> None:
    raise _DateFoundError(f"the date or time {value}; write it as a string")


def _validate(model: type[M], value: object, data: bytes, where: str) -> M:
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        problems = error.errors(include_url=False)
    places = [f"{where}#{_pointer(p, value)}" for p in problems]
    also = [
        f"  also:     {place}: {p['msg']}"
        for place, p in zip(places[1 : _MAX_ALSO + 1], problems[1 : _MAX_ALSO + 1], strict=True)
    ]
    more = len(problems) - 1 - len(also)
    if more > 0:
        also.append(f"  also:     {more} more")
    first = problems[0]
    raise InputError(
        "\n".join([f"the document is no {model.__name__} ({len(problems)} problem(s))", *also]),
        where=places[0],
        expected=_expected(first),
        found="nothing" if first["type"] == "missing" else _found(first["input"]),
    )


def _pointer(problem: ErrorDetails, value: object) -> str:
    """Pointer into the document; the union branches in pydantic's own path are left out."""
    steps: list[str | int] = []
    for step in problem["loc"]:
        inside = dict(enumerate(value)) if isinstance(value, list) else value
        if isinstance(inside, dict) and step in inside:
            value = inside[step]
        elif not (problem["type"] == "missing" and step == problem["loc"][-1]):
            continue
        steps.append(step)
    return jsonio.pointer(tuple(steps))


def _expected(problem: ErrorDetails) -> str:
    if problem["type"] == "missing":
        return f"the field `{problem['loc'][-1]}`"
    if problem["type"] == "extra_forbidden":
        return "no such field"
    return problem["msg"]


def _found(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def schema_for(model: type[BaseModel], name: str) -> dict[str, Any]:
    """JSON Schema 2020-12 of a model, under `urn:clawpro:schema:NAME`."""
    schema = model.model_json_schema(by_alias=True, mode="validation")
    return {"$schema": SCHEMA_DIALECT, "$id": f"urn:clawpro:schema:{name}", **schema}


def schema_bytes(model: type[BaseModel], name: str) -> bytes:
    """The file of `schemas/`: the same model gives the same bytes."""
    text = json.dumps(schema_for(model, name), indent=2, sort_keys=True, ensure_ascii=False)
    return text.encode() + b"\n"
