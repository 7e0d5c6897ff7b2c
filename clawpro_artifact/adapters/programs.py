"""command + files -> output: runs our own trusted programs (derivations, policies) on this host.

Never for what an agent wrote in a real trial: that runs in a fresh container without network.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clawpro_artifact.errors import InfraError

MOST_OUTPUT = 4_000_000


@dataclass(frozen=True)
class Output:
    """What a program did; standard error apart from standard output."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool = False


def run_in(
    folder: Path,
    command: Sequence[str],
    *,
    stdin: bytes = b"",
    timeout_s: float,
    home: Path,
    environment: Mapping[str, str] | None = None,
) -> Output:
    """Run `command` in `folder` with a scrubbed environment; its process group ends with it.

    `environment` is added to the scrubbed one.
    """
    scrubbed = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    try:
        process = subprocess.Popen(
            list(command),
            cwd=folder,
            env={**scrubbed, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise InfraError(
            "a program cannot be started", where=str(folder), found=str(error), expected=command[0]
        ) from None
    timed_out = False
    try:
        out, err = process.communicate(stdin, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        timed_out = True
        _end(process)
        out, err = process.communicate()
    finally:
        _end(process)
    return Output(process.returncode, out[:MOST_OUTPUT], err[:MOST_OUTPUT], timed_out)


def run_python(script: Path, *arguments: str, timeout_s: float = 30) -> Output:
    """Run a stand-alone script with `python -I -S`: the standard library and nothing else."""
    with tempfile.TemporaryDirectory(prefix="clawpro-") as folder:
        return run_in(
            Path(folder),
            [sys.executable, "-I", "-S", str(script.resolve()), *arguments],
            timeout_s=timeout_s,
            home=Path(folder),
        )


def run_over(
    files: Mapping[str, bytes], command: Sequence[str], stdin: bytes, timeout_s: int
) -> Output:
    """Run `command` over a fresh copy of `files`: the host's stand-in for the grading container."""
    with tempfile.TemporaryDirectory(prefix="clawpro-") as folder:
        place = Path(folder) / "space"
        place.mkdir()
        for name, data in files.items():
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            if data.startswith(b"#!"):
                target.chmod(0o755)
        return run_in(place, command, stdin=stdin, timeout_s=timeout_s, home=Path(folder))


def _end(process: subprocess.Popen[bytes]) -> None:
    # ProcessLookupError: the group is gone already, which is what is wanted.
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
