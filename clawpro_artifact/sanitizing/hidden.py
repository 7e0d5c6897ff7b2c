"""an encoded literal at a place in a text -> the text that begins there, decoded, and its ends.

A shape is told by its whole, but only its literal can be looked for in base64: from where that
stands, the run of characters of the encoding is decoded, at the alignment under which it was found.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

LIMIT = 24_576  # characters; a private key in hex is shorter
# End in the decoded text -> end in the text.
Ends = Callable[[int], int]
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{1,{LIMIT}}}", re.ASCII)
_URLSAFE = str.maketrans("-_", "+/")
# Name of a disguise -> its run, the width of a byte, and what lies between two.
_H = "[0-9a-fA-F]{2}"  # the literal may hold digits alone, and then both cases are one
_BYTES = {
    "hex": (re.compile(rf"(?:{_H}){{1,8192}}"), 2, 0),
    "hex-upper": (re.compile(rf"(?:{_H}){{1,8192}}"), 2, 0),
    "hex-spaced": (re.compile(rf"(?:{_H} ){{0,8192}}{_H}"), 3, 1),
    "hex-colons": (re.compile(rf"(?:{_H}:){{0,8192}}{_H}"), 3, 1),
    "hex-escaped": (re.compile(rf"(?:\\x{_H}){{1,8192}}"), 4, 0),
    "url-all": (re.compile(rf"(?:%{_H}){{1,8192}}"), 3, 0),
    "url-all-lower": (re.compile(rf"(?:%{_H}){{1,8192}}"), 3, 0),
    "utf-16-le": (re.compile(r"(?:[\x01-\x7f]\x00){1,8192}"), 2, 0),
    "utf-16-be": (re.compile(r"(?:\x00[\x01-\x7f]){1,8192}"), 2, 0),
}
_DIGITS = re.compile(r"[0-9a-fA-F]{2}")


def decoded(name: str, text: str, start: int, end: int) -> tuple[str, int, Ends] | None:
    """The decoded text whose literal stood at [start, end), its own start, and its ends.

    Bytes are given as the characters of the same number. None if it is no such run after all.
    """
    if name == "reversed":
        return text[max(0, end - LIMIT) : end][::-1], start, lambda size: end - size
    if name.startswith("base64"):
        return _of_base64(int(name[-1]), text, start)
    run, width, gap = _BYTES[name]
    match = run.match(text, start)
    if match is None:
        return None
    if name.startswith("utf-16"):
        plain = match[0].replace("\0", "")
    else:
        plain = bytes.fromhex("".join(_DIGITS.findall(match[0]))).decode("latin-1")
    return plain, start, lambda size: start + size * width - gap


def _of_base64(offset: int, text: str, start: int) -> tuple[str, int, Ends] | None:
    match = _BASE64.match(text, start)
    cut = (offset * 8 + 5) // 6  # characters before `start` in the groups of four
    partial = 1 if offset else 0  # of them, those that hold bits of the literal
    if match is None or start < partial:
        return None
    run = "A" * (cut - partial) + text[start - partial : start] + match[0]
    run = run.translate(_URLSAFE)
    run = run[: len(run) - 1] if len(run) % 4 == 1 else run
    try:
        raw = base64.b64decode(run + "=" * (-len(run) % 4), validate=True)
    except ValueError:
        return None

    def ends(size: int) -> int:
        end = start + min(-(-(offset + size) * 8 // 6), len(run)) - cut
        while text[end : end + 1] == "=":
            end += 1
        return end

    return raw[offset:].decode("latin-1"), start - partial, ends
