"""Readers of OpenClaw sessions: a defect is located by line and byte, nothing is skipped."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical
from clawpro_artifact.formats.transcripts import branch, read_jsonl
from clawpro_artifact.formats.transcriptstores import read, read_sqlite, unpack
from tests import fuzz

HEAD = b'{"type":"session","version":3,"id":"s"}\n'  # 40 bytes


def entry(name, parent=None, **more):
    return json.dumps({"type": "message", "id": name, "parentId": parent, **more}).encode()


def places(found):
    return [(d.kind, d.line, d.byte, d.size) for d in found.defects]


@pytest.mark.parametrize(
    ("data", "expected", "entries"),
    [
        (HEAD + b'{"id":"a"}\n', [], 2),
        (b"\xef\xbb\xbf" + HEAD, [("bom", 1, 0, 3)], 1),
        (HEAD[:-1] + b"\r\n", [("crlf", 1, 39, 1)], 1),
        (HEAD + b'{"type":"mess', [("torn-last-line", 2, 40, 13)], 1),
        (HEAD + b'{"type":"mess\n{"id":"b"}\n', [("no-json", 2, 40, 13)], 2),
        (HEAD + b'{"id":"a"}{"id":"b"}\n', [("spliced", 2, 50, 0)], 3),
        (HEAD + b'{"id":"a","x":{"type":"message","id":"b"}\n',
         [("torn-record", 2, 40, 14)], 2),
        (HEAD + b"\0\0\0\0\n", [("nul-run", 2, 40, 4)], 1),
        (HEAD + b'{"id":"a"}\0\0{"id":"b"}\n', [("nul-run", 2, 50, 2)], 3),
        (HEAD + b'{"t":"\xff\xfe"}\n', [("not-utf8", 2, 46, 2)], 2),
        (HEAD + b'{"t":"\\ud800"}\n', [("not-portable", 2, 40, 14)], 2),
        (HEAD + b'{"t":1e400}\n', [("not-portable", 2, 40, 11)], 2),
        (HEAD + b"[1]\n", [("no-object", 2, 40, 3)], 2),
        (HEAD + b"\n", [("blank-line", 2, 40, 0)], 1),
        (b'{"id":"a"}\n', [("no-header", 1, 0, 0)], 1),
        (b'{"type":"session","version":4}\n', [("other-version", 1, 0, 0)], 1),
        (HEAD + entry("a", "gone") + b"\n", [("missing-parent", 2, 0, 0)], 2),
        (HEAD + entry("a") + b"\n" + entry("a") + b"\n", [("duplicate-id", 3, 0, 0)], 3),
        (HEAD + entry("a", "b") + b"\n" + entry("b", "a") + b"\n", [("parent-cycle", 2, 0, 0)], 3),
        (b"", [], 0),
    ],
)  # fmt: skip
def test_a_defect_is_located_by_line_and_byte(data, expected, entries):
    found = read_jsonl(data, "s")
    assert places(found) == expected
    assert len(found.entries) == entries


def test_a_text_of_utf_8_before_a_defect_does_not_shift_its_place():
    data = HEAD + '{"t":"äö€"} {"x"\n'.encode()
    assert places(read_jsonl(data, "s")) == [("no-json", 2, 40 + len('{"t":"äö€"} '.encode()), 4)]


def test_what_is_nested_as_deep_as_nobody_reads_is_located_and_kept_out():
    data = HEAD + b"[" * 200_000 + b"]" * 200_000 + b"\n" + b'{"id":"a"}\n'
    found = read_jsonl(data, "s")
    assert [d.kind for d in found.defects] == ["too-deep"]
    assert found.defects[0].size == 400_000
    assert len(found.entries) == 2


def test_the_active_branch_leads_from_the_last_entry_to_the_root():
    lines = [entry("a"), entry("b", "a"), entry("c", "a"), entry("d", "c")]
    found = read_jsonl(HEAD + b"\n".join(lines) + b"\n", "s")
    assert [e.value["id"] for e in branch(found.entries)] == ["s", "a", "c", "d"]


def store(schema, rows):
    db = sqlite3.connect(":memory:")
    packed = ", event_zstd BLOB" if schema >= 23 else ""
    db.execute(f"CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, "
               f"event_json TEXT{packed})")  # fmt: skip
    db.execute(f"PRAGMA user_version = {schema}")
    marks = "?, ?, ?, ?" if schema >= 23 else "?, ?, ?"
    db.executemany(f"INSERT INTO transcript_events VALUES ({marks})", rows)
    db.commit()
    return db


@pytest.mark.parametrize("schema", [19, 21, 23])
def test_a_store_of_each_schema_is_read_whole(schema):
    rows = [("s", 1, '{"id":"a"}'), ("s", 2, '{"id":"b"}'), ("t", 1, '{"id":"a"}')]
    if schema == 23:
        packed = zstandard.compress(b'{"id":"b"}')
        rows = [(*rows[0], None), ("s", 2, None, packed), (*rows[2], None)]
    with closing(store(schema, rows)) as db:
        found = read_sqlite(db)
    assert [(e.session, e.line, e.value["id"]) for e in found.entries] == [
        ("s", 1, "a"), ("s", 2, "b"), ("t", 1, "a")]  # fmt: skip
    assert found.defects == ()


def test_two_zstd_frames_are_one_payload():
    packed = zstandard.compress(b'{"id":') + zstandard.compress(b'"a"}')
    with closing(store(23, [("s", 1, None, packed)])) as db:
        assert [e.value for e in read_sqlite(db).entries] == [{"id": "a"}]


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (("s", 1, None, None), "no-payload"),
        (("s", 1, None, zstandard.compress(b'{"id":"a"}')[:-3]), "damaged-payload"),
        (("s", 1, None, b"\x28\xb5\x2f\xfdxx"), "damaged-payload"),
        (("s", 1, "{", None), "no-json"),
        (("s", 1, b'{"t":"\xff"}', None), "not-utf8"),
        (("s", 1, '{"id":"a"}', zstandard.compress(b"{}")), "two-payloads"),
    ],
)
def test_a_damaged_row_is_a_defect_and_the_next_row_is_read(row, kind):
    with closing(store(23, [row, ("s", 2, '{"id":"z"}', None)])) as db:
        found = read_sqlite(db)
    assert [(d.kind, d.line) for d in found.defects] == [(kind, 1)]
    assert found.entries[-1].value == {"id": "z"}


def test_a_gap_in_the_sequence_and_an_unknown_schema_are_said():
    with closing(store(25, [("s", 1, "{}", None), ("s", 4, "{}", None)])) as db:
        assert [d.kind for d in read_sqlite(db).defects] == ["other-schema", "sequence-gap"]


@pytest.mark.parametrize("pack", [zstandard.compress, gzip.compress, bytes])
def test_an_archive_is_read_like_what_is_in_it(pack):
    data = HEAD + b'{"id":"a"}\n'
    assert read(pack(data), "s") == read_jsonl(data, "s")
    with closing(store(21, [("s", 1, '{"id":"a"}')])) as db:
        assert len(read(pack(db.serialize()), "s").entries) == 1


def test_a_bomb_is_refused_before_it_unpacks():
    with pytest.raises(InputError, match="too large"):
        unpack(zstandard.compress(bytes(50 << 20)), 1 << 20)
    with pytest.raises(InputError, match="too large"):
        unpack(gzip.compress(bytes(50 << 20)), 1 << 20)


def test_what_is_no_store_is_refused_in_words():
    with pytest.raises(InputError, match=r"cannot be read|no transcripts"):
        read(b"SQLite format 3\0" + b"\xff" * 200, "s")


@given(st.binary(max_size=400))
def test_no_bytes_crash_the_reader_and_every_byte_is_accounted_for(data):
    fuzz.jsonl(data)


@given(fuzz.SESSIONS)
def test_no_damaged_session_crashes_the_reader_or_loses_a_byte(data):
    fuzz.jsonl(data)


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader_of_archives_and_stores(data):
    fuzz.archive(data)


@given(fuzz.STORES)
def test_no_damaged_store_crashes_the_reader(data):
    fuzz.store(data)


def test_every_entry_has_canonical_bytes():
    found = read_jsonl(HEAD + b'{"a":1e300,"b":"\\udfff"}\n', "s")
    for e in found.entries:
        canonical.encode(e.value)
