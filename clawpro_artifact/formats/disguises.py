"""a secret text -> the bytes under which it may stand in a document: plain and encoded."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

_LEAST = 8  # a form of fewer bytes would be found by chance


def forms(value: str) -> dict[str, bytes]:
    """Encoding -> bytes to look for; base64 at each of its three alignments, both alphabets.

    Forms of fewer than 8 bytes, and forms equal to the plain one, are left out.
    """
    raw = value.encode()
    found = {
        "plain": raw,
        "json": json.dumps(value)[1:-1].encode(),
        "hex": raw.hex().encode(),
        "hex-upper": raw.hex().upper().encode(),
        "url": quote(value, safe="").encode(),
        "url-all": "".join(f"%{byte:02X}" for byte in raw).encode(),
        "reversed": value[::-1].encode(),
    }
    for offset in range(3):
        # The characters that depend on the neighbours are cut off at both ends.
        start = (offset * 8 + 5) // 6
        end = (offset + len(raw)) * 8 // 6
        for name, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            found[f"{name}-{offset}"] = encode(bytes(offset) + raw)[start:end]
    kept: dict[str, bytes] = {}
    for name, form in found.items():
        if len(form) >= _LEAST and form not in kept.values():
            kept[name] = form
    return kept
