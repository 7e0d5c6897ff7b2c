"""Large payloads: the head in the event, the whole by digest, no secret on the cut."""

from __future__ import annotations

import hashlib

from clawpro_artifact.formats.portable import INLINE
from clawpro_artifact.model.trace import Event
from clawpro_artifact.tracing.payloads import spilled
from tests.unit.test_sanitizing import SECRET, clean, trial


def event(text):
    data = {"call": "1", "tool": "exec", "status": "ok", "text": text}
    return Event(seq=0, kind="tool_result", witness="boundary", data=data)


def kept():
    store = {}

    def keep(data):
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        store[digest] = data
        return digest

    return store, keep


def test_a_text_at_the_cap_stays_in_its_event():
    store, keep = kept()
    (done,) = spilled([event("x" * INLINE)], keep)
    assert (done.blob, store) == (None, {})


def test_a_larger_text_is_kept_whole_and_its_event_says_how_much_is_cut():
    store, keep = kept()
    text = "é" * (INLINE + 5)
    (done,) = spilled([event(text)], keep)
    assert done.data["text"] == "é" * INLINE + "[[cut:5 more characters]]"
    assert (done.blob.size, done.blob.kept) == (2 * (INLINE + 5), 2 * (INLINE + 5))
    assert store[done.blob.digest] == text.encode()


def test_a_secret_on_the_cut_is_gone_from_head_and_store():
    store, keep = kept()
    text = "x " * (INLINE // 2 - 6) + SECRET + " y" * 50
    (raw,) = spilled([event(text)], keep)
    assert SECRET[:8] in raw.data["text"]
    assert SECRET not in raw.data["text"]
    blobs = dict(store)
    done, shipped = clean(trial("nothing", blobs, events=(raw,)), blobs)
    (told,) = done.events
    assert SECRET[:8] not in told.data["text"]
    assert b"[[canary:db]]" in shipped[told.blob.digest]
    assert SECRET.encode() not in b"".join(shipped.values())
    assert told.blob.size == len(shipped[told.blob.digest])
