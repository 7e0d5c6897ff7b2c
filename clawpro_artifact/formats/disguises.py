"""a secret text -> the bytes under which it may stand in a document: plain and encoded.

One table for the sanitizer, which replaces them, and the verifier, which looks for what is left.
"""

from __future__ import annotations

import base64
import html
import json
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, quote_plus

LEAST: Final = 8  # a form of fewer bytes would be found by chance


@dataclass(frozen=True)
class Disguise:
    """One form. `encoding` is the word for people; what is cut off lies beyond both ends.

    Base64 characters that also hold bits of the neighbours are not part of `data`: `before` and
    `after` say how many of them there are. `lines`: tools break such text into lines.
    """

    encoding: str
    data: bytes
    before: int = 0
    after: int = 0
    lines: bool = False


def disguises(value: bytes, least: int = LEAST) -> dict[str, Disguise]:
    """Every form of `value` of at least `least` bytes that is not the form of another name."""
    found = {
        "plain": Disguise("plain", value),
        "hex": Disguise("hex", value.hex().encode(), lines=True),
        "hex-upper": Disguise("hex", value.hex().upper().encode(), lines=True),
        "hex-spaced": Disguise("hex", value.hex(" ").encode()),
        "hex-colons": Disguise("hex", value.hex(":").encode()),
        "hex-escaped": Disguise("hex", "".join(f"\\x{b:02x}" for b in value).encode()),
        "url-all": Disguise("url", "".join(f"%{b:02X}" for b in value).encode()),
        "url-all-lower": Disguise("url", "".join(f"%{b:02x}" for b in value).encode()),
    }
    for offset in range(3):
        first, end = offset * 8, (offset + len(value)) * 8
        start, stop = (first + 5) // 6, end // 6
        for name, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            data = encode(bytes(offset) + value)[start:stop]
            found[f"{name}-{offset}"] = Disguise(
                name, data, start - first // 6, -(-end // 6) - stop, lines=True
            )
    try:
        found |= _of_text(value.decode())
    except UnicodeDecodeError:
        found["reversed"] = Disguise("reversed", value[::-1])
    kept: dict[bytes, str] = {}
    for name, form in found.items():
        if len(form.data) >= least:
            kept.setdefault(form.data, name)
    return {name: found[name] for name in kept.values()}


def _of_text(text: str) -> dict[str, Disguise]:
    inner, outer = json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]
    percent = quote(text, safe="")
    forms = {
        "json": ("json", inner),
        "json-raw": ("json", outer),
        "json-slashes": ("json", inner.replace("/", "\\/")),
        "json-in-json": ("json", json.dumps(inner)[1:-1]),
        "json-raw-in-json": ("json", json.dumps(outer, ensure_ascii=False)[1:-1]),
        "html": ("html", html.escape(text)),
        "url": ("url", percent),
        "url-path": ("url", quote(text)),
        "url-form": ("url", quote_plus(text)),
        "url-lower": ("url", _lower_escapes(percent)),
        "url-twice": ("url", quote(percent, safe="")),
        "reversed": ("reversed", text[::-1]),
    }
    found = {name: Disguise(word, form.encode()) for name, (word, form) in forms.items()}
    for name in ("utf-16-le", "utf-16-be"):
        found[name] = Disguise(name, text.encode(name))
    return found


def _lower_escapes(text: str) -> str:
    first, *rest = text.split("%")
    return "%".join([first, *(part[:2].lower() + part[2:] for part in rest)])


def forms(value: str) -> dict[str, bytes]:
    """Name -> bytes to look for; base64 at each of its three alignments, both alphabets.

    Forms of fewer than 8 bytes, and forms equal to an earlier one, are left out.
    """
    return {name: form.data for name, form in disguises(value.encode()).items()}
