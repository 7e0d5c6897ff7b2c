"""ScenarioFolder + Policy -> Trial (raw): a *simulation* on the host, for authors, in a second.

It plays only our own trusted policies. No model, no runtime, no container is involved, and nothing
that it makes is ever a result: real trials come from `adapters.runtimes`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.programs import run_in
from clawpro_artifact.adapters.runtimes import space as spaces
from clawpro_artifact.adapters.simulated import SimulatedSurfaces, filled
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model.canary import fill, fill_bytes
from clawpro_artifact.model.canary import values as canary_values
from clawpro_artifact.model.manifest import Limits
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.prompt import compose_prompt
from clawpro_artifact.model.scenario import Policy, PolicyCall, PolicyStep, WorldEvent
from clawpro_artifact.model.trace import Event, EventKind, Witness
from clawpro_artifact.model.trial import (
    Attempt,
    Evidence,
    Snapshot,
    Trial,
    Usage,
)

_SPACE = "/work/space"
_LIMITS = Limits(wall_seconds=600, requests=100, output_tokens=100_000)
_TOOL_SECONDS = 20


@dataclass
class Played:
    """A raw simulated trial, its blobs, and what could not be simulated."""

    trial: Trial
    blobs: dict[str, bytes]
    unsimulated: tuple[str, ...]


@dataclass
class _World:
    """The moving parts of one simulated trial."""

    folder: ScenarioFolder
    space: Path
    home: Path
    canaries: Mapping[str, str]
    surfaces: SimulatedSurfaces
    events: list[Event] = field(default_factory=list)
    due: list[WorldEvent] = field(default_factory=list)
    calls: int = 0
    requests: int = 0
    unsimulated: list[str] = field(default_factory=list)
    results: dict[str, list[str]] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)

    def note(
        self,
        kind: EventKind,
        data: dict[str, Any],
        witness: Witness = "boundary",
        conversation: str = "main",
    ) -> None:
        self.events.append(
            Event(
                seq=len(self.events),
                kind=kind,
                witness=witness,
                conversation=conversation,
                data=data,
            )
        )


def play(
    folder: ScenarioFolder,
    policy: Policy,
    *,
    seed: int = 1,
    files: Mapping[str, bytes] | None = None,
) -> Played:
    """Play `policy` on a fresh copy of the workspace; `files` are laid into the final state.

    Raises InputError for a scenario whose files are missing, InfraError where bash cannot start.
    """
    scenario = folder.scenario
    values = canary_values(seed, scenario)
    with tempfile.TemporaryDirectory(prefix="clawpro-sim-") as place:
        space, home = Path(place) / "space", Path(place) / "home"
        space.mkdir()
        home.mkdir()
        world = _World(folder, space, home, values, SimulatedSurfaces(scenario, space, values))
        world.due = list(scenario.events)
        spaces.lay_out(folder, space, os.getuid(), lambda data: fill_bytes(data, values))
        blobs: dict[str, bytes] = {}
        before = _snapshot(space, blobs)
        world.note("trial_start", {}, "harness")
        prompt = fill(compose_prompt(scenario, folder.prompt_texts()), values)
        world.note("prompt", {"text": prompt}, "harness")
        _happen(world)
        world.seen = _state(world)
        answer = _play_steps(world, policy, policy.steps, "main")
        for name, data in (files or {}).items():
            target = space / name
            if not target.is_dir():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        world.note("trial_end", {}, "harness")
        after = _snapshot(space, blobs)
        stores = world.surfaces.stores()
    spec = TrialSpec(
        configuration="simulation",
        scenario=scenario.id,
        index=0,
        track=scenario.track,
        surface=scenario.surface,
        seed=seed,
        limits=scenario.limits or _LIMITS,
    )
    attempt = Attempt(
        number=1,
        outcome="completed",
        reason="simulated",
        started_at="1970-01-01T00:00:00Z",
        duration_ms=0,
        isolation="none",
        transport="simulation",
    )
    trial = Trial(
        spec=spec,
        attempts=(attempt,),
        outcome="completed",
        usage=Usage(requests=world.requests),
        events=tuple(world.events),
        exchanges=(),
        evidence=Evidence(answer=answer, before=before, after=after, stores=stores),
    )
    return Played(trial, blobs, tuple(world.unsimulated))


def _play_steps(
    world: _World, policy: Policy, steps: tuple[PolicyStep, ...], conversation: str
) -> str:
    text = ""
    for step in steps:
        world.requests += 1
        text = fill(step.text, world.canaries)
        world.note(
            "model_response",
            {"request": world.requests, "text": text, "calls": len(step.calls)},
            conversation=conversation,
        )
        for call in step.calls:
            _play_call(world, policy, call, conversation)
    if steps and steps[-1].calls:
        # The runtime asks once more after the last calls; the policy has nothing left to say.
        world.requests += 1
        text = ""
    return text


def _play_call(world: _World, policy: Policy, call: PolicyCall, conversation: str) -> None:
    results = world.results.setdefault(conversation, [])
    arguments = {k: filled(v, world.canaries, results) for k, v in call.arguments.items()}
    number = f"call-{world.calls + 1}"
    world.note(
        "tool_call",
        {"call": number, "tool": call.tool, "runtime_tool": call.tool, "arguments": arguments},
        conversation=conversation,
    )
    result = _use_tool(world, call.tool, arguments)
    results.append(str(result["text"]))
    world.note(
        "tool_result", {"call": number, "tool": call.tool, **result}, conversation=conversation
    )
    _witness(world, number)
    world.calls += 1
    _happen(world)
    if call.tool == "spawn":
        task = str(arguments.get("task", ""))
        for marker, steps in policy.subagents.items():
            if marker in task:
                child = f"sub-{len(world.surfaces.subagents) + 1}"
                world.note("subagent_spawn", {"child": child, "task": task})
                answer = _play_steps(world, policy, steps, child)
                world.note("subagent_end", {"child": child, "text": answer})
                world.surfaces.subagent(arguments, answer)
                break
        else:
            world.surfaces.subagent(arguments, None)


def _use_tool(world: _World, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if tool == "exec":
        command = str(arguments.get("command", "")).replace(_SPACE, str(world.space))
        out = run_in(world.space, ["bash", "-c", command], timeout_s=_TOOL_SECONDS, home=world.home)
        text = (out.stdout + out.stderr).decode("utf-8", "replace")
        text = text.replace(str(world.space), _SPACE)
        status = "ok" if out.exit_code == 0 and not out.timed_out else "error"
        return {"status": status, "exit_code": out.exit_code, "text": text}
    try:
        return {"status": "ok", "text": _file_tool(world, tool, arguments)}
    except (OSError, ValueError) as error:
        return {"status": "error", "text": str(error).replace(str(world.space), _SPACE)}
    except NotImplementedError:
        world.unsimulated.append(tool)
        return {"status": "error", "text": f"{tool} is not simulated"}


def _file_tool(world: _World, tool: str, arguments: dict[str, Any]) -> str:
    if tool not in ("read", "write", "edit"):
        return world.surfaces.use(tool, arguments)
    path = Path(str(arguments["path"]).replace(_SPACE, str(world.space)))
    path = path if path.is_absolute() else world.space / path
    if tool == "read":
        return path.read_text("utf-8", "replace")
    if not path.resolve().is_relative_to(world.space.resolve()):
        raise ValueError("Path escapes sandbox root")
    if tool == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(arguments["content"]), "utf-8")
        return "written"
    text, old = path.read_text("utf-8"), str(arguments["old"])
    if text.count(old) != 1:
        raise ValueError(f"the old text stands {text.count(old)} times in the file")
    path.write_text(text.replace(old, str(arguments["new"])), "utf-8")
    return "edited"


def _snapshot(space: Path, blobs: dict[str, bytes]) -> Snapshot:
    """As a real trial takes it, with contents in memory: nothing here needs to be durable."""
    taken = spaces.snapshot(space, None)
    for entry in taken.entries:
        if entry.digest is not None:
            blobs[entry.digest] = (space / entry.path).read_bytes()
    return taken


def _state(world: _World) -> dict[str, str]:
    return spaces.state_of(spaces.snapshot(world.space, None))


def _witness(world: _World, call: str) -> None:
    """One `file_change` per path that differs since the last call; events come after."""
    now = _state(world)
    for path in sorted(now.keys() | world.seen.keys()):
        old, new = world.seen.get(path), now.get(path)
        if old != new:
            change = "created" if old is None else "deleted" if new is None else "modified"
            world.note(
                "file_change",
                {"path": path, "change": change, "digest": new, "call": call},
                "environment",
            )
    world.seen = now


def _happen(world: _World) -> None:
    """Apply the declared events whose trigger is met, each once, in the declared order."""
    left = []
    for event in world.due:
        if not _is_due(world, event.trigger):
            left.append(event)
            continue
        effect = dict(event.effect)
        for verb in ("write", "append", "delete"):
            if verb in effect:
                effect |= _change(world, verb, effect)
        if "message" in effect or "service" in effect:
            world.surfaces.world(effect)
        world.note("world_event", {"event": event.id, "effect": effect}, "harness")
    world.due = left
    world.seen = _state(world)


def _is_due(world: _World, trigger: dict[str, Any]) -> bool:
    if "after_tool_calls" in trigger:
        return world.calls >= int(trigger["after_tool_calls"])
    if "after_path_exists" in trigger:
        return (world.space / str(trigger["after_path_exists"])).exists()
    # Simulated time: one call takes one second.
    return world.calls >= int(trigger.get("after_seconds", 0))


def _change(world: _World, verb: str, effect: dict[str, Any]) -> dict[str, str]:
    target = world.space / str(effect[verb])
    if verb == "delete":
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)
        return {}
    target.parent.mkdir(parents=True, exist_ok=True)
    if verb == "write":
        source = str(effect["from"])
        target.write_bytes(fill_bytes(world.folder.data(source), world.canaries))
        if target.read_bytes()[:2] == b"#!":
            target.chmod(0o755)
    else:
        with target.open("a", encoding="utf-8") as file:
            file.write(fill(str(effect["text"]), world.canaries))
    return {"digest": "sha256:" + hashlib.sha256(target.read_bytes()).hexdigest()}
