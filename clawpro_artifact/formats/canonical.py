"""values -> RFC 8785 bytes -> digests: the one form in which documents are hashed and signed."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import rfc8785

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import jsonio

# Where JCS and Python's writer may differ: fractions, exponents, integers near 2**53. What only
# seems to be one, inside a string, sends the text the slow way.
_NUMBERS = re.compile(rb'(?:^|":|[,\[])-?(?:[0-9]+[.eE]|[0-9]{16})')
_LONG_INTEGER = re.compile(rb"(?:^|[:,\[])-?[0-9]{16}")


def encode(value: object) -> bytes:
    """RFC 8785 (JCS) bytes of a model or of plain JSON values; tuples are arrays.

    Raises InputError for what JCS has no bytes for: NaN, infinities, integers outside
    +-(2**53 - 1), lone surrogates, keys that are not strings, other types. Also for what
    `jsonio` would refuse to read: floats written as such an integer (2**53 to 1e21), deep nesting.
    """
    # Not by type: the verifier also runs where there is no pydantic.
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        value = dump(mode="json")
    plain: Any = value
    try:
        data = rfc8785.dumps(plain)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise InputError(
            "the value has no canonical JSON (RFC 8785)",
            expected="finite numbers, integers within 2**53 - 1, Unicode text, string keys",
            found=str(error).encode("ascii", "backslashreplace").decode(),
            do="write numbers that matter as decimal strings",
        ) from None
    if _LONG_INTEGER.search(data) or jsonio.depth(data) > jsonio.MAX_DEPTH:
        jsonio.parse(data, "value", max_bytes=len(data))
    return data


def decode(data: bytes, where: str, *, max_bytes: int = jsonio.MAX_BYTES) -> Any:
    """The value of a text that *is* canonical; InputError if re-encoding gives other bytes."""
    value = jsonio.parse(data, where, max_bytes=max_bytes)
    if _is_plainly_canonical(data, value):
        return value
    again = encode(value)
    if again != data:
        at = next(
            (i for i, (a, b) in enumerate(zip(data, again, strict=False)) if a != b),
            min(len(data), len(again)),
        )
        raise InputError(
            "the document is not in canonical form",
            where=f"{where}, byte {at}",
            expected=f"RFC 8785: {again[at : at + 20]!r}",
            found=repr(data[at : at + 20]),
        )
    return value


def _is_plainly_canonical(data: bytes, value: Any) -> bool:
    """Whether Python's own writer shows the text canonical; no answer is not a no.

    For ASCII text without such numbers both write the same: keys in the order of their characters,
    no white space, the short escapes, control characters in lower-case hex. Three times as fast.
    """
    if not data.isascii() or _NUMBERS.search(data) is not None:
        return False
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    # ASCII bytes cannot equal the text of an escape that is needed for something else.
    return text.isascii() and text.encode("ascii") == data


def digest(value: object) -> str:
    """`sha256:<hex>` of the canonical JSON of a value; the identity of a document."""
    return bytes_digest(encode(value))


def bytes_digest(data: bytes) -> str:
    """`sha256:<hex>` of bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def file_digest(path: Path) -> str:
    """`sha256:<hex>` of a file, streamed; memory does not depend on its size."""
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
