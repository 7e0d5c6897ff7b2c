"""program names -> programs on this machine: found, installed from Debian when root, run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from clawpro_artifact.errors import InfraError

# Debian package of each program that we call.
PACKAGES: dict[str, str] = {
    "apt-get": "apt",
    "dpkg-deb": "dpkg",
    "mmdebstrap": "mmdebstrap",
    "npm": "npm",
    "dockerd": "docker.io",
}
_TAIL = 4000


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/clawpro` (default `~/.cache/clawpro`): rebuildable data of this user."""
    root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(root) / "clawpro"


def is_root() -> bool:
    """Whether this process may install packages and start a daemon."""
    return os.geteuid() == 0


def is_debian() -> bool:
    """Debian or a derivative, by os-release."""
    try:
        text = Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return False
    return any(
        line.startswith(("ID=", "ID_LIKE=")) and ("debian" in line or "ubuntu" in line)
        for line in text.splitlines()
    )


def require(program: str, *, install: bool = True) -> str:
    """The path of a program; on Debian as root it is installed if missing, no questions asked.

    Raises InfraError with the exact command to run where that is not possible.
    """
    found = find(program)
    if found:
        return found
    package = PACKAGES[program]
    if install and is_root() and is_debian():
        install_package(package)
        found = find(program)
        if found:
            return found
    raise InfraError(
        f"the program {program} is missing",
        expected=f"{program} on PATH, of Debian's package {package}",
        found="nothing",
        do=f"run `sudo apt-get install --no-install-recommends {package}`",
    )


def find(program: str) -> str | None:
    """Where a program is, system folders included whatever PATH says."""
    path = os.environ.get("PATH", "")
    return shutil.which(program, path=f"{path}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin")


def install_package(package: str) -> None:
    """`apt-get install` without recommends and without starting its services."""
    environment = {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    apt = require("apt-get", install=False)
    run([apt, "-q", "update"], env=environment, timeout_s=300)
    run(
        [apt, "-q", "-y", "--no-install-recommends", "install", package],
        env=environment,
        timeout_s=900,
    )


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdout: int | None = None,
    timeout_s: float = 1800,
) -> bytes:
    """Run to the end and give standard output; InfraError shows the end of what it said.

    Messages are in C.UTF-8 whatever the user's locale, and times in UTC.
    """
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC", **(env or {})}
    try:
        done = subprocess.run(
            list(command),
            env=environment,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE,
            umask=0o022,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfraError(
            f"{Path(command[0]).name} did not run to its end",
            where=" ".join(command[:4]),
            found=str(error),
        ) from None
    if done.returncode != 0:
        said = (done.stderr + b"\n" + (done.stdout or b"")).decode("utf-8", "replace").strip()
        raise InfraError(
            f"{Path(command[0]).name} failed",
            where=" ".join(command[:4]),
            expected="exit code 0",
            found=f"exit code {done.returncode}: {said[-_TAIL:]}",
        )
    return done.stdout or b""
