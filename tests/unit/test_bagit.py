from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import bagit
from clawpro_artifact.formats.bagit import Entry

A, B = "a" * 64, "b" * 64


def test_a_manifest_survives_parsing() -> None:
    entries = [Entry("data/b/c.json", A), Entry("data/b.txt", B), Entry("data/é", A)]
    data = bagit.manifest(entries)
    assert bagit.parse_manifest(data, "m") == (entries[1], entries[0], entries[2])


def test_a_manifest_is_what_sha256sum_writes(tmp_path: Path) -> None:
    names = ["data/Z", "data/a-1", "data/a.txt", "data/a/x", "data/a0", "data/é"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    theirs = subprocess.run(
        ["sh", "-c", "find data -type f | LC_ALL=C sort | xargs sha256sum"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    ).stdout
    ours = [Entry(n, hashlib.sha256(n.encode()).hexdigest()) for n in reversed(names)]
    assert bagit.manifest(ours) == theirs


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../x",
        "data/../x",
        "data/..",
        "./a",
        "a/./b",
        "a//b",
        "a/",
        "a\\b",
        "C:/x",
        "a b",
        "a\nb",
        "a\tb",
        "a\0b",
        "a\x7fb",
        "a\u00a0b",
        "a\u200bb",
        "a\u202eb",
        "a\u2028b",
        "e\u0301",
        "\ud800",
        "a%0Ab",
        "con",
        "data/NUL.txt",
        "data/Com1",
        "lpt¹",
        "aux/x",
        "a.",
        "a./b",
        "~root/x",
        "-rf",
        "data/-rf",
        'a"b',
        "a:stream",
        "what?",
        "*",
        "x" * 100,
        "/".join(["x" * 60] * 4),
    ],
)
def test_a_path_that_is_not_safe_everywhere_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="a path is not safe"):
        bagit.check_path(path, "m")


@pytest.mark.parametrize(
    "path",
    [
        "data/a.json",
        "a",
        ".hidden/x",
        "data/a..b",
        "console.txt",
        "data/é/日本",
        "x" * 99,
        "a+b@1=2",
    ],
)
def test_an_ordinary_path_is_accepted(path: str) -> None:
    bagit.check_path(path, "m")


@pytest.mark.parametrize(
    "paths",
    [
        ["a", "a"],
        ["a", "a/b"],
        ["a/b", "a"],
        ["a/b/c", "a/b"],
        ["a", "A"],
        ["data/x/1", "data/X/2"],
        ["straße", "STRASSE"],
        ["ﬁle", "file"],
        ["a/b", "A"],
    ],
)
def test_paths_that_collide_somewhere_are_refused(paths: list[str]) -> None:
    with pytest.raises(InputError, match="two paths collide"):
        bagit.check_paths(paths, "m")


def test_neighbours_do_not_collide() -> None:
    bagit.check_paths(["a", "b/a", "b/c/a", "b/c/b", "c/a", "ab"], "m")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        f"{A}  a".encode(),
        f"{A}  a\r\n".encode(),
        f"{A} a\n".encode(),
        f"{A} *a\n".encode(),
        f"{A}   a\n".encode(),
        f"{A}\ta\n".encode(),
        f"{A.upper()}  a\n".encode(),
        f"{A[:40]}  a\n".encode(),
        f"{A}a  a\n".encode(),
        f"\\{A}  a\n".encode(),
        f"{A}  a\n\n".encode(),
        f"{A}  b\n{A}  a\n".encode(),
        f"{A}  a\n{A}  a\n".encode(),
        f"{A}  a\n{B}  a\n".encode(),
        f"{A}  a\n{B}  A\n".encode(),
        f"{A}  ../a\n".encode(),
        f"{A}  a\x0bb\n".encode(),
        b"\xef\xbb\xbf" + f"{A}  a\n".encode(),
        f"{A}  a".encode() + b"\xff\n",
        f"# comment\n{A}  a\n".encode(),
    ],
)
def test_a_manifest_of_another_form_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        bagit.parse_manifest(data, "m")


def test_a_bad_line_is_named() -> None:
    with pytest.raises(InputError, match="m, line 2"):
        bagit.parse_manifest(f"{A}  a\n{A.upper()}  b\n".encode(), "m")


@pytest.mark.parametrize("field", [("A B", "x"), ("A", "x\ny"), ("A", " x"), ("", "x")])
def test_a_field_that_would_need_folding_is_refused(field: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="no bag-info field"):
        bagit.bag_info([field])


def test_a_declaration_of_another_version_is_refused() -> None:
    bagit.check_declaration(bagit.DECLARATION, "bagit.txt")
    with pytest.raises(InputError, match="malformed bag"):
        bagit.check_declaration(bagit.DECLARATION.replace(b"1.0", b"0.97"), "bagit.txt")
