"""The matrix: kinds x places x encodings of planted secrets, and texts that hold none."""

from __future__ import annotations

import hashlib
import json

import pytest

from clawpro_artifact.sanitizing import sanitize
from clawpro_artifact.sanitizing.redactor import Redactor, Secret
from tests import planted
from tests.unit.test_sanitizing import trial

SEED = 20261201


def cleaned(texts, canaries=None, secrets=()):
    """Place -> what ships of texts that stood in every place at once."""
    blobs, kept = {}, {}

    def write(data):
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        kept[digest] = data
        return digest

    raw = trial("\n".join(texts), blobs)
    done = sanitize(raw, canaries or {}, secrets, b"k" * 32, blobs.__getitem__, write)
    (file,) = [e for e in done.evidence.after.entries if e.kind == "file"]
    (link,) = [e for e in done.evidence.after.entries if e.kind == "symlink"]
    return {
        "answer": done.evidence.answer,
        "file": kept[file.digest].decode("utf-8", "replace"),
        "link": link.target,
        "arguments": json.dumps(done.events[0].data, ensure_ascii=False),
        "request": json.dumps(done.exchanges[0].request, ensure_ascii=False),
        "response": json.dumps(done.exchanges[0].response, ensure_ascii=False),
        "reason": done.attempts[0].reason,
        "environment": done.attempts[0].environment["A"],
        "store": json.dumps(done.evidence.stores, ensure_ascii=False),
    }


def test_the_matrix_has_at_least_400_cells_and_finds_every_one():
    rows = list(planted.planted(SEED))
    cells = 0
    where = []
    for start in range(0, len(rows), 60):
        part = rows[start : start + 60]
        for place, text in cleaned([text for *_, text in part]).items():
            for _, kind, encoding, value, _ in part:
                cells += 1
                if any(trace in text for trace in planted.traces_of(value)):
                    where.append((kind, encoding, place))
    assert where == []
    assert cells >= 400


@pytest.mark.parametrize("encoding", planted.ENCODINGS)
def test_a_value_that_the_run_used_is_gone_in_every_encoding(encoding):
    for kind, name, value, text in planted.exact(SEED):
        if name == encoding:
            redactor = Redactor((Secret(value, "credential"),), b"k" * 32, "t")
            done = redactor.text(text, "x")
            assert not [t for t in planted.traces_of(value) if t in done], kind
            assert "[[redacted:credential" in done, kind
            assert redactor.text(done, "x") == done


def test_redacting_twice_changes_nothing():
    redactor = Redactor((), b"k" * 32, "t")
    for *_, text in planted.planted(SEED + 1):
        once = redactor.text(text, "x")
        assert redactor.text(once, "x") == once


def test_of_2000_clean_texts_at_most_one_in_200_is_touched():
    redactor = Redactor((), b"k" * 32, "t")
    texts = planted.clean_texts(SEED, 2000)
    touched = [text for text in texts if redactor.text(text, "x") != text]
    assert len(touched) <= 10, touched[0]
