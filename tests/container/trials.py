"""a policy and a few files -> one real trial of OpenClaw, for container tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.engine import Engine
from clawpro_artifact.adapters.models.answer import Model
from clawpro_artifact.adapters.models.policy import ScriptedModel
from clawpro_artifact.adapters.runtimes.host import RawAttempt
from clawpro_artifact.adapters.runtimes.openclaw import HostSettings, OpenClawHost
from clawpro_artifact.adapters.runtimes.tools import ToolNames
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model import canary
from clawpro_artifact.model.manifest import Limits
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.scenario import Policy, Scenario
from tests.unit import make

LIMITS = Limits(wall_seconds=120, requests=12, output_tokens=10_000)


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"tool": tool, "arguments": arguments}]}


def say(text: str) -> dict[str, Any]:
    return {"text": text}


def scenario(**changes: Any) -> Scenario:
    return make.scenario(
        "real-trial", track="full", surface="workspace", answer=None, workspace="workspace",
        checks=[{"id": "any", "kind": "file-exists", "group": "totals", "with": {"path": "x"}}],
        **changes,
    )  # fmt: skip


class Bench:
    """One host on which a test plays policies, trial after trial."""

    def __init__(
        self, engine: Engine, image: str, version: str, surfaces: tuple[str, ...],
        isolation: str, root: Path,
    ) -> None:  # fmt: skip
        self._version = version
        self._root = root
        self._task: ScenarioFolder | None = None
        self._model: Callable[[dict[str, str]], Model] | None = None
        self._count = 0
        self.host = OpenClawHost(
            HostSettings(
                engine=engine, image=image, version=version, surfaces=surfaces,
                isolation=isolation, run="test-openclaw",
                model_for=lambda spec, task, values: self._model(values),
                folder_for=lambda _: self._task,
            )
        )  # fmt: skip

    def play(
        self, *steps: dict[str, Any], files: dict[str, str] | None = None, seed: int | None = None,
        subagents: dict[str, Any] | None = None, model: Model | None = None,
        limits: Limits = LIMITS, **changes: Any,
    ) -> RawAttempt:  # fmt: skip
        self._count += 1
        folder = self._root / f"trial-{self._count}" / "real-trial"
        (folder / "workspace").mkdir(parents=True)
        (folder / "prompt.md").write_text(f"Please do task number {self._count} as agreed.\n")
        for name, text in (files or {}).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self._task = ScenarioFolder(scenario(**changes), folder)
        document = {"format": "clawpro.policy.v1", "steps": steps or [say("")],
                    "subagents": subagents or {}}  # fmt: skip
        policy = Policy.model_validate_json(json.dumps(document))
        names = ToolNames(self._version)
        self._model = lambda values: (
            model
            or ScriptedModel(
                "scripted-test", policy, lambda text: canary.fill(text, values), names.to_runtime
            )
        )
        spec = TrialSpec(
            configuration="test", scenario="real-trial", index=self._count, track="full",
            surface="workspace", seed=seed or 7000 + self._count, limits=limits,
        )  # fmt: skip
        attempt = self._root / f"trial-{self._count}" / "attempt"
        attempt.mkdir()
        return self.host.run(spec, self._task.scenario, folder, attempt)


def results(raw: RawAttempt) -> list[str]:
    """Texts of all tool results that the main conversation saw, in order."""
    found: dict[str, str] = {}
    for exchange in raw.exchanges:
        for message in exchange.request["messages"]:
            if message.get("role") == "tool":
                text = message["content"]
                if isinstance(text, list):
                    text = "".join(part.get("text", "") for part in text)
                found.setdefault(message["tool_call_id"], text)
    return list(found.values())
