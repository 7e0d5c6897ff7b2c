"""known secrets + shapes + words of context -> where they stand in a text, in one pass.

One automaton (Aho and Corasick, 1975) holds every form of every known secret, every form of every
literal with which a shape begins, and the words that announce a value. Texts are given as
characters of at most U+00FF: an ASCII text as it is, other text as its UTF-8 bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ahocorasick_rs import BytesAhoCorasick, Implementation

from clawpro_artifact.errors import SanitizeError
from clawpro_artifact.formats.disguises import LEAST, Disguise, disguises
from clawpro_artifact.sanitizing import context, hidden
from clawpro_artifact.sanitizing.shapes import SHAPES

WINDOW = 1 << 20
_LEAST_LITERAL = 3  # encoded literals of shapes are confirmed by decoding
_ENCODINGS_OF_SHAPES = (
    "plain", "hex", "hex-upper", "hex-spaced", "hex-colons", "hex-escaped", "url-all",
    "url-all-lower", "reversed", "utf-16-le", "utf-16-be",
    *(f"{name}-{offset}" for name in ("base64", "base64url") for offset in range(3)),
)  # fmt: skip
# Tools break what they encode into lines; JSON inside JSON shows the break as backslash-n.
_BY_CONTEXT = frozenset(context.LITERALS.values())
_GOES_ON = r"(?=[A-Za-z0-9+/_-]{16}|[A-Za-z0-9+/_-]{1,15}={0,2}(?![A-Za-z0-9+/_=. -]))"
_BREAK = re.compile(rf"\n{_GOES_ON}")
_BREAK_IN_JSON = re.compile(rf"(?:\\r)?\\n{_GOES_ON}")
# 16 characters of base64 or hex hold a digit or both cases, but for one in a million; most
# identifiers at the end of a line do not.
_BEFORE_BREAK = re.compile(
    r"(?=[A-Za-z+/_-]*[0-9]|[a-z+/_-]+[A-Z]|[A-Z+/_-]+[a-z])[A-Za-z0-9+/_-]{16}"
)
# A streamed answer: one text in the deltas of many JSON objects, these in a JSON text or not.
_NAME = "(?:content|text|delta|arguments|partial_json|output|reasoning)"
_DELTA = re.compile(
    rf"\"{_NAME}\"\s*:\s*\"(?P<outer>(?:[^\"\\]|\\.)*)\"|"
    rf"\\+\"{_NAME}\\+\"\s*:\s*\\+\"(?P<inner>(?:[^\"\\]|\\[^\"])*)\\+\""
)


@dataclass(frozen=True)
class Secret:
    """An exact value: a canary of the scenario (`canary`) or a credential (`rule`)."""

    value: str
    rule: str
    canary: str | None = None


@dataclass(frozen=True)
class Match:
    """A secret at [start, end); `encoding` is a word of `formats.disguises` or "split".

    `rest`: a further part of the secret before it, which alone gets the marker.
    """

    start: int
    end: int
    rule: str
    canary: str | None
    encoding: str
    rest: bool = False


@dataclass(frozen=True)
class _Needle:
    """What a word of the automaton may be: a form of a secret, of a literal, or a context."""

    kind: str
    name: str
    form: Disguise
    secret: Secret | None = None
    short: bool = False


class _Words:
    """One automaton, and by its words what they may be."""

    def __init__(self, words: Mapping[str, Sequence[_Needle]]) -> None:
        self.automaton = BytesAhoCorasick(
            [word.encode("latin-1") for word in words], implementation=Implementation.ContiguousNFA
        )
        self.needles = list(words.values())
        # Most words of context announce nothing: told here by one call.
        self.quick = [
            context.QUICK[n[0].kind] if all(m.name == "context" for m in n) else None
            for n in self.needles
        ]


class Finder:
    """Finds; knows nothing of places and markers. Made once for each trial."""

    def __init__(
        self, secrets: Iterable[Secret], personal: Iterable[str] = (), only_known: bool = False
    ) -> None:
        words: dict[str, list[_Needle]] = {}

        def add(needle: _Needle) -> None:
            words.setdefault(needle.form.data.decode("latin-1"), []).append(needle)

        for secret in secrets:
            raw = secret.value.encode("utf-8", "surrogatepass")
            if len(raw) < 4:
                raise SanitizeError(
                    "a secret is too short to be told from other text",
                    expected="at least 4 bytes",
                    found=f"a value of {len(raw)} bytes (rule {secret.rule})",
                    do="use a longer credential for the run",
                )
            short = len(raw) < LEAST
            for name, form in disguises(raw, min(LEAST, len(raw))).items():
                add(_Needle("known", name, form, secret, short and len(form.data) < LEAST))
        for kind, (literals, _) in () if only_known else SHAPES.items():
            for literal in literals:
                forms = disguises(literal.encode(), _LEAST_LITERAL)
                for name in _ENCODINGS_OF_SHAPES:
                    if name in forms:
                        add(_Needle(kind, name, forms[name]))
        for literal, kind in () if only_known else context.LITERALS.items():
            add(_Needle(kind, "context", Disguise("plain", literal.encode())))
        self._words = _Words(words)
        # What is put together from pieces has no context.
        firm = {w: [n for n in needles if n.name != "context"] for w, needles in words.items()}
        self._firm = _Words({word: needles for word, needles in firm.items() if needles})
        self._longest = max(map(len, words), default=0)
        self.reach = 4 * self._longest
        self._personal = {f"personal-{kind}": context.PERSONAL[kind] for kind in personal}

    def find(self, text: str) -> list[Match]:
        """Matches that do not overlap, by place; what overlaps is one match of the longest."""
        found = list(self._scan(text, self._words))
        for rule, pattern in self._personal.items():
            for match in pattern.finditer(text):
                start, end = match.span("value" if "value" in pattern.groupindex else 0)
                found.append(Match(start, end, rule, None, "plain"))
        found += self._broken(text)
        if '"delta' in text or "data: {" in text or "data:{" in text:
            found += self._streamed(text)
        return _merged(found)

    def find_split(self, texts: Sequence[str]) -> list[tuple[int, Match]]:
        """Secrets that begin in one text and end in a later one: (index, part of the match)."""
        pieces = [(i, start, end) for i, t in enumerate(texts) for start, end in self._ends(t)]
        joined = _Joined([texts[i][start:end] for i, start, end in pieces])
        return [
            (pieces[n][0], _part(match, pieces[n][1] + a, pieces[n][1] + b, rest))
            for match in self._scan(joined.text, self._firm)
            if (parts := joined.parts(match)) and pieces[parts[0][0]][0] != pieces[parts[-1][0]][0]
            for rest, (n, a, b) in enumerate(parts)
        ]

    def _ends(self, text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
        """What of a text is near its ends: only there a secret can be cut."""
        end = len(text) if end is None else end
        reach = self.reach
        if end - start <= 2 * reach:
            return [(start, end)]
        return [(start, start + reach), (end - reach, end)]

    def _scan(self, text: str, words: _Words) -> Iterator[Match]:
        for base in range(0, len(text), WINDOW):
            first = max(0, base - self._longest)
            window = text[first : base + WINDOW].encode("latin-1")
            for word, at, to in words.automaton.find_matches_as_indexes(window, overlapping=True):
                start = first + at
                quick = words.quick[word]
                if quick is not None and quick(text, start) is None:
                    continue
                for needle in words.needles[word]:
                    match = self._confirm(needle, text, start, first + to)
                    if match is not None:
                        yield match

    def _confirm(self, needle: _Needle, text: str, start: int, end: int) -> Match | None:
        if needle.secret is not None:
            return _exact(needle, needle.secret, text, start, end)
        if needle.name == "context":
            span = context.value_span(needle.kind, text, start)
            return span and Match(*span, needle.kind, None, "plain")
        pattern = SHAPES[needle.kind][1]
        if needle.name == "plain":
            match = pattern.match(text, start)
            return match and Match(start, match.end(), needle.kind, None, "plain")
        seen = hidden.decoded(needle.name, text, start, end)
        if seen is None or (match := pattern.match(seen[0])) is None:
            return None
        stop = seen[2](match.end())
        # Read backwards, the match ends where the text has its start.
        first, stop = (stop, end) if needle.name == "reversed" else (seen[1], stop)
        return Match(first, stop, needle.kind, None, needle.form.encoding)

    def _broken(self, text: str) -> Iterator[Match]:
        """Secrets with line breaks inside, as tools put them into what they encode."""
        cuts = [cut for m in _BREAK.finditer(text) if (cut := _cut(text, *m.span()))]
        if "\\n" in text:
            cuts += [cut for m in _BREAK_IN_JSON.finditer(text) if (cut := _cut(text, *m.span()))]
            cuts.sort()
        if not cuts:
            return
        bounds = zip(
            [0, *(end for _, end in cuts)], [*(s for s, _ in cuts), len(text)], strict=True
        )
        pieces = [piece for start, end in bounds for piece in self._ends(text, start, end)]
        joined = _Joined([text[start:end] for start, end in pieces])
        for match in self._scan(joined.text, self._firm):
            parts = joined.parts(match)
            if len(parts) > 1:
                (first, start, _), (last, _, end) = parts[0], parts[-1]
                yield _part(match, pieces[first][0] + start, pieces[last][0] + end, 0, False)

    def _streamed(self, text: str) -> Iterator[Match]:
        """Secrets whose parts stand in the deltas of a streamed answer."""
        spans = (m.span(m.lastgroup or 0) for m in _DELTA.finditer(text))
        pieces = [piece for span in spans for piece in self._ends(text, *span)]
        joined = _Joined([text[start:end] for start, end in pieces])
        for match in self._scan(joined.text, self._firm):
            parts = joined.parts(match)
            if len(parts) > 1:
                for rest, (n, start, end) in enumerate(parts):
                    yield _part(match, pieces[n][0] + start, pieces[n][0] + end, rest)


class _Joined:
    """Pieces one after another, and which part of which piece a match is."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self.text = "".join(pieces)
        self._starts = [0, *accumulate(map(len, pieces))]

    def parts(self, match: Match) -> list[tuple[int, int, int]]:
        """(piece, start, end) of each part that is not empty."""
        starts = self._starts
        first, last = (bisect_right(starts, at) - 1 for at in (match.start, match.end - 1))
        found = [
            (n, max(match.start - starts[n], 0), min(match.end, starts[n + 1]) - starts[n])
            for n in range(first, last + 1)
        ]
        return [part for part in found if part[1] < part[2]]


def _cut(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The line break, if what is before it may be encoded."""
    if text[start - 1 : start] == "\r":
        start -= 1
    if start < 16 or _BEFORE_BREAK.match(text, start - 16, start) is None:
        return None
    return start, end


def _part(match: Match, start: int, end: int, rest: int, split: bool = True) -> Match:
    encoding = "split" if split else match.encoding
    return Match(start, end, match.rule, match.canary, encoding, rest > 0)


def _exact(needle: _Needle, secret: Secret, text: str, start: int, end: int) -> Match | None:
    form = needle.form
    if needle.short and (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
        return None
    if form.encoding.startswith("base64"):
        start = max(0, start - form.before)
        if text[end : end + 1].isalnum() or text[end : end + 1] in ("+", "/", "-", "_"):
            end += form.after
        while text[end : end + 1] == "=":
            end += 1
    return Match(start, end, secret.rule, secret.canary, form.encoding)


def _merged(found: list[Match]) -> list[Match]:
    """Sorted; overlaps become one, called after a canary before all others, then the longest.

    What only its context told to be a secret gives way to anything firm that it overlaps.
    """
    firm = sorted((m.start, m.end) for m in found if m.rule not in _BY_CONTEXT)
    starts = [start for start, _ in firm]
    reach = list(accumulate((end for _, end in firm), max))

    def is_loose(m: Match) -> bool:
        before = bisect_left(starts, m.end)
        return m.rule in _BY_CONTEXT and before > 0 and reach[before - 1] > m.start

    found = [m for m in found if not is_loose(m)]
    kept: list[Match] = []
    for match in sorted(found, key=lambda m: (m.start, -m.end, m.canary is None, m.rule)):
        last = kept[-1] if kept else None
        if last is None or match.start >= last.end:
            kept.append(match)
        elif match.end > last.end or (match.canary is not None and last.canary is None):
            best = max(last, match, key=lambda m: (m.canary is not None, m.end - m.start))
            kept[-1] = Match(
                last.start, max(last.end, match.end), best.rule, best.canary, best.encoding,
                last.rest and match.rest,
            )  # fmt: skip
    return kept
