"""a machine without an engine -> a private dockerd of ours, gone when the work is done.

Everything of it lies in one folder (data root, exec root, socket, pid file, log). One that
survived kill -9 is told by its pid file *and* its command line, and used again.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import docker

from clawpro_artifact.adapters import host
from clawpro_artifact.adapters.store import make_folder
from clawpro_artifact.errors import InfraError

_START_S = 60.0
_STOP_S = 30.0
# sun_path is 108 bytes with its final zero (unix(7)).
_MAX_SOCKET = 107


@dataclass(frozen=True)
class PrivateEngine:
    """A dockerd below `folder`."""

    folder: Path

    @property
    def socket(self) -> Path:
        """Where it listens; a short path whatever the user's cache folder is called."""
        own = self.folder / "docker.sock"
        if len(os.fsencode(own)) <= _MAX_SOCKET:
            return own
        return Path(f"/run/clawpro-{os.getuid()}.sock")

    @property
    def address(self) -> str:
        """For DOCKER_HOST."""
        return f"unix://{self.socket}"

    @property
    def pid(self) -> int | None:
        """Of our running dockerd; a pid that another program got since is not taken for it."""
        try:
            pid = int((self.folder / "dockerd.pid").read_text())
            line = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return None
        ours = os.fsencode(self.folder / "data")
        is_ours = ours in line and Path(os.fsdecode(line[0])).name == "dockerd"
        return pid if is_ours else None

    def start(self) -> bool:
        """Start it unless it runs. True if this call started it. InfraError with its last words."""
        if self.pid is not None and self._answers(5):
            return False
        self.stop()
        program = host.require("dockerd")
        make_folder(self.folder, 0o711)
        self.socket.unlink(missing_ok=True)
        log = self.folder / "dockerd.log"
        command = [
            program,
            "--data-root",
            str(self.folder / "data"),
            f"--exec-root={self.folder / 'exec'}",
            f"--pidfile={self.folder / 'dockerd.pid'}",
            f"--host={self.address}",
            # Trials have no network at all; so neither a bridge nor a firewall rule is made.
            "--iptables=false",
            "--ip6tables=false",
            "--bridge=none",
        ]
        with log.open("ab") as out:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                cwd="/",
            )
        end = time.monotonic() + _START_S
        while time.monotonic() < end:
            if process.poll() is not None:
                break
            if self._answers(2):
                return True
            time.sleep(0.2)
        self.stop()
        if process.poll() is None:
            process.terminate()
        raise InfraError(
            "the private container engine did not start",
            where=str(log),
            expected="a running dockerd",
            found=_tail(log),
            do="start an engine yourself and set DOCKER_HOST",
        )

    def stop(self) -> None:
        """Stop it, its containerd and its mounts. Nothing happens if it does not run."""
        pid = self.pid
        if pid is not None:
            os.kill(pid, signal.SIGTERM)
            end = time.monotonic() + _STOP_S
            while self.pid == pid and time.monotonic() < end:
                _reap(pid)
                time.sleep(0.1)
            if self.pid == pid:
                os.kill(pid, signal.SIGKILL)
        self._stop_containerd()
        self._unmount()
        for name in (self.socket, self.folder / "dockerd.pid"):
            name.unlink(missing_ok=True)

    def _stop_containerd(self) -> None:
        """A killed dockerd leaves its containerd; ours is told by its config path."""
        try:
            pid = int((self.folder / "exec" / "containerd" / "containerd.pid").read_text())
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return
        if os.fsencode(self.folder) in line:
            os.kill(pid, signal.SIGTERM)
            end = time.monotonic() + _STOP_S
            while Path(f"/proc/{pid}").exists() and time.monotonic() < end:
                _reap(pid)
                time.sleep(0.1)

    def _unmount(self) -> None:
        below = f"{self.folder}/"
        mounts = [
            line.split()[1].encode().decode("unicode_escape")
            for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
        ]
        for place in sorted((m for m in mounts if m.startswith(below)), reverse=True):
            # Lazy: a container that dies at this moment may still hold it.
            subprocess.run(["umount", "--lazy", place], check=False, capture_output=True)

    def _answers(self, seconds: float) -> bool:
        if not self.socket.exists():
            return False
        try:
            client = docker.DockerClient(base_url=self.address, timeout=max(1, int(seconds)))
            try:
                return bool(client.ping())
            finally:
                client.close()
        except (docker.errors.DockerException, OSError):
            return False


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return


def _tail(log: Path, lines: int = 8) -> str:
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except OSError as error:
        return str(error)
