"""JSON bytes -> plain values, strictly: what two readers could read differently is refused.

Refused beyond RFC 8259 syntax: a byte order mark, bytes that are not UTF-8, duplicate keys, NaN and
the infinities (also `1e999`), integers outside +-(2**53 - 1), lone surrogates, deep nesting, too
many bytes (RFC 7493, I-JSON, sections 2.1 to 2.3).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NoReturn

from clawpro_artifact.errors import InputError

MAX_BYTES = 256 * 1024 * 1024
MAX_DEPTH = 100
MAX_INTEGER = 2**53 - 1

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_STRINGS = re.compile(_STRING.encode(), re.DOTALL)
_TOKENS = re.compile(_STRING + r'|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class _RefusedError(Exception):
    """A hook of the fast parser found something; `_locate` says what and where."""


def parse(data: bytes, where: str, *, max_bytes: int = MAX_BYTES) -> Any:
    """The value of one JSON text. `where` names the document in errors.

    Raises InputError that names the byte offset (syntax) or the JSON pointer (RFC 6901).
    """
    if len(data) > max_bytes:
        raise InputError(
            "the JSON document is too large",
            where=where,
            expected=f"at most {max_bytes} bytes",
            found=f"{len(data)} bytes",
        )
    text = _decode(data, where)
    try:
        # Depth first: the C parser would otherwise recurse as far as the text asks.
        if depth(data) > MAX_DEPTH:
            raise _RefusedError
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_refuse,
        )
        if _ESCAPED_SURROGATE.search(data):
            _refuse_surrogates(text)
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode())
        raise InputError(
            "malformed JSON",
            where=f"{where}, byte {offset}",
            expected="one JSON text (RFC 8259)",
            found=error.msg,
        ) from None
    except (_RefusedError, RecursionError):
        problem = _locate(text)
        raise InputError(
            problem.summary,
            where=f"{where}#{problem.pointer}, byte {len(text[: problem.position].encode())}",
            expected=problem.expected,
            found=_short(problem.found),
        ) from None
    return value


def _decode(data: bytes, where: str) -> str:
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            "the JSON document starts with a byte order mark",
            where=f"{where}, byte 0",
            expected="UTF-8 without a byte order mark",
            found=data[:3].hex(),
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            "the JSON document is not UTF-8",
            where=f"{where}, byte {error.start}",
            expected="UTF-8",
            found=data[error.start : error.start + 4].hex(),
        ) from None


def depth(data: bytes) -> int:
    """Deepest nesting; what is deeper than MAX_DEPTH may be given as MAX_DEPTH + 1.

    At C speed: each round peels the innermost pairs off the bare brackets.
    """
    brackets = _STRINGS.sub(b"", data).translate(None, _NOT_BRACKETS)
    for depth in range(MAX_DEPTH + 1):
        if not brackets:
            return depth
        peeled = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(peeled) == len(brackets):
            break  # unbalanced, a syntax error; how deep it goes still counts
        brackets = peeled
    else:
        return MAX_DEPTH + 1
    return max(accumulate(1 if byte in b"[{" else -1 for byte in brackets), default=0)


def _refuse(_: str) -> NoReturn:
    raise _RefusedError


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > MAX_INTEGER:
        raise _RefusedError
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _RefusedError
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _RefusedError
    return result


def _refuse_surrogates(text: str) -> None:
    for token in _TOKENS.finditer(text):
        if token[0][0] == '"' and _has_surrogate(json.loads(token[0], strict=False)):
            raise _RefusedError


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


@dataclass(frozen=True)
class _Problem:
    summary: str
    pointer: str
    position: int
    expected: str
    found: str


@dataclass
class _Frame:
    is_object: bool
    step: str | int
    keys: set[str]


def _locate(text: str) -> _Problem:
    """Walks a text that the fast parser refused and names the first thing that is refused."""
    for problem in _problems(text):
        return problem
    return _Problem("malformed JSON", "", 0, "one JSON text (RFC 8259)", "an unknown defect")


def _problems(text: str) -> Iterator[_Problem]:
    stack: list[_Frame] = []
    key_next = False
    for match in _TOKENS.finditer(text):
        token, at = match[0], match.start()
        top = stack[-1] if stack else None
        here = "".join(f"/{_escape(frame.step)}" for frame in stack[:MAX_DEPTH])
        if token in ("{", "["):
            if len(stack) == MAX_DEPTH:
                yield _Problem(
                    "the JSON document is nested too deeply",
                    here, at, f"at most {MAX_DEPTH} levels", "more",
                )  # fmt: skip
                return
            stack.append(_Frame(token == "{", "" if token == "{" else 0, set()))
            key_next = token == "{"
        elif token in ("}", "]"):
            if stack:
                stack.pop()
            key_next = False
        elif token == ",":
            if top is not None and not top.is_object:
                assert isinstance(top.step, int)
                top.step += 1
            key_next = top is not None and top.is_object
        elif token == ":":
            key_next = False
        elif token[0] == '"':
            try:
                string = json.loads(token, strict=False)
            except ValueError:
                continue
            if _has_surrogate(string):
                yield _Problem(
                    "a string holds a lone surrogate", here, at, "Unicode scalar values", token
                )
            if key_next and top is not None:
                if string in top.keys:
                    yield _Problem(
                        "a key appears twice in one object",
                        "".join(f"/{_escape(f.step)}" for f in stack[:-1]) + f"/{_escape(string)}",
                        at, "each key once", token,
                    )  # fmt: skip
                top.keys.add(string)
                top.step = string
        elif re.fullmatch(r"-?[0-9]+", token):
            digits = token.lstrip("-").lstrip("0")
            if len(digits) > 16 or int(digits or "0") > MAX_INTEGER:
                yield _Problem(
                    "an integer is too large to be exact everywhere",
                    here, at, f"-{MAX_INTEGER} to {MAX_INTEGER}, or a decimal string", token,
                )  # fmt: skip
        elif token not in ("true", "false", "null"):
            try:
                finite = math.isfinite(float(token))
            except ValueError:
                continue
            if not finite:
                yield _Problem("a number is not finite", here, at, "a finite number", token)


def _escape(step: str | int) -> str:
    return str(step).replace("~", "~0").replace("/", "~1")


def pointer(steps: tuple[str | int, ...]) -> str:
    """JSON pointer (RFC 6901) of a path of keys and indices; the root is the empty string."""
    return "".join(f"/{_escape(step)}" for step in steps)


def _short(text: str) -> str:
    printable = text.encode("ascii", "backslashreplace").decode()
    return printable if len(printable) <= 80 else printable[:77] + "..."
