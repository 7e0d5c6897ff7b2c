"""scenario.toml -> Scenario: the task, its checks, its safety rules and what proves them right."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from clawpro_artifact.model.base import (
    CheckId,
    DecimalString,
    Difficulty,
    Dimension,
    Domain,
    Language,
    RelativePath,
    Slug,
    Surface,
    Track,
    Value,
)
from clawpro_artifact.model.manifest import Limits

CanaryStyle = Literal["token", "password", "api-key", "aws-key", "email", "phone", "iban", "hex"]


class CheckSpec(Value):
    """One recorded assertion. `kind` names a check of the library; `with` holds its arguments.

    The arguments are validated by the check itself (`checking.library`), which owns their schema.
    """

    id: CheckId
    kind: Slug
    group: Slug
    weight: DecimalString = "1"
    # The check counts only where these pass: what doing nothing satisfies never earns by itself.
    requires: tuple[CheckId, ...] = ()
    arguments: dict[str, Any] = Field(default_factory=dict, alias="with")


class SafetyRule(Value):
    """A declared prohibition; any breach sets the gate to 0. Same kinds of checks, read inverted:

    the rule is breached when its detector *finds* the forbidden thing.
    """

    id: CheckId
    kind: Slug
    says: str = Field(min_length=1)
    arguments: dict[str, Any] = Field(default_factory=dict, alias="with")


class ProcessFact(Value):
    """An expectation about how (a fact of the trace); never one blessed order of tools."""

    id: CheckId
    kind: Slug
    weight: DecimalString = "1"
    says: str = Field(min_length=1)
    arguments: dict[str, Any] = Field(default_factory=dict, alias="with")


Asserted = CheckSpec | SafetyRule | ProcessFact


class WorldEvent(Value):
    """The world moves: a deterministic trigger and one effect, recorded in the trace.

    `trigger`: {"after_tool_calls": n} | {"after_path_exists": path} | {"after_seconds": t}
    | {"before_start": true}.
    `effect`: {"write": path, "from": file} | {"append": path, "text": s} | {"delete": path}
    | {"message": text, ...} | {"service": name, "set": {...}}.
    """

    id: CheckId
    trigger: dict[str, Any]
    effect: dict[str, Any]


class Canary(Value):
    """A secret that exists only inside one trial.

    Files, prompts and policies hold `{{canary:NAME}}`; the value is derived from the trial's seed,
    so that definitions can ship and a leak is told by structure.
    """

    name: Slug
    style: CanaryStyle


class PolicyExpectation(Value):
    """What a policy (reference or near-miss) must be judged as.

    `fails` lists exactly the check ids that fail; `breaches` exactly the safety rules broken;
    `misses` exactly the process facts not met (None: not judged, but the reference misses none).
    `file` holds a Policy, or for the holdout the raw text of an answer.
    """

    name: Slug
    file: RelativePath
    kind: Literal["reference", "near-miss", "breaching", "careful"]
    says: str = Field(min_length=1)
    fails: tuple[CheckId, ...] = ()
    breaches: tuple[CheckId, ...] = ()
    misses: tuple[CheckId, ...] | None = None
    # A breach by an encoded or roundabout route (base64, a script written and then run, a link).
    indirect: bool = False
    passes: bool


class Sensitivity(Value):
    """A perturbed twin: files under `overlay` replace those of the same path in the scenario.

    Another outcome is right there. `reference` is the policy (or answer) that is right for the
    twin; it must not pass on the original, nor the original reference on the twin. `arguments`
    overrides arguments of checks and safety rules by id (their expected values).
    """

    says: str = Field(min_length=1)
    overlay: RelativePath
    reference: RelativePath
    arguments: dict[CheckId, dict[str, Any]] = Field(default_factory=dict)


class AnswerContract(Value):
    """Holdout: the answer is one JSON document that fits `json_schema` (a file beside)."""

    json_schema: RelativePath
    expected: RelativePath
    derivation: RelativePath


class Scenario(Value):
    """A task. Identity is the digest of its directory; a released scenario is never edited."""

    format: Literal["clawpro.scenario.v1"]
    id: Slug
    version: int = Field(ge=1)
    title: str = Field(min_length=1, max_length=120)
    track: Track
    surface: Surface
    more_surfaces: tuple[Surface, ...] = ()
    domain: Domain
    dimension: Dimension
    difficulty: Difficulty
    difficulty_reasons: tuple[str, ...] = Field(min_length=1)
    language: Language
    tests: str = Field(min_length=20, description="what this one tests that no other does")
    twin: Slug | None = None
    weight: DecimalString
    threshold: DecimalString
    optimal_requests: int = Field(ge=1, description="model requests a skilled agent needs")
    prompt: RelativePath = "prompt.md"
    inputs: tuple[RelativePath, ...] = Field(
        default=(), description="holdout: files quoted in the prompt, in this order"
    )
    workspace: RelativePath | None = Field(
        default=None, description="full: folder copied into the trial's workspace"
    )
    limits: Limits | None = None
    groups: dict[Slug, DecimalString] = Field(min_length=1)
    answer: AnswerContract | None = None
    canaries: tuple[Canary, ...] = ()
    checks: tuple[CheckSpec, ...] = Field(min_length=1)
    safety: tuple[SafetyRule, ...] = ()
    process: tuple[ProcessFact, ...] = ()
    events: tuple[WorldEvent, ...] = ()
    # Surface set-up in the runtime: memory notes, skills, chats, pages (`adapters.surfaces`).
    surfaces: dict[Slug, dict[str, Any]] = Field(default_factory=dict)
    policies: tuple[PolicyExpectation, ...] = Field(min_length=1)
    sensitivity: tuple[Sensitivity, ...] = Field(min_length=1)

    @property
    def asserted(self) -> tuple[Asserted, ...]:
        """Checks, safety rules and process facts, in this order."""
        return (*self.checks, *self.safety, *self.process)

    @model_validator(mode="after")
    def _consistent(self) -> Scenario:
        used = {c.group for c in self.checks}
        if used != set(self.groups):
            raise ValueError(f"groups declared {sorted(self.groups)} but checks use {sorted(used)}")
        ids = [
            *(c.id for c in self.checks),
            *(r.id for r in self.safety),
            *(f.id for f in self.process),
        ]
        if len(set(ids)) != len(ids):
            raise ValueError("ids of checks, safety rules and process facts are not unique")
        if (self.track == "holdout") != (self.answer is not None):
            raise ValueError("`answer` is declared exactly for the holdout track")
        if (self.track == "holdout") != (self.surface == "json"):
            raise ValueError("the holdout track has the surface 'json' and no other track has it")
        names = {c.id for c in self.checks}
        rules = {r.id for r in self.safety}
        facts = {f.id for f in self.process}
        order: set[str] = set()
        for c in self.checks:
            if not set(c.requires) <= order:
                raise ValueError(f"check {c.id} requires a check that is not declared before it")
            order.add(c.id)
        if len({p.name for p in self.policies}) != len(self.policies):
            raise ValueError("policy names are not unique")
        for p in self.policies:
            if p.misses is not None and not set(p.misses) <= facts:
                raise ValueError(f"policy {p.name} names a process fact that is not declared")
            if not set(p.fails) <= names or not set(p.breaches) <= rules:
                raise ValueError(f"policy {p.name} names a check or rule that is not declared")
        if [p.kind for p in self.policies].count("reference") < 1:
            raise ValueError("no reference policy")
        return self


PolicyText = Annotated[str, StringConstraints(max_length=2_000_000)]


class PolicyCall(Value):
    """One tool call under its version-neutral name.

    Strings may hold `{{canary:NAME}}` and `{{result:...}}` (a value out of an earlier tool result).
    """

    tool: str
    arguments: dict[str, Any]


class PolicyStep(Value):
    """One model response: tool calls, or a final text."""

    calls: tuple[PolicyCall, ...] = ()
    text: PolicyText = ""


class Policy(Value):
    """What the scripted model plays. `subagents` maps a marker in a child's task to its steps."""

    format: Literal["clawpro.policy.v1"]
    steps: tuple[PolicyStep, ...] = Field(min_length=1)
    subagents: dict[str, tuple[PolicyStep, ...]] = Field(default_factory=dict)
