"""`manifests/holdout.lock`: the frozen set of scenarios, each by digest, under one root."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from clawpro_artifact.model.base import Digest, RelativePath, Slug, Track, Value

Version = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
Hex = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class FrozenScenario(Value):
    """One scenario; `files` (path -> sha256) is there so that an edit can be named."""

    id: Slug
    version: int = Field(ge=1)
    since: Version
    digest: Digest
    files: dict[RelativePath, Hex]


class RetiredScenario(Value):
    """A scenario that was released once; its id is never used again."""

    id: Slug
    digest: Digest
    since: Version
    retired: Version
    replaced_by: Slug | None


class Change(Value):
    """One line of the changelog."""

    version: Version
    date: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]
    says: str = Field(min_length=8, max_length=400)


class Frozen(Value):
    """The set at one version. From 1.0.0 on it is released: nothing in it is edited again."""

    format: Literal["clawpro.frozen.v1"]
    track: Track
    version: Version
    root: Digest
    changelog: tuple[Change, ...] = Field(min_length=1)
    scenarios: tuple[FrozenScenario, ...]
    retired: tuple[RetiredScenario, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Frozen:
        ids = [*(s.id for s in self.scenarios), *(s.id for s in self.retired)]
        if len(set(ids)) != len(ids):
            raise ValueError("a scenario is listed twice")
        if self.changelog[-1].version != self.version:
            raise ValueError("the last line of the changelog is not about this version")
        return self

    @property
    def released(self) -> bool:
        """Whether editing is over."""
        return not self.version.startswith("0.")
