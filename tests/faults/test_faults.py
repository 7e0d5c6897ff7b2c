"""kill -9 and a full disk at every system call that writes: the old state or the new one.

By default some calls are hurt; CLAWPRO_FAULTS=all hurts each. Needs strace and ptrace.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clawpro_artifact.adapters.archive import Archive
from clawpro_artifact.adapters.blobs import Folder
from clawpro_artifact.formats import canonical, merkle
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.verifying import verify
from tests.faults import driver
from tests.unit.test_bundling import tree

CALLS = ("write", "fsync", "rename", "mkdir", "fchmod", "link", "unlink", "flock")
STRIDE = 1 if os.environ.get("CLAWPRO_FAULTS") == "all" else 23
ROOT = Path(__file__).parents[2]


def traced(operation: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = ["strace", "-f", "-qq", "-o", str(folder.parent / "calls"), *options]
    return subprocess.run(
        [*command, sys.executable, "-m", "tests.faults.driver", operation, str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def strace(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("probe")
    if (
        shutil.which("strace") is None
        or subprocess.run(
            ["strace", "-o", str(folder / "o"), "true"], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("no strace, or it may not trace")


def ready(operation: str, folder: Path) -> Path:
    """The state before the operation."""
    folder.mkdir(parents=True)
    if operation in ("archive", "tar"):
        driver.make_bundle(folder)
        data = (folder / "bundle" / "tagmanifest-sha256.txt").read_bytes()
        (folder / "id").write_text(canonical.bytes_digest(data))
    if operation == "log":
        driver.log_at(folder).append(b"first", driver.KEY)
    return folder


def hurts(operation: str, folder: Path) -> Iterator[tuple[str, int]]:
    """Each writing call of an undisturbed operation, by name and number."""
    done = traced(operation, ready(operation, folder), "-e", f"trace={','.join(CALLS)}")
    assert done.returncode == 0, done.stderr
    text = (folder.parent / "calls").read_text()
    calls = re.findall(r"^\d+\s+(\w+)\(", text, re.MULTILINE)
    for name in CALLS:
        for number in range(1, calls.count(name) + 1):
            yield name, number


def check_bundle(folder: Path) -> bool:
    """Whether the new state is there; fails if it is neither."""
    if not (folder / "bundle").exists():
        return False
    verdict = verify(folder / "bundle", [driver.KEY.public])
    assert [verdict.status_of(n) for n in range(4)] == ["passed"] * 4, verdict.findings
    return True


def check_archive(folder: Path) -> bool:
    archive = Archive(Folder(folder / "archive"), Folder(folder / "copy"))
    if not archive.bundles():
        return False
    assert archive.check() == []
    archive.get((folder / "id").read_text(), folder / "back")
    assert tree(folder / "back") == tree(folder / "bundle")
    shutil.rmtree(folder / "back")
    return True


def check_log(folder: Path) -> bool:
    leaves = [merkle.leaf_hash(x) for x in (b"first", b"second")]
    found = list(driver.log_at(folder).leaves())
    assert found in (leaves[:1], leaves)
    return found == leaves


def check_tar(folder: Path) -> bool:
    if not (folder / "bundle.tar").exists():
        return False
    with open_bundle(folder / "bundle.tar") as container:
        assert {p: container.read(p, 1 << 20) for p in container.members} == tree(folder / "bundle")
    return True


CHECKS: dict[str, Callable[[Path], bool]] = {
    "bundle": check_bundle, "archive": check_archive, "log": check_log, "tar": check_tar,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["signal=KILL", "error=ENOSPC"])
@pytest.mark.parametrize("operation", sorted(CHECKS))
def test_a_hurt_operation_leaves_the_old_state_or_the_new_one(
    operation: str, fault: str, tmp_path: Path
) -> None:
    check = CHECKS[operation]
    points = list(hurts(operation, tmp_path / "whole" / "x"))
    assert len(points) >= 5
    assert check(tmp_path / "whole" / "x")
    expected = tree(tmp_path / "whole" / "x" / "bundle") if operation == "bundle" else None
    for number, (call, count) in enumerate(points):
        if number % STRIDE:
            continue
        folder = ready(operation, tmp_path / f"{call}-{count}" / "x")
        done = traced(operation, folder, "-e", f"inject={call}:{fault}:when={count}")
        state = check(folder)
        if fault == "error=ENOSPC" and not state:
            assert done.returncode == 5, (call, count, done.returncode, done.stderr)
        if not state:
            driver.OPERATIONS[operation](folder)
        assert check(folder), (call, count)
        if expected is not None:
            assert tree(folder / "bundle") == expected
        left = [p for p in folder.rglob("*") if p.name.startswith(".tmp-")]
        # Who may not unlink cannot clean up either; the next writer does.
        assert fault == "signal=KILL" or call == "unlink" or left == [], (call, count, left)
        shutil.rmtree(folder.parent)
