"""Manifest + inputs -> Lock: the manifest with every input resolved to a digest."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from clawpro_artifact.model.base import Digest, Slug, Surface, Track, Value
from clawpro_artifact.model.manifest import Manifest


class ScenarioPin(Value):
    """A scenario by the digest of its directory."""

    id: Slug
    track: Track
    version: int
    digest: Digest


class ImagePin(Value):
    """A runtime image: the digest of its lock (inputs) and its OCI config digest (identity)."""

    runtime: str
    image: Slug
    lock: Digest
    config: Digest
    # What this runtime version cannot take, and why. Left out where there is nothing to say, so
    # that locks from before this field keep their digests.
    unsupported: dict[Surface, str] = Field(default_factory=dict, exclude_if=lambda v: not v)


class Lock(Value):
    """Everything that decides a run, by digest; identity is the digest of its canonical JSON."""

    format: Literal["clawpro.lock.v1"]
    version: str
    manifest: Manifest
    images: tuple[ImagePin, ...]
    scenarios: tuple[ScenarioPin, ...]
    holdout_root: Digest
    schemas: Digest
    scoring: Digest
    checking: Digest
    sanitizing: Digest
    runtime_code: Digest
