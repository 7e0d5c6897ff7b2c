"""random edits of a good bundle: how many are accepted (it must be none).

`python -m tests.tampered.mutate COUNT [SEED]` runs them; a test runs a part. Same seed, same edits.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from clawpro_artifact import bundling
from clawpro_artifact.verifying import verify
from tests import bundles

Tree = dict[str, bytes]


def flip(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def insert(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice([b"\n", b" ", b"\0", b"/", b'"', rng.randbytes(1)]) + data[at:]


def delete(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice([1, 1, 1, 2, 8, 64]) :]


def truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def duplicate(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    size = rng.choice([1, 8, 66, 512])
    return data[: at + size] + data[at : at + size] + data[at + size :]


def swap_lines(data: bytes, rng: random.Random) -> bytes:
    rows = data.split(b"\n")
    one, two = rng.randrange(len(rows)), rng.randrange(len(rows))
    rows[one], rows[two] = rows[two], rows[one]
    return b"\n".join(rows)


def case(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at : at + 1].swapcase() + data[at + 1 :]


BYTES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flip, flip, flip, insert, delete, truncate, duplicate, swap_lines, case,
)  # fmt: skip


def edit_tree(tree: Tree, rng: random.Random) -> None:
    """One edit of a file's bytes, or of the names."""
    path = rng.choice(sorted(tree))
    kind = rng.random()
    if kind < 0.7:
        tree[path] = rng.choice(BYTES)(tree[path] or b"\0", rng)
    elif kind < 0.78:
        del tree[path]
    elif kind < 0.86:
        other = rng.choice(sorted(tree))
        tree[path], tree[other] = tree[other], tree[path]
    elif kind < 0.93:
        tree[path + rng.choice(["2", ".bak", "~"])] = tree[path]
    else:
        name = path.rpartition("/")[0] + "/" * ("/" in path) + rng.choice(["a", "Z9", ".x"])
        tree[name] = tree.pop(path)


def write(tree: Tree, folder: Path, before: Tree) -> None:
    """Makes the folder hold exactly `tree`, touching only what differs from `before`."""
    for path in before.keys() - tree.keys():
        (folder / path).unlink()
        parent = (folder / path).parent
        while parent != folder and not any(parent.iterdir()):
            parent.rmdir()
            parent = parent.parent
    for path, data in tree.items():
        if before.get(path) != data:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)


def accepted(count: int, seed: int, work: Path) -> list[str]:
    """Runs `count` edits, one in four on the tar; describes those that were accepted."""
    rng = random.Random(seed)
    good = work / "good"
    bundles.sign(bundles.files(work / "definitions"), good)
    bundling.write_tar(good, work / "good.tar")
    whole = (work / "good.tar").read_bytes()
    original = {
        p.relative_to(good).as_posix(): p.read_bytes() for p in good.rglob("*") if p.is_file()
    }
    keys = [bundles.ALICE.public]
    assert verify(good, keys).answer == "yes"
    found = []
    for number in range(count):
        edits = rng.choice([1, 1, 2])
        if number % 4 == 3:
            data = whole
            for _ in range(edits):
                data = rng.choice(BYTES)(data, rng)
            if data == whole:
                continue
            (work / "bad.tar").write_bytes(data)
            if verify(work / "bad.tar", keys).answer == "yes":
                found.append(f"tar, edit {number}")
            continue
        tree = dict(original)
        for _ in range(edits):
            edit_tree(tree, rng)
        if tree == original:
            continue
        write(tree, good, original)
        if verify(good, keys).answer == "yes":
            found.append(f"folder, edit {number}: {tree.keys() ^ original.keys()}")
        write(original, good, tree)
    assert verify(good, keys).answer == "yes"
    return found


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    work = Path(tempfile.mkdtemp(prefix="mutate-"))
    try:
        found = accepted(count, seed, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{count} edits with seed {seed}: {len(found)} accepted")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
