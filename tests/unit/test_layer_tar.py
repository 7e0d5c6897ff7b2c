"""The layer writer: what differs between machines has no place in the bytes."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import tar

EPOCH = 1767225600


def packed(*members: tar.Member, **options: object) -> bytes:
    out = io.BytesIO()
    tar.write_layer(members, out, mtime=EPOCH, **options)  # type: ignore[arg-type]
    return out.getvalue()


def listed(data: bytes, tmp_path: Path) -> list[str]:
    """What GNU tar, which is not our code, reads in it."""
    (tmp_path / "layer.tar").write_bytes(data)
    command = ["tar", "--numeric-owner", "--full-time", "--utc", "-tvf", tmp_path / "layer.tar"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [" ".join(line.split()) for line in done.stdout.splitlines()]


def test_gnu_tar_reads_modes_owners_times_and_byte_order(tmp_path: Path) -> None:
    data = packed(
        tar.file_of("b/run", b"#!x", executable=True),
        tar.Member("b/link", "link", target="/usr/bin/x"),
        tar.file_of("B", b""),
        tar.file_of("b.txt", b"text"),
    )
    assert listed(data, tmp_path) == [
        "-rw-r--r-- 0/0 0 2026-01-01 00:00:00 B",
        "drwxr-xr-x 0/0 0 2026-01-01 00:00:00 b/",
        "-rw-r--r-- 0/0 4 2026-01-01 00:00:00 b.txt",
        "lrwxrwxrwx 0/0 0 2026-01-01 00:00:00 b/link -> /usr/bin/x",
        "-rwxr-xr-x 0/0 3 2026-01-01 00:00:00 b/run",
    ]


def test_umask_group_bits_and_times_of_the_folder_do_not_matter(tmp_path: Path) -> None:
    found = []
    for name, mode, when in (("one", 0o640, 5), ("two", 0o604, 7)):
        folder = tmp_path / name
        (folder / "d").mkdir(parents=True)
        for file in ["x", "y"] if name == "one" else ["y", "x"]:
            (folder / "d" / file).write_text(file)
            (folder / "d" / file).chmod(mode)
            os.utime(folder / "d" / file, (when, when))
        found.append(packed(*tar.members_of_folder(folder)))
    assert found[0] == found[1]


def test_a_hard_link_is_written_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "a").write_text("same")
    (tmp_path / "f" / "b").hardlink_to(tmp_path / "f" / "a")
    with tarfile.open(fileobj=io.BytesIO(packed(*tar.members_of_folder(tmp_path / "f")))) as got:
        assert [(m.name, m.isreg(), m.size) for m in got] == [("a", True, 4), ("b", True, 4)]


def test_a_hard_link_in_a_tar_becomes_a_file_with_its_content(tmp_path: Path) -> None:
    raw = tmp_path / "raw.tar"
    with tarfile.open(raw, "w") as archive:
        first = tarfile.TarInfo("./a")
        first.size, first.mode = 4, 0o755
        archive.addfile(first, io.BytesIO(b"same"))
        second = tarfile.TarInfo("./z")
        second.type, second.linkname = tarfile.LNKTYPE, "./a"
        archive.addfile(second)
    with tarfile.open(raw) as archive:
        data = packed(*tar.members_of_tar(archive))
    with tarfile.open(fileobj=io.BytesIO(data)) as got:
        z = got.extractfile("z")
        assert z is not None
        assert (z.read(), got.getmember("z").mode) == (b"same", 0o755)


def test_a_fifo_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="cannot hold this kind of file"):
        packed(*tar.members_of_folder(tmp_path))


def test_a_long_name_survives(tmp_path: Path) -> None:
    name = "/".join(["d" * 90, "e" * 90, "f" * 120])
    assert listed(packed(tar.file_of(name, b"")), tmp_path)[-1].endswith("f" * 120)


def test_no_pax_record_is_written_where_ustar_has_room() -> None:
    data = packed(tar.file_of("/".join(["d" * 90, "e" * 90]), b""))
    # POSIX: type flag at byte 156, `x` is a pax record.
    kinds = {data[i + 156 : i + 157] for i in range(0, len(data) - 1024, 512)}
    assert kinds == {b"5", b"0"}


def test_a_path_twice_is_refused() -> None:
    with pytest.raises(InputError, match="twice"):
        packed(tar.file_of("a", b"1"), tar.file_of("a", b"2"))


def test_a_whiteout_name_is_refused() -> None:
    with pytest.raises(InputError, match="whiteout"):
        packed(tar.file_of("etc/.wh.passwd", b""))


def test_a_file_that_grows_while_it_is_packed_is_refused() -> None:
    member = tar.Member("a", "file", size=2, open=lambda: io.BytesIO(b"three"))
    with pytest.raises(InputError, match="changed while"):
        packed(member)


def test_the_first_difference_names_member_and_offset(tmp_path: Path) -> None:
    for name, text in (("one", b"same-A"), ("two", b"same-B")):
        data = packed(tar.file_of("a", b"x"), tar.file_of("b/c", text))
        (tmp_path / name).write_bytes(data)
    # a: header 512 + content block 512; b/: header 512; b/c: header 512; then the sixth byte.
    expected = tar.Difference("b/c", 4 * 512 + 5)
    assert tar.first_difference(tmp_path / "one", tmp_path / "two") == expected


def test_equal_layers_have_no_difference(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(packed(tar.file_of("a", b"x")))
    assert tar.first_difference(tmp_path / "one", tmp_path / "two") is None
