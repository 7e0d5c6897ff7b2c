"""events -> the same, their large texts in a content store: the head stays, the whole by digest.

The cap is INLINE characters in an event; what is kept by digest is whole (the boundary takes at
most 64 MiB of a request). Sanitizing cleans the whole and cuts its head anew, so that no secret can
hide on the cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from clawpro_artifact.formats.portable import INLINE, cut
from clawpro_artifact.model.trace import Blob, Event


def spilled(events: Iterable[Event], keep: Callable[[bytes], str]) -> tuple[Event, ...]:
    """`keep` stores bytes and returns their digest."""
    done = []
    for event in events:
        text = event.data.get("text")
        if isinstance(text, str) and len(text) > INLINE:
            data = text.encode("utf-8")
            blob = Blob(digest=keep(data), size=len(data), kept=len(data))
            head = event.data | {"text": cut(text, INLINE)}
            event = event.model_copy(update={"data": head, "blob": blob})
        done.append(event)
    return tuple(done)
