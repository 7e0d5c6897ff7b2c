"""configurations -> models and runtime hosts: who answers, and what runs around it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from clawpro_artifact import tracing
from clawpro_artifact.adapters import environment, store
from clawpro_artifact.adapters.engine import Engine
from clawpro_artifact.adapters.models import embedded
from clawpro_artifact.adapters.models.answer import Model
from clawpro_artifact.adapters.models.embedded import EmbeddedModel
from clawpro_artifact.adapters.models.endpoint import EndpointModel
from clawpro_artifact.adapters.models.policy import Names, ScriptedModel
from clawpro_artifact.adapters.models.replay import ReplayModel
from clawpro_artifact.adapters.runtimes.command import CommandHost
from clawpro_artifact.adapters.runtimes.direct import DirectHost
from clawpro_artifact.adapters.runtimes.host import Assembled, RawAttempt, RuntimeHost
from clawpro_artifact.adapters.runtimes.openclaw import HostSettings, OpenClawHost
from clawpro_artifact.adapters.runtimes.tools import ToolNames
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical
from clawpro_artifact.formats.imagenames import image_name
from clawpro_artifact.formats.scenarios import ScenarioFolder, choose_policy
from clawpro_artifact.model import canary
from clawpro_artifact.model.lock import Lock
from clawpro_artifact.model.manifest import Configuration
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.scenario import Policy, PolicyStep
from clawpro_artifact.model.trial import CleanTrial
from clawpro_artifact.tracing import payloads


@dataclass(frozen=True)
class Wiring:
    """Everything a run needs besides its plan. `engine` is None where no container is asked for."""

    locked: Lock
    folders: Mapping[str, ScenarioFolder]
    engine: Engine | None
    run: str
    cassettes: Callable[[str], CleanTrial] | None = None

    def configuration(self, spec: TrialSpec) -> Configuration:
        """The unit under test of a trial."""
        return next(c for c in self.locked.manifest.configurations if c.id == spec.configuration)

    def host_key(self, spec: TrialSpec) -> Hashable:
        """Trials with equal keys may share a host (docs/decisions/0003)."""
        c = self.configuration(spec)
        return c.harness_runtime, c.isolation, tuple(sorted(c.native_surfaces)), c.command

    def make_host(self, spec: TrialSpec) -> RuntimeHost:
        """A host for the trials that share the key of `spec`."""
        c = self.configuration(spec)
        family, _, version = c.harness_runtime.partition("@")
        if family == "direct":
            return DirectHost(self.model_for, self.folders.__getitem__)
        if family == "command" and c.command is not None:
            return CommandHost(
                c.command,
                self.folders.__getitem__,
                None if c.base_model.source == "program" else self.model_for,
                {
                    name: environment.required(name, f"configuration {c.id}, command.environment")
                    for name in c.command.environment
                },
            )
        if family != "openclaw" or self.engine is None:
            raise InputError(
                "this runtime cannot be run here",
                where=f"configuration {c.id}",
                expected="openclaw@VERSION, direct@1 or command@1",
                found=c.harness_runtime,
            )
        if c.transport != "gateway":
            raise InputError(
                "OpenClaw is driven over its gateway alone",
                where=f"configuration {c.id}, transport",
                expected="gateway (docs/decisions/0021)",
                found=c.transport,
            )
        name = image_name(c.harness_runtime, c.native_surfaces)
        pin = next(p for p in self.locked.images if p.image == name)
        return OpenClawHost(
            HostSettings(
                engine=self.engine,
                image=pin.config,
                version=version,
                surfaces=tuple(sorted(c.native_surfaces)),
                isolation=c.isolation,
                run=self.run,
                model_for=self.model_for,
                folder_for=self.folders.__getitem__,
            )
        )

    def model_for(
        self, spec: TrialSpec, folder: ScenarioFolder, values: Mapping[str, str]
    ) -> Model:
        """Who answers in this trial."""
        c = self.configuration(spec)
        if self.cassettes is not None:
            return _replay(self.cassettes(spec.id), c.base_model.name, values)
        if c.base_model.source == "scripted":
            policy = _policy(folder, str(c.base_model.policy))
            names = self._names(c)
            to_runtime = _renamed(names.to_runtime if names else _as_it_is, values)
            return ScriptedModel(
                c.base_model.name, policy, lambda text: canary.fill(text, values), to_runtime
            )
        if c.base_model.source == "endpoint":
            return EndpointModel(
                url=environment.required(c.base_model.base_url_env, f"configuration {c.id}"),
                model=c.base_model.name,
                key=environment.optional(c.base_model.api_key_env),
                decoding=c.decoding,
            )
        if c.base_model.source == "embedded":
            complete = embedded.load(str(c.base_model.weights))
            return EmbeddedModel(c.base_model.name, complete, c.decoding)
        raise InputError(
            "this model source cannot answer here",
            where=f"configuration {c.id}",
            expected="scripted, embedded or endpoint",
            found=c.base_model.source,
        )

    def assemble(self, raw: RawAttempt, spec: TrialSpec, folder: Path) -> Assembled:
        """The trace of an attempt in the version-neutral vocabulary."""
        names = self._names(self.configuration(spec))
        made = tracing.assemble(raw, spec, names.to_neutral if names else _as_it_is)
        keep = partial(_keep, folder / "blobs")
        return replace(made, events=payloads.spilled(made.events, keep))

    @staticmethod
    def _names(c: Configuration) -> ToolNames | None:
        family, _, version = c.harness_runtime.partition("@")
        return ToolNames(version) if family == "openclaw" else None


def _keep(blobs: Path, data: bytes) -> str:
    digest = canonical.bytes_digest(data)
    blobs.mkdir(exist_ok=True)
    store.write(blobs / digest.removeprefix("sha256:"), data)
    return digest


def _replay(recorded: CleanTrial, name: str, values: Mapping[str, str]) -> ReplayModel:
    """The recorded answers; ids of declared automations are known on both sides from the start."""
    given = recorded.attempts[-1].environment
    renamed = {given[key]: new for key, new in values.items() if key in given}
    return ReplayModel(recorded.exchanges, name, values, renamed)


def _policy(folder: ScenarioFolder, name: str) -> Policy:
    """A scenario's policy by name; `nothing` and `paste` play every scenario and must earn 0."""
    if name not in ("nothing", "paste"):
        return folder.policy(choose_policy(folder.scenario, name).file)
    texts = folder.prompt_texts()
    said = "\n\n".join(texts.values()) if name == "paste" else ""
    return Policy(format="clawpro.policy.v1", steps=(PolicyStep(text=said),))


def _renamed(names: Names, values: Mapping[str, str]) -> Names:
    """`names`, with the scenario's automation ids replaced by those that the runtime gave."""

    def to_runtime(tool: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        given = values.get(f"job/{arguments.get('id')}") if tool == "schedule" else None
        return names(tool, {**arguments, "id": given} if given else arguments)

    return to_runtime


def _as_it_is(tool: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return tool, arguments
