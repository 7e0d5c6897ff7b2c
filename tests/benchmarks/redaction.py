"""`python -m tests.benchmarks.redaction`: speed, memory, recall beside detect-secrets.

Exit 1 if a promise is not kept: 20 MB/s on one core, 300 MB for a tool result of 50 MB and 7,000
events, recall of 100 %, at most 0.5 % of clean texts touched.
"""

from __future__ import annotations

import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from clawpro_artifact.model.trace import Event
from clawpro_artifact.sanitizing import sanitize
from clawpro_artifact.sanitizing.redactor import Redactor, Secret
from tests import planted
from tests.unit.test_sanitizing import trial

SEED = 20261201
SPEED, MEMORY = 20.0, 300.0  # MB/s of one core, MB


def text_of(size: int, seed: int) -> str:
    """Clean texts, each line another one, with a secret every megabyte."""
    r = random.Random(seed)
    pieces, done = [], 0
    texts = planted.clean_texts(seed, 2000)
    while done < size:
        piece = f"{r.random()} {r.choice(texts)}\n"
        pieces.append(piece)
        done += len(piece)
    return "".join(pieces)[:size]


def speed() -> float:
    """MB/s of processor time, redacting and looking for what is left."""
    secrets = tuple(Secret(v, "credential") for _, _, v, _ in planted.exact(SEED))[:8]
    redactor = Redactor(secrets, b"k" * 32, "t")
    text = text_of(20_000_000, SEED)
    start = time.process_time()
    assert redactor.left_in(redactor.text(text, "x")) is None
    return len(text) / 1e6 / (time.process_time() - start)


def memory() -> float:
    """Peak MB of a process that cleans a 50 MB tool result and 7,000 events; its input included."""
    run = subprocess.run([sys.executable, "-m", __spec__.name, "--big"], check=True,
                         capture_output=True, text=True)  # fmt: skip
    return float(run.stdout)


def big() -> None:
    """The process that `memory` measures."""
    blobs: dict[str, bytes] = {}
    data = {"call": "1", "tool": "exec", "status": "ok", "text": text_of(50_000_000, 1)}
    events = [Event(seq=0, kind="tool_result", witness="boundary", data=data)]
    texts = planted.clean_texts(3, 500)
    for seq in range(1, 7000):
        text = f"{seq} {texts[seq % 500]}"
        events.append(Event(seq=seq, kind="tool_result", witness="boundary",
                            data={"call": str(seq), "tool": "exec", "text": text}))  # fmt: skip
    raw = trial("nothing", blobs, events=tuple(events))
    write: Callable[[bytes], str] = lambda b: "sha256:" + hashlib.sha256(b).hexdigest()  # noqa: E731
    sanitize(raw, {"db": "cpk-" + "q7Z" * 10}, [], b"k" * 32, blobs.__getitem__, write)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _theirs(text: str) -> bool:
    """As its scan of a file does, with the plugins and filters of `detect-secrets scan`."""
    from detect_secrets import SecretsCollection
    from detect_secrets.settings import default_settings

    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file, default_settings():
        file.write(text + "\n")
        file.flush()
        found = SecretsCollection()
        found.scan_file(file.name)
        return any(True for _ in found)


def table() -> Iterator[tuple[str, int, int, int]]:
    """(row, texts, found by us, found by detect-secrets with its default plugins)."""
    ours = Redactor((), b"k" * 32, "t")
    n: Counter[str] = Counter()
    us: Counter[str] = Counter()
    them: Counter[str] = Counter()
    for group, _, encoding, value, text in planted.planted(SEED):
        row = f"{group}, {'plain' if encoding == 'plain' else 'encoded'}"
        clean = ours.text(text, "x")
        n[row] += 1
        us[row] += not any(t in clean for t in planted.traces_of(value))
        them[row] += _theirs(text)
    for _, encoding, value, text in planted.exact(SEED):
        row = f"known to the run, {'plain' if encoding == 'plain' else 'encoded'}"
        clean = Redactor((Secret(value, "credential"),), b"k" * 32, "t").text(text, "x")
        n[row] += 1
        us[row] += not any(t in clean for t in planted.traces_of(value))
        them[row] += _theirs(text)
    for text in planted.clean_texts(SEED, 2000):
        n["clean"] += 1
        us["clean"] += ours.text(text, "x") != text
        them["clean"] += _theirs(text)
    for row in n:
        yield row, n[row], us[row], them[row]


def main() -> int:
    """Measure, print, judge."""
    if sys.argv[1:] == ["--big"]:
        big()
        return 0
    fast, much = speed(), memory()
    rows = list(table())
    print(f"speed   {fast:6.1f} MB/s of one core (promised {SPEED})")
    print(f"memory  {much:6.1f} MB at most (promised {MEMORY})")
    print(f"{'texts':<28}{'number':>8}{'ours':>8}{'detect-secrets':>16}")
    for row, number, us, them in rows:
        print(f"{row:<28}{number:>8}{us:>8}{them:>16}")
    good = all(us == number for row, number, us, _ in rows if row != "clean")
    few = all(us <= number // 200 for row, number, us, _ in rows if row == "clean")
    result = {"mb_per_s": round(fast, 1), "peak_mb": round(much, 1), "rows": rows}
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(result, indent=1))
    return 0 if good and few and fast >= SPEED and much <= MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
