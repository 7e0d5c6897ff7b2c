"""JSON bytes <-> the script element of a page that carries them, exactly."""

from __future__ import annotations

from clawpro_artifact.errors import InputError

_START = b'<script type="application/json" id="report">'
_END = b"</script>"


def embed(data: bytes) -> bytes:
    """The element. `<` is written as \\u003c, so that no text in it ends the element.

    `data` is JSON, where `<` occurs in strings only and its own escape is the same character.
    """
    return _START + data.replace(b"<", b"\\u003c") + _END


def extract(page: bytes, where: str) -> bytes:
    """What was embedded; InputError unless there is exactly one such element.

    Canonical JSON never holds \\u003c of its own, so that the way back is unique.
    """
    before, start, rest = page.partition(_START)
    data, end, after = rest.partition(_END)
    if not start or not end or _START in after or b'id="report"' in before + after:
        raise InputError(
            "the page does not carry its report",
            where=where,
            expected=f"one element {_START.decode()}",
            found="none" if not start else "more than one",
        )
    return data.replace(b"\\u003c", b"<")
