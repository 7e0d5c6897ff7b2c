"""Manifest + inputs -> Lock: the manifest with every input resolved to a digest."""

from __future__ import annotations

from typing import Literal

from clawpro_artifact.model.base import Digest, Slug, Track, Value
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
