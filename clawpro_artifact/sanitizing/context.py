"""text around a word that announces a secret -> the span of the value, if it is a random one.

`password = ...`, `Authorization: Bearer ...`, `scheme://user:password@host`: where no issuer's
format tells a credential, the name in front of it and its randomness do (Shannon entropy over
characters, several classes of characters). Identifiers, digests, paths and code are no secrets.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from math import log2
from typing import Final

VERSION: Final = "clawpro.context.v1"
LEAST_ENTROPY: Final = 3.0  # bits for each character
_WORDS = (
    "password", "passwd", "passphrase", "secret", "token", "api_key", "api-key", "apikey",
    "access_key", "access-key", "accesskey", "credential", "private_key", "auth_key",
)  # fmt: skip
_NAMES: Final = {
    *(form(word) for word in _WORDS for form in (str.lower, str.upper, str.capitalize)),
    *("apiKey", "ApiKey", "accessKey", "AccessKey", "privateKey", "authKey"),
}
# Literal -> the kind of what it announces.
LITERALS: Final[dict[str, str]] = {
    **dict.fromkeys(sorted(_NAMES), "assigned-secret"),
    **dict.fromkeys(("Bearer ", "bearer "), "bearer-token"),
    **dict.fromkeys(("Basic ", "basic "), "basic-credentials"),
    "://": "url-password",
}
_ASSIGNED = re.compile(
    r"[\w-]{4,60}\\{0,3}[\"'`]?[ \t]{0,3}(?:=>|:=|==?|:)[ \t]{0,3}\\{0,3}[\"'`]?"
    r"(?P<value>[A-Za-z0-9+/=_.~!@#%^*?-]{16,256})(?=[\\\"'`\s,;)<&}\]]|$)",
    re.ASCII,
)
_BEARER = re.compile(r"[Bb]earer (?P<value>[A-Za-z0-9._~+/-]{16,2048}={0,2})", re.ASCII)
_BASIC = re.compile(r"[Bb]asic (?P<value>[A-Za-z0-9+/]{8,1024}={0,2})", re.ASCII)
_URL = re.compile(
    r"://[^\s/:@\"'<>\\]{0,64}:(?P<value>[^\s/@\"'<>\\\[\]{}$*]{3,128})@[A-Za-z0-9\[]", re.ASCII
)
# Kind -> a test that tells at once what is no such value.
QUICK: Final = {
    "assigned-secret": _ASSIGNED.match,
    "bearer-token": _BEARER.match,
    "basic-credentials": _BASIC.match,
    "url-password": _URL.match,
}
_LEFT = re.compile(r"[\w-]*\Z", re.ASCII)
# A name with one of these parts holds no secret: `token_count`, `secret_id`, `next_page_token`.
_HARMLESS = re.compile(
    r"(?:hash|sha\d|md5|digest|(?<![a-z])ids?(?![a-z])|uuid|count|limit|max|url|uri|path|file|name|"
    r"type|expir|refs?(?![a-z])|public|page|next|cursor|version|arn|field|label|kind)",
    re.I,
)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)
_HEX = re.compile(r"[0-9a-fA-F]+")
_CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+", re.ASCII)
_PARTS = re.compile(r"(?:[A-Za-z]+|[0-9]{1,4}|v[0-9]+)(?:[-_./+=][A-Za-z]+|[-_./+=][0-9]{1,4})*")
_START = ("/", "./", "../", "~", "%", "sha256", "sha384", "sha512", "md5", "www.")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_PLACEHOLDER = re.compile(
    r"(?:x{4,}|\*{3,}|\.{3}|example|changeme|placeholder|your[-_]|redacted|dummy|password$|^pass$)",
    re.I,
)


def value_span(kind: str, text: str, at: int) -> tuple[int, int] | None:
    """Start and end of the secret that the literal at `at` announces, or None."""
    if kind == "assigned-secret":
        match = _ASSIGNED.match(text, at)
        if match is None or not _is_secret(_name(text, at, match), match["value"]):
            return None
    elif kind == "bearer-token":
        match = _BEARER.match(text, at)
        if match is None or not is_random(match["value"]):
            return None
    elif kind == "basic-credentials":
        match = _BASIC.match(text, at)
        if match is None or not _is_basic(match["value"]):
            return None
    else:
        match = _URL.match(text, at)
        if match is None or _PLACEHOLDER.search(match["value"]):
            return None
    return match.span("value")


def _name(text: str, at: int, match: re.Match[str]) -> str:
    left = _LEFT.search(text[max(0, at - 40) : at])
    right = re.match(r"[\w-]+", match[0], re.ASCII)
    return (left[0] if left else "") + (right[0] if right else "")


def _is_secret(name: str, value: str) -> bool:
    if _HARMLESS.search(name):
        return False
    if _HEX.fullmatch(value):
        return len(value) >= 32 and entropy(value) >= LEAST_ENTROPY
    return is_random(value)


def is_random(value: str) -> bool:
    """True if no person or program would name a thing so."""
    if (
        value.startswith(_START)
        or "://" in value
        or _PLACEHOLDER.search(value)
        or _UUID.fullmatch(value)
        or _HEX.fullmatch(value)
        or _CODE.fullmatch(value)
        or _DATE.match(value)
        or _PARTS.fullmatch(value)
    ):
        return False
    classes = (str.islower, str.isupper, str.isdigit, lambda c: not c.isalnum())
    present = sum(any(map(is_of, value)) for is_of in classes)
    return present >= 3 and any(map(str.isdigit, value)) and entropy(value) >= LEAST_ENTROPY


def entropy(value: str) -> float:
    """Shannon entropy of the characters of `value`, bits for each character."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in Counter(value).values())


def _is_basic(value: str) -> bool:
    """RFC 7617: base64 of `user:password`."""
    try:
        pair = base64.b64decode(value, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    return pair.isprintable() and 0 < pair.find(":") < len(pair) - 1


# Personal data, only where a policy asks for it.
PERSONAL: Final[dict[str, re.Pattern[str]]] = {
    "mail": re.compile(
        r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+[A-Za-z]{2,24}(?![\w-])", re.A
    ),
    "phone": re.compile(
        r"(?<![\w.+-])\+[1-9][0-9]{0,2}(?:[ ./-]?\(?[0-9]{1,4}\)?){2,5}(?![\w-])", re.A
    ),
    "ip-address": re.compile(
        r"(?<![\w.])(?!127\.|0\.)(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}"
        r"(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(?![\w.])",
        re.A,
    ),
    "home-path": re.compile(r"(?:/home/|/Users/|[A-Z]:\\Users\\)(?P<value>[\w.-]+)", re.A),
    "street-address": re.compile(
        r"(?<!\w)[0-9]{1,5} (?:[A-Z][a-z]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive)(?!\w)|"
        r"(?<!\w)[A-ZÄÖÜ][\wäöüß-]{2,30}(?:straße|strasse|weg|gasse|platz) [0-9]{1,4}[a-z]?(?!\w)"
    ),
}
