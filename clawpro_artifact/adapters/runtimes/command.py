"""TrialSpec + Scenario -> RawAttempt: any program, prompt on its input, answer on its output.

For agents that we have no adapter for. The program runs on this machine, as this user, in a fresh
copy of the scenario's workspace: nothing confines it, and the record says so. It may use the model
boundary at `CLAWPRO_MODEL_SOCKET`; where it brings a model of its own, the trace is its deeds alone
and declared events do not happen before its end.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.boundary import BoundaryServer, Recorder, Watch
from clawpro_artifact.adapters.clock import monotonic, now, timestamp
from clawpro_artifact.adapters.programs import MOST_OUTPUT, Output, run_in
from clawpro_artifact.adapters.runtimes import space as spaces
from clawpro_artifact.adapters.runtimes.direct import ModelFor
from clawpro_artifact.adapters.runtimes.host import RawAttempt
from clawpro_artifact.adapters.runtimes.outcome import judge
from clawpro_artifact.adapters.runtimes.world import World
from clawpro_artifact.errors import InfraError
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model import canary
from clawpro_artifact.model.manifest import Command
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.prompt import compose_prompt
from clawpro_artifact.model.scenario import Scenario
from clawpro_artifact.model.trial import Outcome

SOCKET_VARIABLE = "CLAWPRO_MODEL_SOCKET"
TRIAL_VARIABLE = "CLAWPRO_TRIAL"


class CommandHost:
    """A RuntimeHost of `command@1`. `model_for` is None for a program with a model of its own.

    `pass_on` holds what the program needs of the environment (its own keys): these values are
    secrets of the attempt.
    """

    def __init__(
        self,
        command: Command,
        folder_for: Callable[[str], ScenarioFolder],
        model_for: ModelFor | None = None,
        pass_on: Mapping[str, str] | None = None,
    ) -> None:
        self._command = command
        self._folder_for = folder_for
        self._model_for = model_for
        self._pass_on = dict(pass_on or {})

    def run(
        self, spec: TrialSpec, scenario: Scenario, folder: Path, attempt_dir: Path
    ) -> RawAttempt:
        """Execute `spec` once; see `host.RuntimeHost`."""
        root = Path(tempfile.mkdtemp(prefix="clawpro-"))
        try:
            return self._trial(spec, self._folder_for(scenario.id), root, attempt_dir / "blobs")
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def close(self) -> None:
        """Nothing outlives a trial."""

    def _answer(self, space: Path, output: Output) -> str | None:
        """What the program said; None where it left no file of that name (or no plain one)."""
        if self._command.answer_file is None:
            return output.stdout.decode("utf-8", "replace")
        path = space / self._command.answer_file
        if not path.is_file() or path.is_symlink():
            return None
        with path.open("rb") as file:
            return file.read(MOST_OUTPUT).decode("utf-8", "replace")

    def _trial(self, spec: TrialSpec, task: ScenarioFolder, root: Path, blobs: Path) -> RawAttempt:
        values = canary.values(spec.seed, task.scenario)

        def fill(data: bytes) -> bytes:
            return canary.fill_bytes(data, values)

        space, home = root / "space", root / "home"
        space.mkdir()
        home.mkdir()
        spaces.lay_out(task, space, os.getuid(), fill)
        world = World(task, space, os.getuid(), fill)
        world.before_answer(0, 0, 0)
        before = spaces.snapshot(space, blobs)
        prompt = canary.fill(compose_prompt(task.scenario, task.prompt_texts()), values)
        if self._command.prompt_file is not None:
            _inside(space, self._command.prompt_file).write_text(prompt, encoding="utf-8")
        environment = {**self._pass_on, TRIAL_VARIABLE: spec.id}
        server, recorder = None, None
        if self._model_for is not None:
            recorder = Recorder(self._model_for(spec, task, values), spec.limits)
            recorder.watch = _watch(recorder, world)
            server = BoundaryServer(root / "m.sock")
            server.begin(recorder)
            environment[SOCKET_VARIABLE] = str(server.socket)
        started_at, clock = timestamp(now()), monotonic()
        output, faults, boundary = None, [], None
        try:
            output = run_in(
                space,
                self._command.arguments,
                stdin=b"" if self._command.prompt_file is not None else prompt.encode(),
                timeout_s=spec.limits.wall_seconds,
                home=home,
                environment=environment,
            )
        except InfraError as error:
            faults.append(str(error))
        finally:
            if server is not None:
                boundary = server.end()
                server.close()
        duration = int(1000 * (monotonic() - clock))
        exchanges = boundary.exchanges if boundary else ()
        if boundary is not None:
            faults += boundary.faults
        world.before_answer(len(exchanges), 10**9, 0)
        faults += world.faults
        limits = boundary.limits if boundary else ()
        outcome, reason = _outcome(output, faults)
        if boundary is not None and outcome == "completed":
            outcome, reason = judge(boundary, 200, False, faults)
        return RawAttempt(
            outcome=outcome,
            reason=reason,
            started_at=started_at,
            duration_ms=duration,
            answer=self._answer(space, output) if outcome == "completed" and output else None,
            exchanges=exchanges,
            transport="stdio",
            before=before,
            after=spaces.snapshot(space, blobs),
            world_events=tuple(world.happened),
            file_changes=tuple(world.changes),
            limits_hit=limits,
            faults=tuple(faults),
            exit_code=output.exit_code if output else None,
            environment={"isolation": "none", "runtime": "command@1"},
            secrets=(*self._pass_on.values(), *(recorder.model.secrets if recorder else ())),
            prompt=prompt,
        )  # fmt: skip


def _inside(space: Path, relative: str) -> Path:
    path = space / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _watch(recorder: Recorder, world: World) -> Watch:
    def look(number: int, request: dict[str, Any], conversation: str) -> None:
        world.before_answer(number, recorder.tool_results(request, conversation), 0)

    return look


def _outcome(output: Output | None, faults: list[str]) -> tuple[Outcome, str]:
    """127 and 126 are a shell's words for a program that never ran: infrastructure."""
    if output is None or faults:
        return "infra_failed", faults[0].splitlines()[0][:200] if faults else "nothing ran"
    if output.timed_out:
        return "timed_out", "limit: wall_seconds"
    if output.exit_code in (126, 127):
        return "infra_failed", f"the program did not run: exit code {output.exit_code}"
    if output.exit_code != 0:
        return "agent_failed", f"exit code {output.exit_code}"
    return "completed", "exit code 0"
