from __future__ import annotations

import gzip
import hashlib
import io
import os
import random
import socket
import tarfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import bundletar
from clawpro_artifact.formats.container import Budget, open_bundle

FILES = {"bagit.txt": b"declaration", "data/a/x": b"x" * 1000, "data/b": b"", "data/é": b"e" * 512}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "bundle"
    for name, content in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def good_tar() -> bytes:
    ordered = sorted(FILES.items(), key=lambda f: f[0].encode())
    return b"".join(bundletar.write("release-1", ((n, len(c), [c]) for n, c in ordered)))


@pytest.fixture
def tar(tmp_path: Path) -> Path:
    path = tmp_path / "bundle.tar"
    path.write_bytes(good_tar())
    return path


@pytest.mark.parametrize("form", ["folder", "tar"])
def test_both_forms_give_the_same_view(form: str, request: pytest.FixtureRequest) -> None:
    with open_bundle(request.getfixturevalue(form)) as bundle:
        assert {n: m.size for n, m in bundle.members.items()} == {
            n: len(c) for n, c in FILES.items()
        }
        assert list(bundle.members) == sorted(FILES)
        for name, content in FILES.items():
            assert bundle.sha256(name) == hashlib.sha256(content).hexdigest()
            assert bundle.read(name, 1000) == content
        bundle.check_unchanged()


def test_reading_a_file_over_its_budget_is_refused(folder: Path) -> None:
    with open_bundle(folder) as bundle, pytest.raises(InputError, match="at most 999 bytes"):
        bundle.read("data/a/x", 999)


def test_a_file_that_is_not_listed_cannot_be_read(folder: Path) -> None:
    with open_bundle(folder) as bundle, pytest.raises(KeyError):
        bundle.sha256("data")


def link(root: Path) -> None:
    (root / "data" / "link").symlink_to("b")


def folder_link(root: Path) -> None:
    (root / "more").symlink_to("data")


def hard_link(root: Path) -> None:
    (root / "data" / "c").hardlink_to(root / "data" / "b")


def fifo(root: Path) -> None:
    os.mkfifo(root / "data" / "fifo")


def unix_socket(root: Path) -> None:
    here = Path.cwd()
    os.chdir(root / "data")  # a socket's path may not be long
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("s")
    finally:
        os.chdir(here)


def empty_folder(root: Path) -> None:
    (root / "data" / "a" / "empty").mkdir()


def setuid(root: Path) -> None:
    (root / "data" / "b").chmod(0o4755)


def space(root: Path) -> None:
    (root / "data" / "a b").touch()


def not_utf8(root: Path) -> None:
    (root / "data" / os.fsdecode(b"\xff")).touch()


def case_twin(root: Path) -> None:
    (root / "data" / "B").touch()


@pytest.mark.parametrize(
    ("plant", "message"),
    [
        (link, "lrwx"),
        (folder_link, "lrwx"),
        (hard_link, "a hard link"),
        (fifo, "prw"),
        (unix_socket, "srwx"),
        (empty_folder, "no empty folder"),
        (setuid, "no setuid"),
        (space, "a path is not safe"),
        (not_utf8, "a path is not safe"),
        (case_twin, "two paths collide"),
    ],
)
def test_a_directory_with_something_odd_is_refused(
    folder: Path, plant: Callable[[Path], None], message: str
) -> None:
    plant(folder)
    with pytest.raises(InputError, match=message):
        open_bundle(folder)


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (Budget(members=3), "at most 3 files"),
        (Budget(member_bytes=999), "at most 999 bytes in one file"),
        (Budget(total_bytes=1500), "at most 1500 bytes in all files"),
    ],
)
@pytest.mark.parametrize("form", ["folder", "tar"])
def test_a_bundle_over_budget_is_refused(
    form: str, budget: Budget, message: str, request: pytest.FixtureRequest
) -> None:
    with pytest.raises(InputError, match=message):
        open_bundle(request.getfixturevalue(form), budget)


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def rewrite(path: Path) -> None:
    path.write_bytes(b"y" * 1000)
    os.utime(path, ns=(0, 0))


def swap(path: Path) -> None:
    path.with_name("new").write_bytes(b"y" * 1000)
    path.with_name("new").rename(path)


def vanish(path: Path) -> None:
    path.unlink()


def become_link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


@pytest.mark.parametrize("change", [grow, rewrite, swap, vanish, become_link])
def test_a_file_that_changed_since_it_was_listed_is_refused(
    folder: Path, change: Callable[[Path], None]
) -> None:
    with open_bundle(folder) as bundle:
        change(folder / "data" / "a" / "x")
        with pytest.raises(InputError, match="changed while it was read"):
            bundle.sha256("data/a/x")


def test_nothing_is_given_out_of_a_file_that_was_replaced(folder: Path) -> None:
    given = []
    with open_bundle(folder) as bundle:
        swap(folder / "data" / "a" / "x")
        with pytest.raises(InputError, match="changed"), bundle.open("data/a/x") as reader:
            given.append(reader.read())
    assert given == []


@pytest.mark.parametrize("change", [grow, rewrite])
def test_a_file_that_changes_while_it_is_read_is_refused(
    folder: Path, change: Callable[[Path], None]
) -> None:
    with (
        open_bundle(folder) as bundle,
        pytest.raises(InputError, match="changed while it was read"),
        bundle.open("data/a/x") as reader,
    ):
        assert reader.read(10) == b"x" * 10
        change(folder / "data" / "a" / "x")


def test_a_file_that_shrinks_while_it_is_read_is_refused(folder: Path) -> None:
    with (
        open_bundle(folder) as bundle,
        pytest.raises(InputError, match="ended early"),
        bundle.open("data/a/x") as reader,
    ):
        os.truncate(folder / "data" / "a" / "x", 5)
        list(reader)


def test_a_folder_replaced_by_a_link_is_refused(folder: Path) -> None:
    with open_bundle(folder) as bundle:
        (folder / "data" / "a").rename(folder / "elsewhere")
        (folder / "data" / "a").symlink_to("../elsewhere")
        with pytest.raises(InputError, match="changed while it was read"):
            bundle.sha256("data/a/x")


def test_a_file_added_after_listing_is_noticed_at_the_end(folder: Path) -> None:
    with open_bundle(folder) as bundle:
        (folder / "data" / "late").touch()
        with pytest.raises(InputError, match="changed: data/late"):
            bundle.check_unchanged()


def test_a_tar_that_changes_is_refused(tar: Path) -> None:
    with open_bundle(tar) as bundle:
        grow(tar)
        with pytest.raises(InputError, match="changed while it was read"):
            bundle.sha256("data/b")


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    info.mode = 0o755 if kind == tarfile.DIRTYPE else 0o644
    return info


def python_tar(*members: tarfile.TarInfo, form: int = tarfile.USTAR_FORMAT) -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w", format=form) as tar:
        for info in (member("r", tarfile.DIRTYPE), *members):
            tar.addfile(info, io.BytesIO(bytes(info.size)))
        end = tar.offset
    return sink.getvalue()[:end] + bytes(1024)  # tarfile fills up to 10,240 bytes


def paxed(name: str) -> tarfile.TarInfo:
    info = member(name)
    info.pax_headers = {"path": "r/other"}
    return info


def aged(name: str) -> tarfile.TarInfo:
    info = member(name)
    info.mtime = 1
    return info


def test_the_tar_is_the_one_that_python_writes() -> None:
    sizes = {"bagit.txt": 11, "data/a/x": 0}
    infos = [member("r/bagit.txt"), member("r/data", tarfile.DIRTYPE)]
    infos += [member("r/data/a", tarfile.DIRTYPE), member("r/data/a/x")]
    infos[0].size = 11
    ours = b"".join(bundletar.write("r", ((n, size, [bytes(size)]) for n, size in sizes.items())))
    assert ours == python_tar(*infos)


def padded() -> bytes:
    data = bytearray(good_tar())
    at = data.index(b"declaration") + len("declaration")
    data[at] = 1
    return bytes(data)


def oversized() -> bytes:
    data = python_tar(member("r/a"))
    return data[:512] + bundletar.encode(bundletar.Header("r/a", 10**6)) + data[1024:]


def negative() -> bytes:
    block = bytearray(bundletar.encode(bundletar.Header("r/a", 0)))
    block[124:135] = b"-0000000001"
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return python_tar()[:512] + block + bytes(1024)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (python_tar(member("r/a", tarfile.SYMTYPE, "/etc/passwd")), "a symbolic link"),
        (python_tar(member("r/a"), member("r/b", tarfile.LNKTYPE, "r/a")), "a hard link"),
        (python_tar(member("r/a", tarfile.CHRTYPE)), "a character device"),
        (python_tar(member("r/a", tarfile.BLKTYPE)), "a block device"),
        (python_tar(member("r/a", tarfile.FIFOTYPE)), "a fifo"),
        (python_tar(member("r/a", tarfile.CONTTYPE)), "a contiguous file"),
        (python_tar(member("r/a", tarfile.AREGTYPE)), "before POSIX"),
        (python_tar(member("r/a", tarfile.GNUTYPE_SPARSE)), "a sparse file"),
        (python_tar(paxed("r/a"), form=tarfile.PAX_FORMAT), "a pax header"),
        (python_tar(member("r/" + "x" * 120), form=tarfile.GNU_FORMAT), "magic"),
        (python_tar(member("r/a"), member("r/a")), "each once"),
        (python_tar(member("r/b"), member("r/a")), "in byte order"),
        (python_tar(member("r/a"), member("s", tarfile.DIRTYPE), member("s/a")), "its folder"),
        (python_tar(member("r/d/a")), "its folder before it"),
        (python_tar(member("r/a"), member("r/d", tarfile.DIRTYPE)), "no empty folder"),
        (python_tar(member("r/d", tarfile.DIRTYPE), member("r/e")), "no empty folder"),
        (python_tar(), "no empty folder"),
        (python_tar(member("r/../../a")), "a path is not safe"),
        (python_tar(member("r//a")), "a path is not safe"),
        (python_tar(member("r/A"), member("r/a")), "two paths collide"),
        (python_tar(aged("r/a")), "time 0"),
        (good_tar()[:-1], "the end of the file|another end"),
        (good_tar()[:-512], "another end"),
        (good_tar()[:-1024], "the end of the file"),
        (good_tar() + bytes(512), "another end"),
        (good_tar() + b"x", "another end"),
        (good_tar() + good_tar(), "another end"),
        (padded(), "zero bytes after a file"),
        (oversized(), "the end of the file"),
        (negative(), "a size of 0 or more"),
        (bytes(1024), "an empty tar"),
        (gzip.compress(good_tar()), "gzip data"),
        (b"", "the end of the file"),
        (b"not a tar" * 100, "a ustar header"),
    ],
)
def test_a_tar_in_another_form_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "t.tar").write_bytes(data)
    with pytest.raises(InputError, match=message):
        open_bundle(tmp_path / "t.tar")


def test_a_changed_byte_of_a_tar_changes_its_view_or_is_refused(tmp_path: Path) -> None:
    data, path = good_tar(), tmp_path / "t.tar"
    chance = random.Random(2)
    for at in (*range(1024), *chance.sample(range(1024, len(data)), 300)):
        path.write_bytes(
            data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
        )
        try:
            with open_bundle(path) as bundle:
                view = {n: bundle.read(n, 10_000) for n in bundle.members}
        except InputError:
            continue
        assert view != FILES, f"byte {at}"


@pytest.mark.parametrize("path", ["nothing", "/dev/null"])
def test_what_is_no_bundle_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(InputError, match=r"a directory or a tar"):
        open_bundle(tmp_path / path)


def test_memory_does_not_grow_with_the_size_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with (tmp_path / "b" / "large").open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    with open_bundle(tmp_path / "b") as bundle:
        tracemalloc.start()
        bundle.sha256("large")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 1024 * 1024


def test_no_descriptor_is_left_open(folder: Path, tar: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in (folder, tar):
        with open_bundle(path) as bundle:
            for name in bundle.members:
                bundle.sha256(name)
    link(folder)
    with pytest.raises(InputError):
        open_bundle(folder)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
