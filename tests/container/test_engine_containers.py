"""Containers of ours in a real engine: what they cannot do, and how their ends are told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clawpro_artifact import building
from clawpro_artifact.adapters import engine as engines
from clawpro_artifact.adapters import host
from clawpro_artifact.adapters.engine.private import running
from clawpro_artifact.errors import InfraError, PinError
from clawpro_artifact.model.image import Image

pytestmark = pytest.mark.container
IMAGES = Path(__file__).parents[2] / "images"


def confined(image: Image, script: str, **more: object) -> engines.Confinement:
    command = engines.with_init(("bash", "-c", script))
    return engines.Confinement(image=image.tag, run="test", command=command, **more)  # type: ignore[arg-type]


def test_an_agent_has_no_network_no_capability_and_no_writable_root(
    engine: engines.Engine, image: Image
) -> None:
    script = (
        "id -u; ls /sys/class/net; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status | tr '\\t' ' ';"
        "touch /usr/x 2>&1; touch /tmp/x && echo wrote"
    )
    ended, out, _ = engine.run(confined(image, script), 60)
    assert ended.ending == "done"
    assert out.decode().splitlines() == [
        "10001",
        "lo",
        "CapEff: 0000000000000000",
        "NoNewPrivs: 1",
        "touch: cannot touch '/usr/x': Read-only file system",
        "wrote",
    ]


def test_a_container_over_its_memory_is_out_of_memory(engine: engines.Engine, image: Image) -> None:
    script = "exec python3 -c 'x = bytearray(400 << 20)'"
    ended, _, _ = engine.run(confined(image, script, memory="64m"), 60)
    if engines.finding.probe(engine.address, "test").product == "podman":
        # Podman 4.3 with runc and cgroup v1 does not tell (measured): a kill that was not ours.
        assert (ended.ending, ended.reason) == ("signal", "signal SIGKILL")
    else:
        assert (ended.ending, ended.reason) == ("oom", "out of memory")


def test_a_container_over_its_time_is_ended(engine: engines.Engine, image: Image) -> None:
    ended, out, _ = engine.run(confined(image, "echo here; sleep 60"), 2)
    assert (ended.ending, out) == ("timeout", b"here\n")


def test_a_program_that_does_not_exist_is_infrastructure_and_leaves_nothing(
    engine: engines.Engine, image: Image
) -> None:
    wrong = engines.Confinement(image=image.tag, run="test-missing", command=("/nonexistent",))
    with pytest.raises(InfraError, match="did not start"):
        engine.run(wrong, 10)
    assert engine.sweep("test-missing") == ()


def test_a_sweep_removes_the_containers_of_one_run_only(
    engine: engines.Engine, image: Image
) -> None:
    kept = engine.start(confined(image, "sleep 60"))
    swept = engine.start(
        engines.Confinement(image=image.tag, run="test-sweep", command=("sleep", "60"))
    )
    try:
        assert engine.sweep("test-sweep") == (swept.id,)
        kept.reload()
        assert kept.status == "running"
    finally:
        engine.remove(kept)


def test_openclaw_starts_on_a_read_only_root(engine: engines.Engine, image: Image) -> None:
    ended, out, err = engine.run(confined(image, "HOME=/tmp openclaw --version"), 120)
    assert ended.ending == "done", err
    assert "2026.9.6" in out.decode()


def test_compiled_python_modules_are_fresh_in_the_image(
    engine: engines.Engine, image: Image
) -> None:
    script = "python3 -v -c 'import json' 2>&1 | grep -c 'matches.*json/__init__'"
    ended, out, _ = engine.run(confined(image, script), 60)
    assert (ended.ending, out) == ("done", b"1\n")


def test_another_image_under_our_tag_is_refused(engine: engines.Engine, image: Image) -> None:
    locked = building.read(IMAGES / "openclaw-2026.9.6")
    name, _, version = image.tag.partition(":")
    container = engine.start(confined(image, "sleep 60"))
    changed = None
    try:
        changed = container.commit(repository=name, tag=version, changes="ENV EVIL=1")
        with pytest.raises(PinError, match="not the locked one"):
            building.build(locked, engine, building.Workshop())
    finally:
        engine.remove(container)
        engine.tag(image.config, image.tag)
        if changed is not None:
            engine.client.images.remove(changed.id)


@pytest.mark.skipif(
    not (host.is_root() and host.find("dockerd")), reason="a private engine needs root and dockerd"
)
def test_a_private_engine_that_survived_a_kill_is_used_again_and_then_gone(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "DOCKER_HOST"}
    environment["XDG_CACHE_HOME"] = str(tmp_path)
    script = (
        "import time\nfrom clawpro_artifact.adapters import engine\n"
        "private = engine.finding.private_engine()\nprint(private.start(), flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script]
    first = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None
    assert first.stdout.readline() == "True\n"
    first.send_signal(signal.SIGKILL)
    first.wait()

    private = engines.PrivateEngine(tmp_path / "clawpro" / "engine")
    survivor = private.pid
    assert survivor is not None
    assert private.start() is False
    private.stop()
    assert private.pid is None
    assert not running(survivor)
    assert not private.socket.exists()
    mounts = Path("/proc/self/mounts").read_text()
    assert str(tmp_path) not in mounts


@pytest.mark.skipif(
    not (host.is_root() and host.find("dockerd")), reason="a private engine needs root and dockerd"
)
def test_a_private_engine_lives_as_long_as_its_last_user(tmp_path: Path) -> None:
    private = engines.PrivateEngine(tmp_path / "engine")
    with private.lease() as first:
        with private.lease() as second:
            assert (first, second) == (True, False)
        assert private.pid is not None
    assert private.pid is None
