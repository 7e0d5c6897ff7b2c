"""a person's TOML -> Manifest: what a release asks for."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from clawpro_artifact.model.base import (
    DecimalString,
    Digest,
    RelativePath,
    Slug,
    Surface,
    Track,
    Value,
)

Isolation = Literal["container", "warm", "none"]
Transport = Literal["gateway", "embedded", "http", "stdio"]
ModelSource = Literal["scripted", "replay", "embedded", "endpoint", "program"]
# `latest` and ranges are refused: a runtime is a family at one exact version.
RuntimePin = Annotated[
    str,
    StringConstraints(
        pattern=r"^(?:openclaw@\d{4}\.\d{1,2}\.\d{1,2}|direct@\d+|command@\d+|mock@\d+)$"
    ),
]


class Weights(Value):
    """Weights of the score (DESIGN section 7); the paper's are unpublished, so none is a default.

    Trial: `gate * (alpha*correctness + beta*process + gamma*efficiency)`, alpha+beta+gamma = 1.
    Scenario: `gate_all * (mean + lambda*strict + mu*any - nu*local_failures) / (1 + lambda + mu)`.
    """

    alpha: DecimalString
    beta: DecimalString
    gamma: DecimalString
    lambda_: DecimalString = Field(alias="lambda")
    mu: DecimalString
    nu: DecimalString


class Limits(Value):
    """Hard caps of one trial, enforced by the proxy (requests, tokens) and the clock (seconds)."""

    wall_seconds: int = Field(ge=1, le=7200)
    requests: int = Field(ge=1, le=1000)
    output_tokens: int = Field(ge=1, le=1_000_000)


class AttemptPolicy(Value):
    """An infra_failed attempt is made again, up to `max_attempts` in all; no other outcome is."""

    max_attempts: int = Field(ge=1, le=5)


class ModelUnderTest(Value):
    """Who answers. `name` is what outputs show; `policy` only for the scripted model.

    `embedded`: a real model in this process, whose weights file has the digest `weights`.
    `program`: the command under test brings a model of its own, and `name` is what it declares.
    """

    source: ModelSource
    name: str = Field(min_length=1, max_length=120)
    policy: Slug | None = None
    # Names of environment variables, never values: the key lives in the proxy alone.
    base_url_env: str | None = None
    api_key_env: str | None = None
    weights: Digest | None = None

    @model_validator(mode="after")
    def _policy_goes_with_scripted(self) -> ModelUnderTest:
        if (self.source == "scripted") != (self.policy is not None):
            raise ValueError("`policy` is set exactly when source is 'scripted'")
        if self.source == "scripted" and not self.name.startswith("scripted"):
            raise ValueError("a scripted model's name starts with 'scripted': it is a label")
        if (self.source == "embedded") != (self.weights is not None):
            raise ValueError("`weights` is set exactly when source is 'embedded'")
        if self.source == "endpoint" and self.base_url_env is None:
            raise ValueError("an endpoint needs `base_url_env`, the variable that holds its URL")
        return self


class Decoding(Value):
    """Decoding settings as sent; None means not sent and the endpoint's default ran."""

    temperature: DecimalString | None = None
    top_p: DecimalString | None = None
    max_output_tokens: int | None = None
    seed: int | None = None


class Command(Value):
    """How `command@1` calls the program under test.

    The prompt comes on standard input, or in `prompt_file`; the answer is taken from standard
    output, or from `answer_file` (both relative to the trial's workspace). `environment` names the
    variables that the program is given; their values are secrets.
    """

    arguments: tuple[str, ...] = Field(min_length=1)
    prompt_file: RelativePath | None = None
    answer_file: RelativePath | None = None
    environment: tuple[str, ...] = ()


class Configuration(Value):
    """The unit under test, declared and diffable (DESIGN, Vocabulary)."""

    id: Slug
    base_model: ModelUnderTest
    harness_runtime: RuntimePin
    native_surfaces: tuple[Surface, ...]
    workspace_tools: tuple[str, ...]
    safety_gates: tuple[str, ...]
    trial_repeat_count: int = Field(ge=3)
    decoding: Decoding
    isolation: Isolation
    transport: Transport
    # None: every scenario of the manifest's tracks that this runtime can take.
    scenarios: tuple[Slug, ...] | None = None
    command: Command | None = None

    @model_validator(mode="after")
    def _a_command_is_declared(self) -> Configuration:
        if (self.command is not None) != self.harness_runtime.startswith("command@"):
            raise ValueError("`command` is set exactly when harness_runtime is command@1")
        if self.base_model.source == "program" and self.command is None:
            raise ValueError("only a command brings a model of its own (source 'program')")
        return self


class TrackSelection(Value):
    """Scenarios of one track; `all` or a list of ids."""

    track: Track
    scenarios: tuple[Slug, ...] | Literal["all"]


class Manifest(Value):
    """What a release asks for. `trials` is k; it is never lowered by anything that happens."""

    format: Literal["clawpro.manifest.v1"]
    name: Slug
    version: Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
    notes: str = ""
    demonstration: bool = False
    trials: int = Field(ge=3, le=100)
    seed: int = Field(ge=0, lt=2**53)
    weights: Weights
    limits: Limits
    attempts: AttemptPolicy
    tracks: tuple[TrackSelection, ...] = Field(min_length=1)
    configurations: tuple[Configuration, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> Manifest:
        ids = [c.id for c in self.configurations]
        if len(set(ids)) != len(ids):
            raise ValueError("configuration ids are not unique")
        for c in self.configurations:
            if c.trial_repeat_count != self.trials:
                raise ValueError(
                    f"configuration {c.id}: trial_repeat_count {c.trial_repeat_count} "
                    f"is not the manifest's trials {self.trials}"
                )
        tracks = [t.track for t in self.tracks]
        if len(set(tracks)) != len(tracks):
            raise ValueError("a track is selected twice")
        return self
