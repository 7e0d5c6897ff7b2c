"""a scenario's folder -> Scenario and its files; a sensitivity twin is the folder with an overlay.

Layout: docs/authoring.md. `dot-git` as a name inside `workspace/` stands for `.git`, because a
repository inside a repository cannot be kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import documents, jsonio
from clawpro_artifact.formats.trees import tree_digest, walk
from clawpro_artifact.model.base import NATIVE_SURFACES
from clawpro_artifact.model.scenario import (
    Policy,
    PolicyExpectation,
    PolicyStep,
    Scenario,
    Sensitivity,
)

SCENARIO_FILE = "scenario.toml"
POLICY_FORMAT = "clawpro.policy.v1"


@dataclass(frozen=True)
class WorkspaceFile:
    """One file (or, with `target`, a symbolic link) of a trial's workspace, canaries not put in."""

    path: str
    data: bytes
    executable: bool
    target: str | None = None


@dataclass(frozen=True)
class ScenarioFolder:
    """A scenario and where its files lie; files of `overlay` go before those of `folder`."""

    scenario: Scenario
    folder: Path
    overlay: Path | None = None

    def path(self, relative: str) -> Path:
        """The file at a path inside the scenario; InputError where it is missing."""
        for root in (self.overlay, self.folder):
            if root is not None and (root / relative).is_file():
                return root / relative
        raise InputError(
            f"the scenario {self.scenario.id} names a file that is missing",
            where=str(self.folder / relative),
            expected="a file",
            found="nothing",
            do="add the file or correct scenario.toml",
        )

    def data(self, relative: str) -> bytes:
        """Bytes of a file."""
        return documents.read_bytes(self.path(relative))

    def text(self, relative: str) -> str:
        """UTF-8 text of a file; InputError where it is none."""
        try:
            return self.data(relative).decode()
        except UnicodeDecodeError as error:
            raise InputError(
                "the file is not UTF-8",
                where=f"{self.path(relative)}, byte {error.start}",
                expected="UTF-8",
            ) from None

    def files(self, below: str) -> dict[str, Path]:
        """Files below a folder by their path there, in C-locale order."""
        found: dict[str, Path] = {}
        for root in (self.folder, self.overlay):
            if root is not None and (root / below).is_dir():
                found.update(walk(root / below))
        return dict(sorted(found.items(), key=lambda item: item[0].encode()))

    def prompt_texts(self) -> dict[str, str]:
        """What `model.prompt.compose_prompt` needs."""
        s = self.scenario
        paths = [s.prompt, *s.inputs, *([] if s.answer is None else [s.answer.json_schema])]
        return {path: self.text(path) for path in paths}

    def schema(self) -> dict[str, Any] | None:
        """JSON Schema of the answer (holdout), else None."""
        if self.scenario.answer is None:
            return None
        name = self.scenario.answer.json_schema
        schema = jsonio.parse(self.data(name), str(self.path(name)))
        if not isinstance(schema, dict):
            raise InputError("the schema is no object", where=str(self.path(name)))
        return schema

    def expected(self) -> Any:
        """Expected values (holdout), else None."""
        if self.scenario.answer is None:
            return None
        name = self.scenario.answer.expected
        return jsonio.parse(self.data(name), str(self.path(name)))

    def workspace(self) -> Iterator[WorkspaceFile]:
        """Files to put into the trial's workspace."""
        if self.scenario.workspace is None:
            return
        for name, path in self.files(self.scenario.workspace).items():
            parts = [".git" if p == "dot-git" else p for p in name.split("/")]
            yield WorkspaceFile("/".join(parts), path.read_bytes(), _executable(path))
        # A definition is plain files, so links are declared: [surfaces.workspace.symlinks].
        links = self.scenario.surfaces.get("workspace", {}).get("symlinks", {})
        for name, target in sorted(links.items()):
            yield WorkspaceFile(name, b"", False, str(target))

    def policy(self, file: str) -> Policy:
        """The policy in a file: JSON of that format, or the raw text of an answer."""
        data = self.data(file)
        try:
            is_policy = json.loads(data)["format"] == POLICY_FORMAT
        except (ValueError, KeyError, TypeError, RecursionError):
            is_policy = False
        if is_policy:
            return documents.load_json(Policy, data, str(self.path(file)))
        return Policy(format="clawpro.policy.v1", steps=(PolicyStep(text=self.text(file)),))

    def twin(self, sensitivity: Sensitivity) -> ScenarioFolder:
        """The perturbed twin, with its overridden arguments."""

        def changed(spec: Any) -> Any:
            extra = sensitivity.arguments.get(spec.id)
            if extra is None:
                return spec
            return spec.model_copy(update={"arguments": {**spec.arguments, **extra}})

        s = self.scenario
        known = {spec.id for spec in s.asserted}
        if unknown := sorted(set(sensitivity.arguments) - known):
            raise InputError(
                f"a sensitivity twin of {s.id} overrides what is not declared",
                where=str(self.folder / SCENARIO_FILE),
                expected="ids of checks, safety rules or process facts",
                found=", ".join(unknown),
            )
        update = {
            "checks": tuple(map(changed, s.checks)),
            "safety": tuple(map(changed, s.safety)),
            "process": tuple(map(changed, s.process)),
        }
        overlay = self.folder / sensitivity.overlay
        if not overlay.is_dir():
            raise InputError("a twin's overlay is missing", where=str(overlay), expected="a folder")
        return replace(self, scenario=s.model_copy(update=update), overlay=overlay)


def load(folder: Path) -> ScenarioFolder:
    """The scenario in `folder`; InputError where its document or place is wrong.

    Every file that it names must be there: a run must not find out half way.
    """
    scenario = documents.read(Scenario, folder / SCENARIO_FILE)
    if scenario.id != folder.name:
        raise InputError(
            "a scenario's id is not the name of its folder",
            where=str(folder / SCENARIO_FILE),
            expected=folder.name,
            found=scenario.id,
        )
    loaded = ScenarioFolder(scenario, folder)
    named = [scenario.prompt, *scenario.inputs, *(p.file for p in scenario.policies)]
    if scenario.answer is not None:
        a = scenario.answer
        named += [a.json_schema, a.expected, a.derivation]
    named += [e.effect["from"] for e in scenario.events if isinstance(e.effect.get("from"), str)]
    for name in named:
        loaded.path(name)
    for sensitivity in scenario.sensitivity:
        loaded.twin(sensitivity).path(sensitivity.reference)
    if scenario.workspace is not None and not loaded.files(scenario.workspace):
        raise InputError(
            "the workspace is missing or empty", where=str(folder / scenario.workspace)
        )
    return loaded


def digest(folder: Path) -> str:
    """The digest that identifies a scenario: that of its folder's files."""
    return tree_digest(folder)


def discover(root: Path) -> list[Path]:
    """Folders of all scenarios below `root` (the repository's `scenarios/`), sorted by id."""
    return sorted(
        (p.parent for p in root.rglob(SCENARIO_FILE) if "sensitivity" not in p.parts),
        key=lambda folder: folder.name,
    )


def home(scenario: Scenario) -> str:
    """Where a scenario belongs below `scenarios/`."""
    if scenario.track == "holdout":
        return f"holdout/{scenario.id}"
    if scenario.surface in NATIVE_SURFACES:
        return f"full/native/{scenario.surface}/{scenario.id}"
    return f"full/workspace/{scenario.id}"


def elsewhere(root: Path, scenario: Scenario) -> Path:
    """Where the scenario of this id lies in a bundle or in another checkout, if it is there."""
    in_bundle = root / "data" / "definitions" / scenario.id
    return in_bundle if in_bundle.is_dir() else root / "scenarios" / home(scenario)


def choose_policy(scenario: Scenario, name: str) -> PolicyExpectation:
    """The policy of this name; where the scenario has none, its reference."""
    for policy in scenario.policies:
        if policy.name == name:
            return policy
    return next(p for p in scenario.policies if p.kind == "reference")


def _executable(path: Path) -> bool:
    # Bundles and archives may lose the mode: a script says by its first bytes that it is one.
    with path.open("rb") as file:
        return file.read(2) == b"#!"
