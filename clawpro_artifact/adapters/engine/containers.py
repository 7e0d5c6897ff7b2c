"""Confinement + command -> a container that can reach nothing but what is bound into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docker.types import Ulimit

from clawpro_artifact.model.image import SPACE, USER

RUN_LABEL = "clawpro.run"
OPEN_FILES = 16384
PROCESSES = 32768


@dataclass(frozen=True)
class Bind:
    """A folder or file of this machine at a place in the container."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True)
class Confinement:
    """What a container may use. There is no way to ask for a network or a capability."""

    image: str
    run: str
    command: tuple[str, ...]
    binds: tuple[Bind, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    working_dir: str = SPACE
    user: str = USER
    memory: str = "2g"
    cpus: float | None = None
    pids: int = 256
    # Browsers want shared memory; /dev/shm is 64 MiB otherwise.
    shm: str | None = None
    tmpfs: tuple[tuple[str, str], ...] = (("/tmp", "rw,exec,nosuid,nodev,mode=1777"),)
    name: str | None = None


def settings(confinement: Confinement) -> dict[str, Any]:
    """Keyword arguments of the docker SDK's `containers.create`."""
    c = confinement
    found: dict[str, Any] = {
        "image": c.image,
        "command": list(c.command),
        "entrypoint": [],
        "user": c.user,
        "working_dir": c.working_dir,
        "environment": dict(c.environment),
        "labels": {**c.labels, RUN_LABEL: c.run},
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "pids_limit": c.pids,
        "mem_limit": c.memory,
        # The same as the memory: no swap, so a limit is a limit.
        "memswap_limit": c.memory,
        # Said and not inherited: engines differ, and Podman's defaults cannot be had where
        # CAP_SYS_RESOURCE is missing. Processes are counted per user over all containers, so
        # that number is no limit of a trial; `pids_limit` is.
        "ulimits": [
            Ulimit(name="nofile", soft=OPEN_FILES, hard=OPEN_FILES),
            Ulimit(name="nproc", soft=PROCESSES, hard=PROCESSES),
            Ulimit(name="core", soft=0, hard=0),
        ],
        "tmpfs": dict(c.tmpfs),
        "volumes": {
            str(b.source): {"bind": b.target, "mode": "rw" if b.writable else "ro"} for b in c.binds
        },
        "detach": True,
        "stdin_open": False,
        "tty": False,
        "hostname": "agent",
        "log_config": {"Type": "json-file", "Config": {"max-size": "16m", "max-file": "1"}},
    }
    if c.cpus is not None:
        found["nano_cpus"] = int(c.cpus * 1e9)
    if c.shm is not None:
        found["shm_size"] = c.shm
    if c.name is not None:
        found["name"] = c.name
    return found


def with_init(command: Sequence[str]) -> tuple[str, ...]:
    """The command under the image's `tini`, which reaps orphans and passes signals on."""
    return ("/usr/bin/tini", "-g", "--", *command)
