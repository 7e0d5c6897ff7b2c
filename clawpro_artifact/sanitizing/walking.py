"""JSON values -> the same, clean; texts that follow each other are looked at together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from clawpro_artifact.sanitizing.redactor import Redactor

# Where texts of a stream stand, one after another.
_SERIES = ("text", "content", "delta", "arguments", "data", "output")


def walk(value: Any, place: str, redactor: Redactor) -> Any:
    """The value with every text and key clean."""
    if isinstance(value, str):
        return redactor.text(value, place)
    if isinstance(value, dict):
        return {redactor.text(k, place): walk(v, place, redactor) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [walk(v, place, redactor) for v in _joined(value, place, redactor)]
    return value


def _joined(items: Sequence[Any], place: str, redactor: Redactor) -> list[Any]:
    """Items whose texts follow each other, without what was split over several of them."""
    done = list(items)
    whole = [i for i, v in enumerate(done) if isinstance(v, str)]
    if len(whole) > 1:
        texts = redactor.texts([done[i] for i in whole], place)
        for i, text in zip(whole, texts, strict=True):
            done[i] = text
    for key in _SERIES:
        where = [i for i, v in enumerate(done) if isinstance(v, dict) and type(v.get(key)) is str]
        if len(where) > 1:
            texts = redactor.texts([done[i][key] for i in where], place)
            for i, text in zip(where, texts, strict=True):
                if text is not done[i][key]:
                    done[i] = done[i] | {key: text}
    return done


def strings(value: Any) -> Iterator[str]:
    """Every text and key of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
