"""What is packed is looked into: no secret stays, what is clean stays as it is, byte for byte."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import subprocess
import tarfile
import zipfile
import zlib
from contextlib import closing

import pytest
import zstandard

from clawpro_artifact.sanitizing import containers
from clawpro_artifact.sanitizing.containers import SEALED
from clawpro_artifact.sanitizing.redactor import Redactor, Secret

SECRET = "cpk-Zq83hsk2x9Wm4Lp0"
TEXT = f"user: bob\nkey: {SECRET}\nend\n".encode()
CLEAN = b"user: bob\nnothing to see\n" * 3


def redactor():
    return Redactor((Secret(SECRET, "canary-db", "db"),), b"k" * 32, "t")


def zipped(body):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("a/b.txt", body)
        z.writestr("c.txt", b"other")
    return out.getvalue()


def tarred(body, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as t:
        info = tarfile.TarInfo("a/b.txt")
        info.size = len(body)
        t.addfile(info, io.BytesIO(body))
    return out.getvalue()


def database(body):
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE notes (id INTEGER, text)")
        # Long enough for an overflow page, which cuts the value.
        db.execute("INSERT INTO notes VALUES (1, ?)", (b"." * 4070 + body + b"." * 9000,))
        db.commit()
        return db.serialize()


def pdf(body):
    packed = zlib.compress(body)
    return (b"%%PDF-1.4\n1 0 obj\n<</Filter /FlateDecode /Length %d>>\nstream\n" % len(packed)
            + packed + b"\nendstream\nendobj\n%EOF\n")  # fmt: skip


PACKED = {
    "zip": zipped,
    "tar": tarred,
    "tar.gz": lambda b: gzip.compress(tarred(b)),
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.compress,
    "zstd, two frames": lambda b: zstandard.compress(b[:20]) + zstandard.compress(b[20:]),
    "zip in zip": lambda b: zipped(zipped(b)),
    "sqlite": database,
    "pdf": pdf,
}


def inside(data):
    """Every text in the packed file, by means that share no code with ours."""
    found = [data]
    for read in (gzip.decompress, bz2.decompress, lzma.decompress,
                 lambda d: zstandard.ZstdDecompressor().stream_reader(
                     d, read_across_frames=True).read()):  # fmt: skip
        try:
            found += inside(read(data))
        except Exception:
            continue
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            for name in z.namelist():
                found += inside(z.read(name))
    if data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as t:
            found += [t.extractfile(m).read() for m in t if m.isreg()]
    return found


@pytest.mark.parametrize("kind", PACKED)
def test_a_secret_in_a_packed_file_is_gone(kind):
    data = PACKED[kind](TEXT)
    assert kind == "pdf" or kind == "sqlite" or any(SECRET.encode() in t for t in inside(data))
    one = redactor()
    done = one.data(data, "files/x", "x")
    assert not any(SECRET.encode() in text for text in inside(done))
    assert any(b"[[canary:db" in text for text in inside(done))
    assert redactor().data(done, "files/x", "x") == done
    assert one.hits


@pytest.mark.parametrize("kind", PACKED)
def test_a_clean_packed_file_stays_byte_for_byte(kind):
    data = PACKED[kind](CLEAN)
    one = redactor()
    assert one.data(data, "files/x", "x") == data
    assert not one.hits


def test_a_packed_file_still_opens_and_keeps_what_is_clean():
    done = redactor().data(zipped(TEXT), "files/x", "x.zip")
    with zipfile.ZipFile(io.BytesIO(done)) as z:
        assert z.namelist() == ["a/b.txt", "c.txt"]
        assert z.read("a/b.txt") == b"user: bob\nkey: [[canary:db]]\nend\n"
        assert z.read("c.txt") == b"other"


def test_the_leak_says_how_it_was_packed():
    one = redactor()
    one.data(gzip.compress(TEXT), "files/x", "x.gz")
    assert {hit.encoding for hit in one.hits.values()} == {"gzip"}


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(TEXT)[:-12],
        zipped(TEXT).replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"),
        zstandard.compress(TEXT)[:-4],
        b"BZh9" + b"\xff" * 40,
    ],
    ids=["cut gzip", "encrypted zip", "cut zstd", "damaged bzip2"],
)
def test_what_cannot_be_read_whole_is_replaced_whole(data):
    assert redactor().data(data, "files/x", "x") == SEALED


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_a_bomb_is_replaced_whole(monkeypatch, pack):
    monkeypatch.setattr(containers, "BUDGET", 1 << 20)
    assert redactor().data(pack(bytes(5 << 20)), "files/x", "x") == SEALED


def git(folder, *words, data=None):
    env = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
           "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
           "PATH": "/usr/bin:/bin"}  # fmt: skip
    return subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True,
                          env=env, input=data).stdout  # fmt: skip


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "config.txt").write_bytes(TEXT)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", f"rotate {SECRET}")
    return tmp_path


def test_git_objects_are_cleaned_under_their_names(repository):
    count = 0
    for path in (repository / ".git/objects").glob("??/*"):
        name = path.relative_to(repository).as_posix()
        done = redactor().data(path.read_bytes(), f"files/{name}", name)
        raw = zlib.decompress(done)
        assert SECRET.encode() not in raw
        head, _, body = raw.partition(b"\0")
        assert int(head.split()[1]) == len(body)
        count += b"[[canary:db]]" in raw
    assert count == 2  # the file and the commit


def test_a_git_pack_that_holds_a_secret_is_replaced_by_its_markers(repository):
    git(repository, "gc", "-q")
    (pack,) = (repository / ".git/objects/pack").glob("*.pack")
    done = redactor().data(pack.read_bytes(), "files/p", ".git/objects/pack/p.pack")
    assert done == b"[[canary:db]]"
    git(repository, "gc", "-q")


def test_a_database_that_is_damaged_is_looked_at_as_bytes():
    data = b"SQLite format 3\0" + b"\xff" * 100 + TEXT
    done = redactor().data(data, "files/x", "x.db")
    assert SECRET.encode() not in done
    assert len(done) == len(data)
