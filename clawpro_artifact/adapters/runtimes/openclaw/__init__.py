"""TrialSpec + Scenario -> RawAttempt: OpenClaw behind its gateway, in a confined container.

Two isolations, one code: `container` makes a fresh host for each trial, `warm` brings one host back
to its baseline after each and gives it up when that cannot be shown. Warm hosts are warmed by one
throw-away turn, because the first turn of an agent costs ten times a later one.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.boundary import Recorder
from clawpro_artifact.adapters.clock import monotonic, now, timestamp
from clawpro_artifact.adapters.engine import Engine
from clawpro_artifact.adapters.models.answer import Model, ModelAnswer
from clawpro_artifact.adapters.runtimes import space as spaces
from clawpro_artifact.adapters.runtimes.host import RawAttempt, TranscriptRow
from clawpro_artifact.adapters.runtimes.openclaw import settings, stores
from clawpro_artifact.adapters.runtimes.openclaw.gateway import OWNER, Gateway
from clawpro_artifact.adapters.runtimes.openclaw.outside import Outside
from clawpro_artifact.adapters.runtimes.openclaw.reset import Baseline, reset
from clawpro_artifact.adapters.runtimes.openclaw.seeding import seed_jobs
from clawpro_artifact.adapters.runtimes.outcome import judge, last_answer
from clawpro_artifact.adapters.runtimes.tools import ToolNames
from clawpro_artifact.adapters.runtimes.world import World
from clawpro_artifact.errors import InfraError
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model import canary
from clawpro_artifact.model.manifest import Limits
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.prompt import compose_prompt
from clawpro_artifact.model.scenario import Scenario

# The transport, read back: a turn that the gateway ran stands in its own store. An answer without
# one came some other way (docs/decisions/0021).
NOT_THE_GATEWAY = "a turn was answered, but the gateway's store holds none: another transport ran"
_WARM_LIMITS = Limits(wall_seconds=120, requests=4, output_tokens=1000)


@dataclass(frozen=True)
class HostSettings:
    """What every host of a run shares. `surfaces` are those any of its configurations declares."""

    engine: Engine
    image: str
    version: str
    surfaces: tuple[str, ...]
    isolation: str
    run: str
    model_for: Callable[[TrialSpec, ScenarioFolder, Mapping[str, str]], Model]
    folder_for: Callable[[str], ScenarioFolder]


class OpenClawHost:
    """A RuntimeHost. Recycles its container after each trial, or when a warm reset is not shown."""

    def __init__(self, settings: HostSettings) -> None:
        self._settings = settings
        self._gateway: Gateway | None = None
        self._baseline: Baseline | None = None
        self.recycled: list[str] = []

    def run(
        self, spec: TrialSpec, scenario: Scenario, folder: Path, attempt_dir: Path
    ) -> RawAttempt:
        """Execute `spec` once; see `host.RuntimeHost`."""
        gateway = self._ready()
        task = self._settings.folder_for(scenario.id)
        values = canary.values(spec.seed, scenario)
        session = f"agent:main:trial-{spec.seed:014x}"
        if "messaging" in scenario.surfaces:
            session = settings.PRIVATE_SESSION  # where private messages to the agent arrive
        marks = [f"trial-{spec.seed:014x}", task.text(scenario.prompt)[:60], *values.values()]
        try:
            raw = self._trial(gateway, spec, task, values, session, attempt_dir)
        except BaseException:
            self.close()
            raise
        if raw.outcome in ("infra_failed", "timed_out"):
            # The runtime may still be busy with the turn, or hold a grudge against the endpoint.
            self._give_up(f"the trial before ended as {raw.outcome}")
        else:
            self._after(gateway, marks)
        return raw

    def close(self) -> None:
        """Stop the container and remove its folders."""
        gateway, self._gateway, self._baseline = self._gateway, None, None
        if gateway is not None:
            with suppress(InfraError):
                gateway.close()
            shutil.rmtree(gateway.root, ignore_errors=True)

    def _ready(self) -> Gateway:
        if self._gateway is not None:
            return self._gateway
        s = self._settings
        root = Path(tempfile.mkdtemp(prefix=f"{scratch_prefix(s.run)}-"))
        root.chmod(0o755)
        gateway = Gateway(s.engine, s.image, s.version, s.surfaces, s.run, root)
        self._gateway = gateway
        try:
            gateway.wait_ready()
            if s.isolation == "warm":
                self._warm_up(gateway)
                self._baseline = Baseline(gateway)
        except BaseException:
            self.close()
            raise
        return gateway

    def _warm_up(self, gateway: Gateway) -> None:
        gateway.boundary.begin(Recorder(_Greeter(), _WARM_LIMITS))
        try:
            status, value = gateway.turn("agent:main:warm-up", "Hello.", 120)
        finally:
            gateway.boundary.end()
        if status != 200:
            raise InfraError("the warm-up turn failed", found=str(value)[:300])
        row: dict[str, Any] = {"key": "agent:main:warm-up", "deleteTranscript": True}
        gateway.rpc("sessions.delete", row)

    def _after(self, gateway: Gateway, marks: list[str]) -> None:
        if self._baseline is None:
            self.close()
        elif (reason := reset(gateway, self._baseline, marks)) is not None:
            self._give_up(reason)

    def _give_up(self, reason: str) -> None:
        """The next trial gets a new container; says why."""
        if self._settings.isolation == "warm":
            self.recycled.append(reason)
        self.close()

    def _trial(
        self,
        gateway: Gateway,
        spec: TrialSpec,
        task: ScenarioFolder,
        values: Mapping[str, str],
        session: str,
        attempt_dir: Path,
    ) -> RawAttempt:
        blobs = attempt_dir / "blobs"

        def fill(data: bytes) -> bytes:
            return canary.fill_bytes(data, values)

        spaces.lay_out(task, gateway.space, OWNER, fill)
        jobs_declared = task.scenario.surfaces.get("scheduling", {}).get("jobs", [])
        # The runtime gives its own ids; a script knows those of the scenario.
        jobs_given = seed_jobs(gateway, self._settings.version, session, jobs_declared)
        known = {**values, **jobs_given}
        outside = Outside(
            gateway, task.scenario, self._settings.surfaces, lambda text: canary.fill(text, values)
        )
        world = World(task, gateway.space, OWNER, fill, outside.effect)
        world.before_answer(0, 0, 0)
        before = spaces.snapshot(gateway.space, blobs)
        prompt = canary.fill(compose_prompt(task.scenario, task.prompt_texts()), values)
        recorder = Recorder(self._settings.model_for(spec, task, known), spec.limits)

        def watch(number: int, request: dict[str, Any], conversation: str) -> None:
            outside.asked(recorder)
            world.before_answer(number, recorder.tool_results(request, conversation), 0)

        recorder.watch = watch
        started_at, clock = timestamp(now()), monotonic()
        gateway.boundary.begin(recorder)
        faults: list[str] = []
        status, answer, timed_out = 0, None, False
        try:
            status, value = gateway.turn(session, prompt, spec.limits.wall_seconds)
            answer = _answer(value) if status == 200 else None
            if not recorder.requests:
                faults.append(f"the runtime asked no model: HTTP {status} {str(value)[:300]}")
            timed_out = outside.until_quiet(recorder, clock + spec.limits.wall_seconds)
        except TimeoutError:
            timed_out = True
        except InfraError as error:
            faults.append(str(error))
        finally:
            boundary = gateway.boundary.end()
        duration = int(1000 * (monotonic() - clock))
        world.before_answer(len(boundary.exchanges), 10**9, 0) if not faults else None
        after = spaces.snapshot(gateway.space, blobs)
        if not gateway.alive():
            faults.append("the container ended during the trial: " + gateway.logs(400))
            transcript: tuple[TranscriptRow, ...] = ()
            jobs: list[dict[str, Any]] = []
        else:
            transcript = stores.transcript(gateway.state)
            if status == 200 and not transcript:
                faults.append(NOT_THE_GATEWAY)
            jobs = stores.jobs(gateway.rpc("cron.list", {"includeDisabled": True}))
        names = ToolNames(self._settings.version)
        surfaces, attempts = outside.stores(boundary, names.to_neutral)
        faults += [*boundary.faults, *world.faults, *outside.faults]
        outcome, reason = judge(boundary, status, timed_out, faults)
        return RawAttempt(
            outcome=outcome,
            reason=reason,
            started_at=started_at,
            duration_ms=duration,
            answer=last_answer(boundary) if outcome == "completed" else answer,
            exchanges=boundary.exchanges,
            transport="gateway",
            transcript=transcript,
            before=before,
            after=after,
            stores={
                "memory": {"notes": stores.notes(gateway.space, after)},
                "scheduling": {"jobs": jobs},
                **surfaces,
            },
            world_events=tuple(world.happened),
            file_changes=tuple(world.changes),
            network_attempts=attempts,
            limits_hit=boundary.limits,
            faults=tuple(faults),
            image=gateway.image_id,
            environment={
                "isolation": self._settings.isolation,
                "runtime": f"openclaw@{self._settings.version}",
                # A replay needs them: the ids in recorded calls are those of this attempt.
                **jobs_given,
            },
            secrets=(gateway.token, *recorder.model.secrets),
            prompt=prompt,
        )


def scratch_prefix(run: str) -> str:
    """Begins the name of every temporary folder of a run, so that the next start can clear it."""
    return f"clawpro-{run[:8]}"


class _Greeter:
    """Answers the throw-away turn that warms a host up."""

    name = "warm-up"
    secrets: tuple[str, ...] = ()

    def answer(self, request: dict[str, Any], conversation: str, position: int) -> ModelAnswer:
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return ModelAnswer(text="Ready.", usage=usage, model=self.name)


def _answer(value: Any) -> str | None:
    try:
        text = value["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        return None
    return text if isinstance(text, str) else None


__all__ = ["HostSettings", "OpenClawHost"]
