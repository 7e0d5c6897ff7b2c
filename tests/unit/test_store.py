from __future__ import annotations

import contextlib
import errno
import os
import resource
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clawpro_artifact.adapters import store
from clawpro_artifact.adapters.store import Journal, Store
from clawpro_artifact.errors import InfraError, InputError

INPUTS = "sha256:" + "0" * 64


@pytest.fixture
def kept(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def files(root: Path) -> list[str]:
    return sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())


def full_disk() -> Iterator[bytes]:
    yield b"half"
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_content_is_found_under_its_digest(kept: Store) -> None:
    # FIPS 180-2 appendix B.1
    digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert not kept.has(digest)
    assert kept.put(b"abc") == digest
    assert kept.has(digest)
    assert kept.get(digest) == b"abc"


def test_a_file_is_stored_like_its_bytes(kept: Store, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"abc" * 1_000_000)
    assert kept.get(kept.put_file(tmp_path / "f")) == b"abc" * 1_000_000


def test_damaged_content_is_not_returned(kept: Store) -> None:
    digest = kept.put(b"abc")
    kept.path(digest).chmod(0o644)
    kept.path(digest).write_bytes(b"abd")
    with pytest.raises(InfraError, match="stored content is damaged"):
        kept.get(digest)


def test_missing_content_is_an_infra_error(kept: Store) -> None:
    with pytest.raises(InfraError, match="the disk refused"):
        kept.get(INPUTS)


@pytest.mark.parametrize("digest", ["", "sha256:../../etc/passwd", "sha256:" + "A" * 64, "md5:00"])
def test_a_name_that_is_no_digest_is_refused(kept: Store, digest: str) -> None:
    with pytest.raises(InfraError, match="not a digest"):
        kept.get(digest)


def test_a_result_is_recalled_for_its_stage_and_inputs_only(kept: Store) -> None:
    kept.remember("build", INPUTS, b"image")
    assert kept.recall("build", INPUTS) == b"image"
    assert kept.recall("run", INPUTS) is None
    assert kept.recall("build", "sha256:" + "1" * 64) is None


def test_a_result_can_be_replaced(kept: Store) -> None:
    kept.remember("build", INPUTS, b"one")
    kept.remember("build", INPUTS, b"two")
    assert kept.recall("build", INPUTS) == b"two"


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    store.write(tmp_path / "f", b"old")
    with pytest.raises(InfraError, match="No space left") as caught:
        store.write(tmp_path / "f", full_disk())
    assert caught.value.exit_code == 5
    assert files(tmp_path) == ["f"]
    assert (tmp_path / "f").read_bytes() == b"old"


def test_a_full_disk_at_fsync_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(InfraError, match="No space left"):
        store.write(tmp_path / "f", b"new")
    assert files(tmp_path) == []


@contextlib.contextmanager
def room_for(size: int) -> Iterator[None]:
    """The kernel writes the bytes that fit below `size` and refuses the rest (EFBIG)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_kernel_that_stops_in_the_middle_of_a_file_leaves_no_part_of_it(kept: Store) -> None:
    kept.remember("build", INPUTS, b"old")
    with room_for(1000), pytest.raises(InfraError, match="File too large"):
        kept.remember("build", INPUTS, b"x" * 5000)
    assert kept.recall("build", INPUTS) == b"old"
    assert kept.sweep() == 0


def test_a_kernel_that_stops_in_the_middle_of_an_entry_leaves_no_part_of_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.append("first")
    with room_for(1000), pytest.raises(InfraError, match="File too large"):
        journal.append("x" * 5000)
    assert journal.path.read_bytes() == b'"first"\n'


WRITER = """
import sys
from pathlib import Path
from clawpro_artifact.adapters.store import Journal, Store
root = Path(sys.argv[1])
store, journal = Store(root / "store"), Journal(root / "journal")
for i in range(10**6):
    inputs = "sha256:%064x" % i
    store.remember("run", inputs, b"%d" % i * 20_000)
    journal.append(inputs)
"""


def test_a_writer_killed_at_any_moment_leaves_whole_results_only(tmp_path: Path) -> None:
    for attempt in range(4):
        root = tmp_path / str(attempt)
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(root)])
        while not (root / "journal").exists() and writer.poll() is None:
            time.sleep(0.002)
        time.sleep(0.007 * attempt)
        writer.kill()
        writer.wait()
        done = Journal(root / "journal").entries()
        kept = Store(root / "store")
        for i, inputs in enumerate(done):
            assert kept.recall("run", inputs) == b"%d" % i * 20_000
        kept.sweep()
        after = kept.recall("run", f"sha256:{len(done):064x}")
        assert after in (None, b"%d" % len(done) * 20_000)
        assert not [f for f in files(root) if ".tmp-" in f]


def test_a_file_gets_its_mode_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        store.write(tmp_path / "f", b"x", mode=0o644)
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o644


def test_a_new_file_never_replaces_another(tmp_path: Path) -> None:
    assert store.write_new(tmp_path / "f", b"one")
    assert not store.write_new(tmp_path / "f", b"two")
    assert (tmp_path / "f").read_bytes() == b"one"
    assert files(tmp_path) == ["f"]


def test_a_sweep_removes_what_killed_writers_left(kept: Store) -> None:
    digest = kept.put(b"abc")
    (kept.path(digest).parent / ".tmp-0011").write_bytes(b"half")
    assert kept.sweep() == 1
    assert kept.get(digest) == b"abc"
    assert kept.sweep() == 0


def test_the_journal_gives_back_its_entries_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "run" / "journal")
    assert journal.entries() == []
    journal.append({"trial": "a/b/0"})
    journal.append([1, "x\r\n\u2028"])
    assert Journal(tmp_path / "run" / "journal").entries() == [
        {"trial": "a/b/0"},
        [1, "x\r\n\u2028"],
    ]


def test_a_torn_last_entry_is_no_entry_and_is_cut_off(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.append(1)
    with journal.path.open("ab") as file:
        file.write(b'{"half":')
    assert journal.entries() == [1]
    journal.append(2)
    assert journal.path.read_bytes() == b"1\n2\n"


def test_a_full_disk_leaves_the_journal_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "journal")
    journal.append(1)

    def refuse(fd: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse)
        with pytest.raises(InfraError, match="No space left"):
            journal.append(2)
    assert journal.path.read_bytes() == b"1\n"


def test_a_damaged_entry_is_named_by_its_line(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.path.write_bytes(b"1\n{]\n3\n")
    with pytest.raises(InputError, match="line 2"):
        journal.entries()
