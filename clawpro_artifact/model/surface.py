"""what a runtime shows a model, from one recorded request, and what it keeps."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from clawpro_artifact.model.base import Digest, Surface, Value
from clawpro_artifact.model.manifest import RuntimePin


class Tool(Value):
    """One tool as it was offered; `digest` is of name, description and parameters together."""

    name: str
    description: str
    parameters: dict[str, Any]
    digest: Digest


class SurfaceInventory(Value):
    """`images/<name>/surface-<setting>.json`.

    `setting`: `trial` is what our runs declare (every tool offered at once, few plugins), `default`
    leaves plugins, the tools profile and tool search as the runtime has them. `deferred`: names
    that are reached through tool search only.
    Texts are under the declared normaliser, so that taking an inventory twice gives the same bytes.
    `config`: configuration key -> type and default; `stores`: what a turn leaves in the state
    folder, by kind.
    """

    format: Literal["clawpro.surface.v1"]
    runtime: RuntimePin
    image: Digest
    surfaces: tuple[Surface, ...]
    setting: Literal["trial", "default"]
    normaliser: str
    request_bytes: int = Field(ge=0)
    tools: tuple[Tool, ...]
    deferred: tuple[str, ...]
    prompt: str
    prompt_digest: Digest
    settings: dict[str, Any]
    config: dict[str, str]
    stores: dict[str, str]
