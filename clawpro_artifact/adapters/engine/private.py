"""a machine without an engine -> a private dockerd of ours, gone when the work is done.

Its data, pid file and log lie in one folder, its sockets in `/run/clawpro-<hash>`. One that
survived kill -9 is told by its pid file *and* its command line, and used again.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docker

from clawpro_artifact.adapters import host
from clawpro_artifact.adapters.store import make_folder
from clawpro_artifact.errors import InfraError

_START_S = 60.0
_STOP_S = 30.0


@dataclass(frozen=True)
class PrivateEngine:
    """A dockerd below `folder`."""

    folder: Path

    @property
    def runtime(self) -> Path:
        """Sockets and state of this boot, at a short path whatever the cache folder is called.

        A socket's path has at most 104 bytes for containerd.
        """
        name = hashlib.sha256(os.fsencode(self.folder.absolute())).hexdigest()[:8]
        return Path("/run") / f"clawpro-{name}"

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.runtime / "docker.sock"

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
        make_folder(self.runtime, 0o711)
        log = self.folder / "dockerd.log"
        command = [
            program,
            "--data-root",
            str(self.folder / "data"),
            f"--exec-root={self.runtime / 'exec'}",
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

    @contextlib.contextmanager
    def lease(self) -> Iterator[bool]:
        """Started for the block; stopped at its end unless another process uses it too.

        Gives whether this process is alone, so that leftovers of a killed one may be removed. The
        kernel drops the lock of a killed process.
        """
        make_folder(self.folder, 0o711)
        with (self.folder / "lease").open("w") as lock:
            alone = _try_lock(lock.fileno())
            if not alone:
                fcntl.flock(lock, fcntl.LOCK_SH)  # waits while another one starts it
            self.start()
            fcntl.flock(lock, fcntl.LOCK_SH)
            try:
                yield alone
            finally:
                if _try_lock(lock.fileno()):
                    self.stop()

    def stop(self) -> None:
        """Stop it, its containerd and its mounts. Nothing happens if it does not run."""
        pid = self.pid
        if pid is not None:
            _end(pid)
        self._stop_containerd()
        self._unmount()
        (self.folder / "dockerd.pid").unlink(missing_ok=True)
        shutil.rmtree(self.runtime, ignore_errors=True)

    def _stop_containerd(self) -> None:
        """A killed dockerd leaves its containerd; ours is told by its config path."""
        try:
            pid = int((self.runtime / "exec" / "containerd" / "containerd.pid").read_text())
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return
        if os.fsencode(self.runtime) in line:
            _end(pid)

    def _unmount(self) -> None:
        below = (f"{self.folder.absolute()}/", f"{self.runtime}/")
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


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end(pid: int) -> None:
    """TERM, wait, KILL. The pid file is gone before the process is, so the process is asked."""
    for number, seconds in ((signal.SIGTERM, _STOP_S), (signal.SIGKILL, 5.0)):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        end = time.monotonic() + seconds
        while running(pid) and time.monotonic() < end:
            time.sleep(0.05)


def running(pid: int) -> bool:
    """Whether a process runs; one that ended and was not waited for (a zombie) does not."""
    # Not our child: then its own parent waits for it.
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        # The state follows the name in parentheses, which may hold anything (proc(5)).
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _tail(log: Path, lines: int = 8) -> str:
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except OSError as error:
        return str(error)
