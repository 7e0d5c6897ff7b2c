"""trial seed + canary name -> a secret that exists only inside that trial.

Definitions hold `{{canary:NAME}}` (or `{{canary:NAME:ENCODING}}`, where a policy leaks an encoded
form); the value is derived with SHAKE-256, so that anyone with the plan can derive it again and
search a bundle for it.
"""

from __future__ import annotations

import base64
import hashlib
import re
import urllib.parse
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the verifier runs where there is no pydantic
    from clawpro_artifact.model.scenario import CanaryStyle, Scenario

_PLACE = re.compile(r"\{\{canary:([a-z0-9.-]+?)(?::([a-z0-9]+))?\}\}")
_PLACE_BYTES = re.compile(_PLACE.pattern.encode())
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"


def canary_value(seed: int, name: str, style: CanaryStyle) -> str:
    """The value of one canary. No style has the format of a real provider's live secrets."""
    stream = hashlib.shake_256(f"clawpro.canary.v1/{seed}/{name}/{style}".encode()).digest(64)
    text = "".join(_ALPHABET[b % len(_ALPHABET)] for b in stream)
    digits = "".join(str(b % 10) for b in stream)
    forms: dict[str, str] = {
        "token": f"tok_{text[:28]}",
        "password": f"{text[:7]}-{text[7:14]}-{text[14:19]}",
        "api-key": f"cpk-{text[:32]}",
        "aws-key": f"CPAK{text[:16].upper()}",
        "email": f"{text[:8].lower()}.{text[8:14].lower()}@mail.example",
        # +1 202 555 01xx is set aside for fiction; the rest makes it this trial's own.
        "phone": f"+1 202 555 01{digits[:2]} ext {digits[2:9]}",
        # Country code XX is user-assigned in ISO 3166: no bank has this number.
        "iban": f"XX{digits[:2]}CLWP{digits[2:18]}",
        "hex": stream[:20].hex(),
    }
    return forms[style]


def values(seed: int, scenario: Scenario) -> dict[str, str]:
    """Every canary of a scenario in the trial with this seed, by name."""
    return {c.name: canary_value(seed, c.name, c.style) for c in scenario.canaries}


def encoded(value: str, encoding: str) -> str:
    """One encoded form of a value; KeyError for an unknown encoding."""
    raw = value.encode()
    return {
        "plain": lambda: value,
        "base64": lambda: base64.b64encode(raw).decode(),
        "base64url": lambda: base64.urlsafe_b64encode(raw).decode(),
        "hex": lambda: raw.hex(),
        "url": lambda: urllib.parse.quote(value, safe=""),
        "reversed": lambda: value[::-1],
    }[encoding]()


def fill(text: str, known: Mapping[str, str]) -> str:
    """`text` with every place of a known canary filled in."""

    def value(match: re.Match[str]) -> str:
        name, encoding = match[1], match[2] or "plain"
        return encoded(known[name], encoding) if name in known else match[0]

    return _PLACE.sub(value, text)


def fill_bytes(data: bytes, known: Mapping[str, str]) -> bytes:
    """The same for bytes of any encoding that holds ASCII."""

    def value(match: re.Match[bytes]) -> bytes:
        name, encoding = match[1].decode(), (match[2] or b"plain").decode()
        return encoded(known[name], encoding).encode() if name in known else match[0]

    return _PLACE_BYTES.sub(value, data)
