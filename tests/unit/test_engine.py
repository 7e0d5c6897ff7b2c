"""Finding an engine, confining a container, telling how it ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawpro_artifact.adapters import engine, host
from clawpro_artifact.adapters.engine import finding
from clawpro_artifact.errors import InfraError

STARTED = "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("state", "timed_out", "ending", "reason"),
    [
        ({"ExitCode": 0, "StartedAt": STARTED}, False, "done", "exit code 0"),
        ({"ExitCode": 2, "StartedAt": STARTED}, False, "failed", "exit code 2"),
        # A shell's own 127 (command not found inside) is the program's doing.
        ({"ExitCode": 127, "StartedAt": STARTED}, False, "failed", "exit code 127"),
        ({"ExitCode": 137, "OOMKilled": True, "StartedAt": STARTED}, False, "oom", "out of memory"),
        ({"ExitCode": 137, "StartedAt": STARTED}, True, "timeout", "time limit"),
        ({"ExitCode": 139, "StartedAt": STARTED}, False, "signal", "signal SIGSEGV"),
        ({"ExitCode": 255, "StartedAt": STARTED}, False, "failed", "exit code 255"),
    ],
)
def test_a_container_that_ran_is_classified(
    state: dict[str, object], timed_out: bool, ending: str, reason: str
) -> None:
    found = engine.classify(state, timed_out=timed_out)
    assert (found.ending, found.reason, found.infrastructure) == (ending, reason, False)


@pytest.mark.parametrize("code", [125, 126, 127, 128])
def test_a_container_that_the_engine_could_not_start_is_infrastructure(code: int) -> None:
    state = {"ExitCode": code, "Error": "exec: no such file", "StartedAt": "0001-01-01T00:00:00Z"}
    found = engine.classify(state)
    assert found.infrastructure
    assert found.reason == "not started: exec: no such file"


def test_a_named_engine_is_the_only_candidate() -> None:
    found = engine.candidates({"DOCKER_HOST": "unix:///x.sock"}, uid=1000)
    assert found == (("unix:///x.sock", "DOCKER_HOST"),)


def test_docker_comes_before_podman_and_both_before_nothing() -> None:
    found = [source for _, source in engine.candidates({"XDG_RUNTIME_DIR": "/r"}, uid=1000)]
    assert found == ["Docker", "rootless Docker", "Podman", "rootless Podman"]


def test_a_named_engine_that_does_not_answer_is_an_error_and_no_other_is_tried() -> None:
    with (
        pytest.raises(InfraError, match="DOCKER_HOST names does not answer"),
        engine.opened({"DOCKER_HOST": "unix:///nonexistent/docker.sock"}),
    ):
        raise AssertionError("no engine can be there")


def test_a_user_without_engine_is_told_the_exact_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "is_root", lambda: False)
    monkeypatch.setattr(finding, "candidates", lambda *_: (("unix:///nonexistent/s", "Docker"),))
    with pytest.raises(InfraError) as caught, engine.opened({}):
        raise AssertionError("no engine can be there")
    assert "sudo apt-get install --no-install-recommends docker.io" in str(caught.value)
    assert caught.value.exit_code == 5


def test_doctor_says_why_an_engine_is_not_used() -> None:
    found = engine.doctor({"DOCKER_HOST": "unix:///nonexistent/docker.sock"})
    assert found.chosen is None
    assert found.probes[0].why_not == "no such socket"


def test_a_container_has_no_network_no_capability_and_no_writable_root() -> None:
    found = engine.settings(engine.Confinement(image="i", run="r", command=("true",)))
    expected = {
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "user": "10001:10001",
        "pids_limit": 256,
        "mem_limit": "2g",
        "memswap_limit": "2g",
        "labels": {"clawpro.run": "r"},
        "tmpfs": {"/tmp": "rw,exec,nosuid,nodev,mode=1777"},
    }
    assert {k: found[k] for k in expected} == expected


def test_a_label_of_the_caller_cannot_hide_a_container_from_the_sweep() -> None:
    confined = engine.Confinement(image="i", run="r", command=(), labels={"clawpro.run": "other"})
    assert engine.settings(confined)["labels"] == {"clawpro.run": "r"}


def test_binds_are_read_only_unless_asked() -> None:
    binds = (engine.Bind(Path("/a"), "/x"), engine.Bind(Path("/b"), "/y", writable=True))
    found = engine.settings(engine.Confinement(image="i", run="r", command=(), binds=binds))
    assert found["volumes"] == {
        "/a": {"bind": "/x", "mode": "ro"},
        "/b": {"bind": "/y", "mode": "rw"},
    }


def test_a_pid_file_that_names_another_program_is_not_our_engine(tmp_path: Path) -> None:
    (tmp_path / "dockerd.pid").write_text("1")
    assert engine.PrivateEngine(tmp_path).pid is None


def test_the_socket_path_fits_the_kernel_however_long_the_cache_folder_is(tmp_path: Path) -> None:
    private = engine.PrivateEngine(tmp_path / ("x" * 120))
    assert len(str(private.runtime / "exec/containerd/containerd-debug.sock")) <= 104
