"""`python -m tests.fuzz READER SECONDS`: readers against damaged input, with atheris or Hypothesis.

A reader may refuse with an InputError; it must not crash, hang, or lose a byte in silence. The laws
are the functions; unit tests try them for a second, `nox -s fuzz` for minutes.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
import types
from collections.abc import Callable
from contextlib import closing

import zstandard
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical, jsonio, transcripts, transcriptstores
from clawpro_artifact.formats import portable as portable_module
from clawpro_artifact.formats.portable import portable
from clawpro_artifact.formats.transcripts import read_jsonl
from clawpro_artifact.formats.transcriptstores import read
from clawpro_artifact.sanitizing.redactor import Redactor, Secret

SECRET = "cpk-Zq83hsk2x9Wm4Lp0"
REDACTOR = Redactor((Secret(SECRET, "credential"),), b"k" * 32, "t")


def jsonl(data: bytes) -> None:
    """Every entry is portable; what was read and what is defective cover all that is not space."""
    found = read_jsonl(data, "s")
    for entry in found.entries:
        canonical.encode(entry.value)
    for defect in found.defects:
        assert 0 <= defect.byte <= len(data)
        assert defect.byte + defect.size <= len(data)
    if data.strip(b" \t\r\n"):
        assert found.entries or found.defects
    lines = {e.line for e in found.entries} | {d.line for d in found.defects}
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip(b" \t\r"):
            assert number in lines, number


def archive(data: bytes) -> None:
    """Whatever the bytes are: a transcript or a refusal in words."""
    for head in (b"", b"\x28\xb5\x2f\xfd", b"\x1f\x8b\x08", b"SQLite format 3\0"):
        try:
            read(head + data, "s")
        except InputError as error:
            assert error.summary


def store(data: bytes) -> None:
    """Bytes of a damaged store."""
    try:
        read(data, "s")
    except InputError as error:
        assert error.summary


def strict_json(data: bytes) -> None:
    """A strict reader's value has one canonical form; all else is refused."""
    try:
        value = jsonio.parse(data, "x")
    except InputError:
        return
    assert jsonio.parse(canonical.encode(value), "x") == value


def words(data: bytes) -> None:
    """Any JSON that Python reads becomes portable, once and for all."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    made = portable(value)
    canonical.encode(made)
    assert portable(made) is made


def redaction(data: bytes) -> None:
    """A secret anywhere in any bytes goes, a second pass changes nothing."""
    at = len(data) // 2
    done = REDACTOR.data(data[:at] + SECRET.encode() + data[at:], "x")
    assert SECRET.encode() not in done
    assert REDACTOR.data(done, "x") == done


LAWS: dict[str, Callable[[bytes], None]] = {
    f.__name__: f for f in (jsonl, archive, store, strict_json, words, redaction)
}

_LINE = st.builds(
    lambda kind, name, parent, text: json.dumps(
        {"type": kind, "id": name, "parentId": parent, "message": {"content": text}}
    ).encode("utf-8", "surrogatepass"),
    st.sampled_from(["session", "message", "compaction", "custom"]),
    st.sampled_from("abcd"),
    st.sampled_from(["a", "b", "c", "x"]) | st.none(),
    st.text(max_size=12),
)
_NOISE = st.sampled_from(
    [
        b"\0\0\0",
        b"\r",
        b"\xff",
        b"\xef\xbb\xbf",
        b'{"type":',
        b"}",
        b"\\ud800",
        b"[" * 300,
        b"1e999",
    ]
)


@st.composite
def _damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    data = bytearray(whole)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 8)))
        data[at:end] = draw(_NOISE | st.binary(max_size=4))
    return bytes(data)


SESSIONS = st.lists(_LINE, max_size=6).flatmap(lambda rows: _damaged(b"\n".join(rows) + b"\n"))


def _a_store() -> bytes:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("PRAGMA page_size = 512")
        db.execute("CREATE TABLE transcript_events (session_id, seq, event_json, event_zstd)")
        rows = [("s", n, json.dumps({"id": str(n)}), None) for n in range(20)]
        rows += [("t", 0, None, zstandard.compress(b'{"id":"z"}' + b" " * 500))]
        db.executemany("INSERT INTO transcript_events VALUES (?, ?, ?, ?)", rows)
        db.commit()
        return bytes(db.serialize())


STORES = _damaged(_a_store())
INPUTS: dict[str, st.SearchStrategy[bytes]] = {
    "jsonl": SESSIONS | st.binary(max_size=2000),
    "store": STORES,
}


def with_hypothesis(name: str, seconds: float) -> int:
    """How many inputs were tried until the time was up."""
    end, count = time.monotonic() + seconds, 0

    @settings(max_examples=2000, deadline=None, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(INPUTS.get(name, st.binary(max_size=2000)))
    def law(data: bytes) -> None:
        nonlocal count
        if time.monotonic() < end:
            count += 1
            LAWS[name](data)

    while time.monotonic() < end:
        law()
    return count


def with_atheris(name: str, seconds: float) -> None:
    """Coverage-guided, where atheris is installed; ends the process."""
    import atheris

    # Only what is under test: instrumenting every function takes minutes.
    for module in (transcripts, transcriptstores, portable_module, jsonio):
        for key, value in list(vars(module).items()):
            if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
                setattr(module, key, atheris.instrument_func(value))
    words = [sys.argv[0], f"-max_total_time={int(seconds)}", "-max_len=4096", "-timeout=20"]
    atheris.Setup(words, LAWS[name])
    atheris.Fuzz()


def main() -> int:
    """READER or `all`, seconds for each, `--atheris`."""
    name, seconds = sys.argv[1], float(sys.argv[2])
    if "--atheris" in sys.argv:
        with_atheris(name, seconds)
    for law in LAWS if name == "all" else [name]:
        print(f"{law:<12} {with_hypothesis(law, seconds)} inputs, no crash, no silent loss")
    return 0


if __name__ == "__main__":
    sys.exit(main())
