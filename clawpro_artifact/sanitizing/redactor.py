"""known secrets + patterns -> a function over texts and bytes that leaves stable markers.

`[[canary:NAME]]` or `[[canary:NAME:ENCODING]]` for what a scenario planted, `[[redacted:RULE]]` for
everything else. A marker holds nothing of what it replaced, so redacting twice changes nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from clawpro_artifact.formats import disguises, secretpatterns

# Tools wrap what they encode; JSON text inside JSON text shows the break as backslash-n.
_BREAK = rb"(?:\\n|\r?\n)?"
_WRAPPED = ("base64", "hex")
_PEM = (
    rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----"
    rb"(?:.{0,16384}?-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----)?"
)


@dataclass(frozen=True)
class Secret:
    """An exact value: a canary of the scenario (`canary`) or a credential (`rule`)."""

    value: str
    rule: str
    canary: str | None = None


@dataclass
class Hit:
    """One kind of replacement at one place."""

    rule: str
    canary: str | None
    encoding: str
    place: str
    count: int
    commitment: str


@dataclass
class Redactor:
    """Replaces; remembers where and how often. `salt_key` makes the commitments unguessable."""

    secrets: tuple[Secret, ...]
    salt_key: bytes
    trial: str
    hits: dict[tuple[str, str, str], Hit] = field(default_factory=dict)
    _exact: re.Pattern[bytes] | None = None
    _names: Mapping[str, tuple[Secret, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names: dict[str, tuple[Secret, str]] = {}
        parts: list[tuple[int, bytes]] = []
        for secret in self.secrets:
            for encoding, form in disguises.forms(secret.value).items():
                name = f"g{len(names)}"
                names[name] = (secret, encoding.rstrip("-012"))
                parts.append((len(form), b"(?P<%s>%s)" % (name.encode(), _pattern(encoding, form))))
        parts.sort(key=lambda part: -part[0])
        self._names = names
        if parts:
            self._exact = re.compile(b"|".join(p for _, p in parts))
        kinds = {**secretpatterns.PATTERNS, "private-key": _PEM}
        self._patterns = {k: re.compile(p, re.DOTALL) for k, p in kinds.items()}

    def data(self, data: bytes, place: str) -> bytes:
        """`data` with every secret replaced by its marker."""
        if self._exact is not None:
            data = self._exact.sub(lambda m: self._known(m, place), data)
        for kind in secretpatterns.kinds(data):
            data = self._patterns[kind].sub(partial(self._unknown, kind, place), data)
        return data

    def text(self, text: str, place: str) -> str:
        """The same for text; lone surrogates survive."""
        raw = text.encode("utf-8", "surrogatepass")
        clean = self.data(raw, place)
        return text if clean == raw else clean.decode("utf-8", "surrogatepass")

    def left(self, data: bytes) -> str | None:
        """What is still in `data`, if anything; never the value."""
        if self._exact is not None and (match := self._exact.search(data)):
            return self._names[str(match.lastgroup)][0].rule
        return next(iter(secretpatterns.kinds(data)), None)

    def _known(self, match: re.Match[bytes], place: str) -> bytes:
        secret, encoding = self._names[str(match.lastgroup)]
        self._note(secret.rule, secret.canary, encoding, place, match[0])
        if secret.canary is None:
            return f"[[redacted:{secret.rule}]]".encode()
        tail = "" if encoding in ("plain", "json") else f":{encoding}"
        return f"[[canary:{secret.canary}{tail}]]".encode()

    def _unknown(self, kind: str, place: str, match: re.Match[bytes]) -> bytes:
        self._note(kind, None, "plain", place, match[0])
        return f"[[redacted:{kind}]]".encode()

    def _note(self, rule: str, canary: str | None, encoding: str, place: str, value: bytes) -> None:
        key = (rule, encoding, place)
        hit = self.hits.get(key)
        if hit is not None:
            hit.count += 1
            return
        salt = hmac.digest(self.salt_key, f"{self.trial}\0{place}\0{rule}".encode(), "sha256")
        commitment = "sha256:" + hashlib.sha256(b"\0" + salt + value).hexdigest()
        self.hits[key] = Hit(rule, canary, encoding, place, 1, commitment)


def _pattern(encoding: str, form: bytes) -> bytes:
    if not encoding.startswith(_WRAPPED):
        return re.escape(form)
    body = _BREAK.join(re.escape(bytes([b])) for b in form)
    if encoding.startswith("base64"):
        # The characters at both ends hold bits of the neighbours and of the secret.
        return rb"[A-Za-z0-9+/_-]{0,2}" + body + rb"[A-Za-z0-9+/_-]{0,2}={0,2}"
    return body
