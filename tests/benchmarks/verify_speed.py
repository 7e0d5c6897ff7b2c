"""CPU and memory of bundling and verifying, relative to `sha256sum -c` over the same files.

`python -m tests.benchmarks.verify_speed [MIB] [FILES] [FOLDER]` (default 1024 MiB, 10,000 files).
The bulk is image layers, as in a release `--with-images`; 900 files are traces of 300 trials.
"""

from __future__ import annotations

import hashlib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from clawpro_artifact import bundling
from clawpro_artifact.bundling import BundleFile
from clawpro_artifact.bundling.zipapp import build_verifier
from clawpro_artifact.formats import oci, trust
from clawpro_artifact.verifying.partial import verify_trial
from tests import bundles

TRIAL = "claw-reference/tidy-notes/1"


def measured(*command: str, cwd: Path) -> tuple[float, float]:
    """CPU seconds and peak MiB of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as p:
        output, _ = p.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if b"FAILED" in output or p.returncode not in (0, 1):
        raise SystemExit(output.decode()[-2000:])
    print(output.decode().splitlines()[-1] if output.strip() else "", file=sys.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, _peak(command, cwd)


def _peak(command: tuple[str, ...], cwd: Path) -> float:
    """Peak resident memory of the same command, from a fresh parent."""
    script = (
        "import resource,subprocess,sys;"
        "subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command], cwd=cwd, capture_output=True, check=True
    )
    return int(done.stdout) / 1024


def prepare(folder: Path, mib: int, count: int) -> Path:
    """A bundle of about this size and number of files."""
    small, extra = 3 << 20, count - 953  # what 300 trials and their documents come to
    size = max(1, ((mib << 20) - small) // extra)
    rng = random.Random(1)
    block = rng.randbytes(size + extra)
    layers = folder / "layers"
    layers.mkdir()
    blobs = []
    for number in range(extra):
        data = block[number : number + size]
        path = layers / f"{number}"
        path.write_bytes(data)
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        blobs.append((oci.Blob(digest, size, "bulk"), path))
    settings = oci.Settings("10001:10001", "/work/space", (), {}, 0)
    image = oci.documents([b for b, _ in blobs], settings)
    bundles.CONFIG = image.config_digest
    files: dict[str, bytes | Path] = dict(bundles.composed(folder / "definitions", trials=100))
    layout = oci.layout({"openclaw-2026.9.6": (image, blobs)})
    files |= {f"data/oci/{p}": source for p, source in layout.items()}
    content = [BundleFile(p, d) for p, d in files.items()]
    start = os.times()
    bundling.bundle(content, [bundles.ALICE], bundles.INFO, folder / "bundle")
    end = os.times()
    print(f"bundling: {end.user + end.system - start.user - start.system:.2f} s CPU")
    shutil.rmtree(layers)
    return folder / "bundle"


def main() -> None:
    mib = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    folder = Path(tempfile.mkdtemp(prefix="speed-", dir=sys.argv[3] if len(sys.argv) > 3 else None))
    try:
        bundle = prepare(folder, mib, count)
        base, _ = measured("sha256sum", "-c", "--quiet", "manifest-sha256.txt", cwd=bundle)
        print(f"sha256sum -c: {base:.2f} s CPU")
        build_verifier(folder / "verify.pyz")
        (folder / "key.pem").write_bytes(bundles.ALICE.public.pem)
        me = [sys.executable, str(folder / "verify.pyz"), str(bundle), "--key"]
        me.append(str(folder / "key.pem"))
        for name, command in (("verify", me), ("verify --trial", [*me, "--trial", TRIAL])):
            cpu, peak = measured(*command, cwd=folder)
            print(f"{name}: {cpu:.2f} s CPU, ratio {cpu / base:.2f}, peak {peak:.0f} MiB")
        _, read = verify_trial(bundle, TRIAL, trust.of_keys([bundles.ALICE.public]))
        print(f"verify --trial reads {100 * read / (mib << 20):.2f} % of the bytes")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
