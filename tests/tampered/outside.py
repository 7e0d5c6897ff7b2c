"""cases of a stranger without a key: he edits the folder or the tar after it was signed."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

from clawpro_artifact.formats import bundletar
from tests.tampered.kit import KEY, LIST, SEALED, SIG, TAGS, TRACE, Case, Kit, relist, rewrite

CASES: list[Case] = []


def folder(name: str, step: int, code: str) -> Callable[[Callable[[Path], None]], None]:
    def keep(edit: Callable[[Path], None]) -> None:
        def make(kit: Kit, to: Path) -> Path:
            copy = kit.copy(to)
            edit(copy)
            return copy

        CASES.append(Case(name, make, step, code, group="folder"))

    return keep


def tar(name: str, code: str = "malformed") -> Callable[[Callable[[bytes], bytes]], None]:
    def keep(edit: Callable[[bytes], bytes]) -> None:
        def make(kit: Kit, to: Path) -> Path:
            path = to / "bundle.tar"
            path.write_bytes(edit(kit.tar.read_bytes()))
            return path

        CASES.append(Case(name, make, 0, code, group="tar"))

    return keep


# -- step 0: the container

for label, what in {
    "space": "a b",
    "control": "a\x01b",
    "newline": "a\nb",
    "backslash": "a\\b",
    "percent": "a%20b",
    "dot-end": "a.",
    "tilde": "~a",
    "dash": "-a",
    "device": "con.txt",
    "nfd": "e\u0301.txt",
    "bidi": "a\u202eb",
    "nbsp": "a\u00a0b",
    "zero-width": "a\u200bb",
    "long": "x" * 150,
    "fold": "BAG-INFO.TXT",
    "colon": "a:b",
    "private-use": "a\ue000b",
}.items():
    folder(f"name-{label}", 0, "malformed")(
        lambda at, what=what: (at / what).write_bytes(b"x") and None  # type: ignore[misc]
    )


@folder("link-to-a-file", 0, "malformed")
def _(at: Path) -> None:
    shutil.move(at / TRACE / "trial.json", at.parent / "kept")
    (at / TRACE / "trial.json").symlink_to(at.parent / "kept")


@folder("link-to-a-folder", 0, "malformed")
def _(at: Path) -> None:
    shutil.move(at / TRACE, at.parent / "kept")
    (at / TRACE).symlink_to(at.parent / "kept")


@folder("hard-link", 0, "malformed")
def _(at: Path) -> None:
    os.link(at / "bagit.txt", at.parent / "other-name")


@folder("fifo", 0, "malformed")
def _(at: Path) -> None:
    os.mkfifo(at / "data" / "pipe")


@folder("setuid", 0, "malformed")
def _(at: Path) -> None:
    (at / "verify.sh").chmod(0o4755)


@folder("empty-folder", 0, "malformed")
def _(at: Path) -> None:
    (at / "data" / "empty").mkdir()


@folder("hidden-empty-folder", 0, "malformed")
def _(at: Path) -> None:
    (at / ".git").mkdir()


@folder("nothing-at-all", 0, "malformed")
def _(at: Path) -> None:
    shutil.rmtree(at)
    at.mkdir()


@folder("two-spellings-of-a-folder", 0, "malformed")
def _(at: Path) -> None:
    (at / "Data").mkdir()
    (at / "Data" / "x").write_bytes(b"x")


# -- step 1: the index


for place in (
    "extra.txt",
    "data/extra.txt",
    ".hidden",
    "data/.git-x/config",
    "signatures/x.json",
    "keys/extra.pem",
    "attestations/extra.json",
    "signatures/time-stamp.tsr",
    "data/traces/direct-reference/three-way-match/0/extra",
):

    def _extra(at: Path, place: str = place) -> None:
        (at / place).parent.mkdir(parents=True, exist_ok=True)
        (at / place).write_bytes(b"x")

    folder(f"unlisted-{place.replace('/', '-')}", 1, "unlisted-file")(_extra)

for place in (
    TAGS,
    LIST,
    f"{TRACE}/events.jsonl",
    "data/lock.json",
    "bagit.txt",
    "bag-info.txt",
    KEY,
    "keys/allowed_signers",
    "VERIFY.md",
    "verify.sh",
):

    def _gone(at: Path, place: str = place) -> None:
        (at / place).unlink()

    folder(f"missing-{place.replace('/', '-')}", 1, "missing-file")(_gone)


@folder("renamed-file", 1, "unlisted-file")
def _(at: Path) -> None:
    (at / TRACE / "events.jsonl").rename(at / TRACE / "events2.jsonl")


def list_case(name: str, edit: Callable[[bytes], bytes], code: str = "malformed") -> None:
    """An edit of the manifest, with the tag manifest made to fit."""
    import hashlib

    def make(at: Path) -> None:
        data = (at / LIST).read_bytes()
        old = hashlib.sha256(data).hexdigest().encode()
        data = edit(data)
        (at / LIST).write_bytes(data)
        rewrite(at / TAGS, old, hashlib.sha256(data).hexdigest().encode())

    folder(f"list-{name}", 1, code)(make)


FIRST = 64  # hex digits before the first path
list_case("upper-case-digest", lambda d: d[:FIRST].upper() + d[FIRST:])
list_case("truncated-digest", lambda d: d[40:])
list_case("md5-digest", lambda d: d[:32] + d[FIRST:])
list_case("one-space", lambda d: d[:FIRST] + d[FIRST + 1 :])
list_case("binary-mark", lambda d: d[:FIRST] + b" *" + d[FIRST + 2 :])
list_case("escape-mark", lambda d: b"\\" + d)
list_case("duplicate-line", lambda d: d[: d.index(b"\n") + 1] + d)
list_case("conflicting-line", lambda d: b"0" * 64 + d[FIRST : d.index(b"\n") + 1] + d)
list_case("another-order", lambda d: b"".join(reversed(d.splitlines(keepends=True))))
list_case("no-last-newline", lambda d: d[:-1])
list_case("carriage-return", lambda d: d.replace(b"\n", b"\r\n"))
list_case("byte-order-mark", lambda d: b"\xef\xbb\xbf" + d)
list_case("blank-line", lambda d: d + b"\n")
list_case("comment", lambda d: b"# made by hand\n" + d)
list_case("not-utf-8", lambda d: d + b"f" * 64 + b"  data/\xff\n")
list_case("dot-dot", lambda d: b"0" * 64 + b"  data/../../etc/passwd\n" + d)
list_case("absolute", lambda d: b"0" * 64 + b"  /etc/passwd\n" + d)
list_case("alias", lambda d: b"0" * 64 + b"  ./data/lock.json\n" + d)
list_case("sibling", lambda d: b"0" * 64 + b"  ../bundle2/x\n" + d)
list_case("percent-name", lambda d: b"0" * 64 + b"  data/a%0Ab\n" + d)
list_case("outside-data", lambda d: b"0" * 64 + b"  bag/x\n" + d, "misplaced-file")
list_case("file-of-folder", lambda d: d + b"0" * 64 + b"  data/traces\n")
list_case("empty", lambda d: b"")
list_case("fold-collision", lambda d: b"0" * 64 + b"  data/LOCK.json\n" + d)
list_case("dropped-line", lambda d: d[d.index(b"\n") + 1 :], "unlisted-file")
list_case("line-of-nothing", lambda d: d + b"0" * 64 + b"  data/zzz\n", "missing-file")


@folder("tag-list-leaves-out-the-list", 1, "index-incomplete")
def _(at: Path) -> None:
    rows = (at / TAGS).read_bytes().splitlines(keepends=True)
    (at / TAGS).write_bytes(
        b"".join(r for r in rows if not r.endswith(b"  " + LIST.encode() + b"\n"))
    )


@folder("tag-list-names-a-signature", 1, "misplaced-file")
def _(at: Path) -> None:
    rows = (at / TAGS).read_bytes().splitlines(keepends=True)
    rows.append(b"0" * 64 + b"  " + SIG.encode() + b"\n")
    (at / TAGS).write_bytes(b"".join(sorted(rows, key=lambda r: r[66:-1])))


# -- step 2: the digests

for place in (
    f"{TRACE}/events.jsonl",
    "data/lock.json",
    "data/results/scores.json",
    "bag-info.txt",
    "data/report/report.html",
    "data/release-notes.md",
    "verify.sh",
    KEY,
):

    def _flip(at: Path, place: str = place) -> None:
        data = bytearray((at / place).read_bytes())
        data[len(data) // 2] ^= 1
        (at / place).write_bytes(data)

    folder(f"flipped-{place.replace('/', '-')}", 2, "digest-differs")(_flip)


@folder("flipped-list", 1, "digest-differs")
def _(at: Path) -> None:
    data = bytearray((at / LIST).read_bytes())
    data[10] ^= 1
    (at / LIST).write_bytes(data)


@folder("appended-byte", 2, "digest-differs")
def _(at: Path) -> None:
    with (at / TRACE / "events.jsonl").open("ab") as file:
        file.write(b"\n")


@folder("truncated-file", 2, "digest-differs")
def _(at: Path) -> None:
    os.truncate(at / TRACE / "events.jsonl", 10)


@folder("emptied-file", 2, "digest-differs")
def _(at: Path) -> None:
    os.truncate(at / "data/report/report.html", 0)


@folder("two-files-swapped", 2, "digest-differs")
def _(at: Path) -> None:
    one, two = at / TRACE / "trial.json", at / TRACE[:-1] / "1" / "trial.json"
    one.rename(at / "x")
    two.rename(one)
    (at / "x").rename(two)


# -- step 3: a stranger cannot sign


@folder("list-made-to-fit", 3, "signature-invalid")
def _(at: Path) -> None:
    rewrite(at / TRACE / "events.jsonl", b"shortened", b"lengthned")
    relist(at)


@folder("tag-file-made-to-fit", 3, "signature-invalid")
def _(at: Path) -> None:
    rewrite(at / "verify.sh", b"umask 077", b"umask 000")
    relist(at)


def _add(at: Path) -> None:
    (at / "data" / "safety").mkdir()
    (at / "data" / "safety" / "x").write_bytes(b"x")
    relist(at)


folder("added-file-made-to-fit", 2, "payload-count")(_add)


@folder("added-file-and-counts-made-to-fit", 3, "signature-invalid")
def _(at: Path) -> None:
    _add(at)
    info = (at / "bag-info.txt").read_text()
    old = next(row for row in info.splitlines() if row.startswith("Payload-Oxum: "))
    total, count = old.removeprefix("Payload-Oxum: ").split(".")
    new = f"Payload-Oxum: {int(total) + 1}.{int(count) + 1}"
    (at / "bag-info.txt").write_text(info.replace(old, new))
    relist(at)


@folder("no-signature", 3, "signature-missing")
def _(at: Path) -> None:
    shutil.rmtree(at / "signatures")


@folder("no-key-and-no-signature", 3, "no-signature")
def _(at: Path) -> None:
    shutil.rmtree(at / "signatures")
    (at / KEY).unlink()
    (at / "keys" / "allowed_signers").write_bytes(b"")
    relist(at)


@folder("only-the-ssh-signature", 3, "signature-missing")
def _(at: Path) -> None:
    (at / SEALED).unlink()


@folder("only-the-statement", 3, "signature-missing")
def _(at: Path) -> None:
    (at / SIG).unlink()


# -- step 0 again: tars


def member(name: str, kind: bytes, data: bytes = b"", **fields: object) -> bytes:
    """One entry as Python's tarfile writes it."""
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, len(data)
    for field, value in fields.items():
        setattr(info, field, value)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as made:
        made.addfile(info, io.BytesIO(data))
    return out.getvalue()[: bundletar.BLOCK + len(data) + bundletar.padding(len(data))]


def last(data: bytes, more: bytes) -> bytes:
    return data[: -len(bundletar.END)] + more + bundletar.END


Z = "bundle/zzz"
tar("tar-symlink")(lambda d: last(d, member(Z, tarfile.SYMTYPE, linkname="/etc/passwd")))
tar("tar-hard-link")(lambda d: last(d, member(Z, tarfile.LNKTYPE, linkname="bundle/bagit.txt")))
tar("tar-device")(lambda d: last(d, member(Z, tarfile.CHRTYPE)))
tar("tar-fifo")(lambda d: last(d, member(Z, tarfile.FIFOTYPE)))
tar("tar-sparse")(lambda d: last(d, member(Z, tarfile.GNUTYPE_SPARSE)))
tar("tar-pax-header")(lambda d: last(d, member(Z, tarfile.XHDTYPE, b"18 path=../../x\n\n")))
tar("tar-global-pax")(lambda d: last(d, member(Z, tarfile.XGLTYPE, b"18 path=../../x\n\n")))
tar("tar-gnu-long-name")(lambda d: last(d, member(Z, tarfile.GNUTYPE_LONGNAME, b"x\0")))
tar("tar-escape")(lambda d: last(d, member("bundle/../../x", tarfile.REGTYPE, b"x")))
tar("tar-absolute")(lambda d: last(d, member("/etc/x", tarfile.REGTYPE, b"x")))
tar("tar-duplicate")(lambda d: last(d, member("bundle/verify.sh", tarfile.REGTYPE, b"x")))
tar("tar-owner")(lambda d: last(d, member(Z, tarfile.REGTYPE, b"x", uid=1000)))
tar("tar-mode")(lambda d: last(d, member(Z, tarfile.REGTYPE, b"x", mode=0o4755)))
tar("tar-time")(lambda d: last(d, member(Z, tarfile.REGTYPE, b"x", mtime=1)))
tar("tar-second-root")(lambda d: last(d, member("zother/x", tarfile.REGTYPE, b"x")))
tar("tar-trailing-byte")(lambda d: d + b"\0")
tar("tar-second-archive")(lambda d: d + d)
tar("tar-missing-end")(lambda d: d[: -len(bundletar.END)])
tar("tar-half-end")(lambda d: d[: -bundletar.BLOCK])
tar("tar-truncated")(lambda d: d[: len(d) // 2])
tar("tar-size-mismatch")(lambda d: d[: 512 + 124] + b"00000000007\0" + d[512 + 136 :])
tar("tar-checksum")(lambda d: d[: 512 + 148] + b"000000\0 " + d[512 + 156 :])
tar("tar-padding")(lambda d: last(d[:-1024], b"")[: -1024 - 1] + b"x" + bundletar.END)
tar("tar-gzip")(lambda d: __import__("gzip").compress(d, mtime=0))
tar("tar-empty")(lambda d: b"")
tar("tar-end-only")(lambda d: bundletar.END)
tar("tar-not-a-tar")(lambda d: b"hello\n" * 1000)
