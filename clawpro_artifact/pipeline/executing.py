"""files + command -> output, in a fresh container without network (checks that run a program)."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from clawpro_artifact.adapters.engine import Bind, Confinement, Engine, with_init
from clawpro_artifact.checking import ProgramResult
from clawpro_artifact.errors import InfraError

_USER = 10001


class ContainerExecutor:
    """`checking.Executor`: what an agent wrote is run here and nowhere else."""

    def __init__(self, engine: Engine, image: str, run: str) -> None:
        self._engine = engine
        self._image = image
        self._run = run

    def __call__(
        self, files: Mapping[str, bytes], command: Sequence[str], stdin: bytes, timeout_s: int
    ) -> ProgramResult:
        """Raises InfraError when the engine fails."""
        with tempfile.TemporaryDirectory(prefix="clawpro-x-") as place:
            root = Path(place)
            root.chmod(0o755)
            work = root / "work"
            work.mkdir()
            os.chown(work, _USER, _USER)
            for name, data in files.items():
                target = work / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                if data[:2] == b"#!":
                    target.chmod(0o755)
            for path in work.rglob("*"):
                os.chown(path, _USER, _USER)
            (root / "stdin").write_bytes(stdin)
            line = f"exec {shlex.join(command)} < /stdin"
            ended, out, _ = self._engine.run(
                Confinement(
                    image=self._image,
                    run=self._run,
                    command=with_init(("/bin/bash", "-c", line)),
                    binds=(Bind(work, "/work", writable=True), Bind(root / "stdin", "/stdin")),
                    working_dir="/work",
                ),
                timeout_s,
            )
        if ended.infrastructure:
            raise InfraError("a check's program could not be started", found=ended.reason)
        code = -1 if ended.code is None else ended.code
        return ProgramResult(code, out, ended.ending == "timeout")
