"""known secrets + shapes -> a function over texts and bytes that leaves stable markers.

`[[canary:NAME]]` or `[[canary:NAME:ENCODING]]` for what a scenario planted, `[[redacted:RULE]]` for
everything else. A marker holds nothing of what it replaced, so redacting twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from clawpro_artifact.formats.disguises import LEAST
from clawpro_artifact.sanitizing import containers, context
from clawpro_artifact.sanitizing.finder import Finder, Match, Secret
from clawpro_artifact.sanitizing.openings import Opening, opening

__all__ = ["Hit", "Redactor", "Secret"]

_VISIBLE = ("plain", "json")  # a marker of these says no encoding
_MARKER = re.compile(r"\[\[(?:canary|redacted):[^\]\n]{1,200}\]\]")
_BY_CONTEXT = frozenset(context.LITERALS.values())
_REMEMBERED = 256  # characters; shorter texts are scanned again


@dataclass
class Hit:
    """One value at one place: how often it was replaced, and what opens its commitment."""

    canary: str | None
    encoding: str
    opening: Opening
    count: int = 1


@dataclass
class Redactor:
    """Replaces; remembers where and how often. `salt_key` makes the commitments unguessable.

    Raises SanitizeError for a secret that is too short to look for.
    """

    secrets: tuple[Secret, ...]
    salt_key: bytes
    trial: str
    personal: tuple[str, ...] = ()
    only_known: bool = False
    hits: dict[tuple[str, str, str, bytes], Hit] = field(default_factory=dict)
    _seen: dict[str, list[Match]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._finder = Finder(self.secrets, self.personal, self.only_known)
        # A second look that shares no code with the first.
        self._values = [(_characters(s.value), s.rule) for s in self.secrets
                        if len(s.value) >= LEAST]  # fmt: skip

    def text(self, text: str, place: str) -> str:
        """`text` with every secret replaced by its marker; lone surrogates survive."""
        plain = _characters(text)
        matches = self._matches(plain)
        if not matches:
            return text
        clean = self._replaced(plain, matches, place)
        if len(clean) >= _REMEMBERED and not self._near(clean):
            self._seen[clean] = []
        return clean if text.isascii() else _text(clean)

    def _near(self, clean: str) -> bool:
        """Whether a secret is left around what was replaced; the rest was seen to hold none."""
        reach = self._finder.reach
        return any(
            self._finder.find(clean[max(0, m.start() - reach) : m.end() + reach])
            for m in _MARKER.finditer(clean)
        )

    def _matches(self, plain: str) -> list[Match]:
        """Requests repeat what was said before: a long text is scanned once."""
        if len(plain) < _REMEMBERED:
            return self._finder.find(plain)
        found = self._seen.get(plain)
        if found is None:
            found = self._seen[plain] = self._finder.find(plain)
        return found

    def texts(self, texts: Sequence[str], place: str) -> list[str]:
        """Texts that follow each other: what is split over several, then what stands in one."""
        plain = [_characters(text) for text in texts]
        parts: dict[int, list[Match]] = {}
        for index, match in self._finder.find_split(plain):
            parts.setdefault(index, []).append(match)
        done = list(texts)
        for index, matches in parts.items():
            matches.sort(key=lambda m: (m.start, -m.end))
            apart = [m for n, m in enumerate(matches) if not n or m.start >= matches[n - 1].end]
            clean = self._replaced(plain[index], apart, place)
            done[index] = clean if texts[index].isascii() else _text(clean)
        return [self.text(text, place) for text in done]

    def data(self, data: bytes, place: str, name: str = "") -> bytes:
        """The same for the content of a file, and for what is packed in it.

        `name`: path of the file, which tells git's objects. An archive that cannot be read whole is
        replaced whole: nobody can be sure of it.
        """
        return self._data(data, place, name, None, 0)

    def _data(self, data: bytes, place: str, name: str, how: str | None, depth: int) -> bytes:
        def clean(inner: bytes, its_name: str, packing: str | None) -> bytes:
            if packing == "raw":
                return self._bytes(inner, place, how)
            return self._data(inner, place, its_name, how or packing, depth + 1)

        done = containers.unpacked(data, name, clean, depth)
        if done == containers.SEALED and self.only_known:
            done = None
        return self._bytes(data, place, how) if done is None else done

    def _bytes(self, data: bytes, place: str, how: str | None) -> bytes:
        plain = data.decode("latin-1")
        matches = self._finder.find(plain)
        if not matches:
            return data
        return self._replaced(plain, matches, place, b"\0" in data, how).encode("latin-1")

    def left(self, data: bytes) -> str | None:
        """What is still in `data`, if anything: its rule, never the value."""
        return self.left_in(data.decode("latin-1"))

    def left_in(self, text: str) -> str | None:
        """The same for text. What only its context tells is no certainty and does not count."""
        plain = _characters(text)
        for value, rule in self._values:
            if value in plain:
                return rule
        for match in self._matches(plain):
            if match.rule not in _BY_CONTEXT:
                return match.rule
        return None

    def _replaced(
        self,
        text: str,
        matches: Iterable[Match],
        place: str,
        binary: bool = False,
        how: str | None = None,
    ) -> str:
        pieces: list[str] = []
        at = 0
        for match in matches:
            value = text[match.start : match.end]
            pieces.append(text[at : match.start])
            at = match.end
            if match.rest:
                continue
            encoding = how if how and match.encoding in _VISIBLE else match.encoding
            self._note(match, encoding, place, value.encode("latin-1"))
            pieces.append(_marker(match, match.encoding, len(value) if binary else 0))
        pieces.append(text[at:])
        return "".join(pieces)

    def _note(self, match: Match, encoding: str, place: str, value: bytes) -> None:
        key = (match.rule, encoding, place, value)
        hit = self.hits.get(key)
        if hit is None:
            made = opening(self.salt_key, self.trial, place, match.rule, encoding, value)
            self.hits[key] = Hit(match.canary, encoding, made)
        else:
            hit.count += 1


def _marker(match: Match, encoding: str, width: int) -> str:
    """The marker; in a binary file as long as what it replaces, so that offsets still hold."""
    if match.canary is None:
        marker = f"[[redacted:{match.rule}]]"
    else:
        tail = "" if encoding in _VISIBLE else f":{encoding}"
        marker = f"[[canary:{match.canary}{tail}]]"
    if encoding.startswith("utf-16"):
        marker = marker.encode(encoding).decode("latin-1")
    return marker.ljust(width)


def _characters(text: str) -> str:
    """Text for the finder: as it is if it is ASCII, else a character for each UTF-8 byte."""
    return text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("latin-1")


def _text(characters: str) -> str:
    return characters.encode("latin-1").decode("utf-8", "surrogatepass")
