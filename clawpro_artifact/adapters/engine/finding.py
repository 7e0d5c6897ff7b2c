"""environment + sockets -> Doctor: which engines there are, and why not."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker
import requests

from clawpro_artifact.adapters import host
from clawpro_artifact.adapters.engine.core import Engine
from clawpro_artifact.adapters.engine.private import PrivateEngine
from clawpro_artifact.errors import InfraError

INSTALL = "sudo apt-get install --no-install-recommends docker.io"


@dataclass(frozen=True)
class Probe:
    """One place that was looked at; `why_not` is None for an engine that answers."""

    address: str
    source: str
    why_not: str | None
    product: str | None = None
    version: str | None = None
    storage: str | None = None
    cgroup: str | None = None


@dataclass(frozen=True)
class Doctor:
    """What this machine can do. `chosen` is the engine that would be used, None if none is."""

    probes: tuple[Probe, ...]
    chosen: Probe | None
    can_start_private: bool
    advice: str | None


def candidates(environment: Mapping[str, str], uid: int) -> tuple[tuple[str, str], ...]:
    """(address, where it comes from), the order in which engines are tried.

    DOCKER_HOST alone if it is set: a person who names an engine wants no other.
    """
    named = environment.get("DOCKER_HOST")
    if named:
        return ((named, "DOCKER_HOST"),)
    runtime = environment.get("XDG_RUNTIME_DIR") or f"/run/user/{uid}"
    return (
        ("unix:///var/run/docker.sock", "Docker"),
        (f"unix://{runtime}/docker.sock", "rootless Docker"),
        ("unix:///run/podman/podman.sock", "Podman"),
        (f"unix://{runtime}/podman/podman.sock", "rootless Podman"),
    )


def probe(address: str, source: str) -> Probe:
    """Ask one address who it is."""
    if address.startswith("unix://") and not Path(address.removeprefix("unix://")).exists():
        return Probe(address, source, "no such socket")
    try:
        client = docker.DockerClient(base_url=address, timeout=10)
        try:
            version: dict[str, Any] = client.version()
            info: dict[str, Any] = client.info()
        finally:
            client.close()
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        return Probe(address, source, str(error)[:300])
    parts = [str(c.get("Name", "")) for c in version.get("Components", ())]
    podman = any("Podman" in part for part in parts)
    return Probe(
        address,
        source,
        None,
        product="podman" if podman else "docker",
        version=str(version.get("Version")),
        storage=str(info.get("Driver")),
        cgroup=str(info.get("CgroupVersion") or "unknown"),
    )


def doctor(environment: Mapping[str, str] | None = None) -> Doctor:
    """Look at every place and change nothing."""
    found = environment if environment is not None else os.environ
    probes = [probe(*c) for c in candidates(found, os.getuid())]
    if not found.get("DOCKER_HOST"):
        probes.append(probe(private_engine().address, "private dockerd of ours"))
    chosen = next((p for p in probes if p.why_not is None), None)
    can_start = host.is_root() and (host.find("dockerd") is not None or host.is_debian())
    advice = None
    if chosen is None and not can_start:
        advice = f"run `{INSTALL}` and add yourself to the group docker, or set DOCKER_HOST"
    elif chosen is None:
        advice = "none is needed: a private dockerd is started for the time of a release"
    return Doctor(tuple(probes), chosen, can_start, advice)


def private_engine() -> PrivateEngine:
    """The private dockerd of this user."""
    return PrivateEngine(host.cache_folder() / "engine")


@contextlib.contextmanager
def opened(environment: Mapping[str, str] | None = None) -> Iterator[Engine]:
    """An engine for as long as the block runs.

    One that was found is used; else, as root, a private dockerd is started and stopped at the end.
    Raises InfraError with the exact command to run.
    """
    found = environment if environment is not None else os.environ
    for address, source in candidates(found, os.getuid()):
        seen = probe(address, source)
        if seen.why_not is None:
            with contextlib.closing(Engine(address)) as engine:
                yield engine
            return
        if source == "DOCKER_HOST":
            raise InfraError(
                "the engine that DOCKER_HOST names does not answer",
                where=address,
                expected="a Docker or Podman socket",
                found=seen.why_not,
                do="start it, or unset DOCKER_HOST",
            )
    if not host.is_root():
        raise InfraError(
            "no container engine is running",
            expected="Docker or Podman on one of their sockets, or DOCKER_HOST",
            found="; ".join(a for a, _ in candidates(found, os.getuid())),
            do=f"run `{INSTALL}` and `sudo usermod -aG docker $USER`, then log in again",
        )
    private = private_engine()
    with private.lease() as alone, contextlib.closing(Engine(private.address)) as engine:
        if alone:
            # Whatever carries our label here is a leftover of a killed run.
            engine.sweep()
        yield engine
