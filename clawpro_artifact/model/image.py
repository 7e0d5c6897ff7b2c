"""a recipe, resolved -> ImageLock: every byte that goes into an image, by digest."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from clawpro_artifact.model.base import Digest, RelativePath, Slug, Surface, Value
from clawpro_artifact.model.manifest import RuntimePin

ExactVersion = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
DebianName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9+.-]+$")]
# Debian Policy 5.6.12: [epoch:]upstream_version[-debian_revision].
DebianVersion = Annotated[str, StringConstraints(pattern=r"^(?:\d+:)?[0-9][A-Za-z0-9.+~-]*$")]
# Subresource Integrity, one hash, SHA-512: 64 bytes in base64.
Integrity = Annotated[str, StringConstraints(pattern=r"^sha512-[A-Za-z0-9+/]{86}==$")]
Flavour = Literal["plain", "browser"]

USER = "10001:10001"
SPACE = "/work/space"
HARNESS = "/opt/clawpro"


class Recipe(Value):
    """What a person asks of an image (`recipe.toml`); versions are exact, `latest` is refused."""

    format: Literal["clawpro.image-recipe.v1"]
    name: Slug
    runtime: RuntimePin
    flavour: Flavour
    suite: Literal["bookworm"]
    architecture: Literal["amd64"]
    # Seconds since 1970: the time of every file in the image, and what package scripts see.
    epoch: int = Field(ge=315532800, lt=2**32)
    packages: tuple[DebianName, ...]
    node: ExactVersion
    npm: ExactVersion
    # Where this version cannot take a surface, and why; the run then says so.
    unsupported: dict[Surface, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _name_says_runtime(self) -> Recipe:
        plain = self.runtime.replace("@", "-")
        wanted = plain if self.flavour == "plain" else f"{plain}-{self.flavour}"
        if self.name != wanted:
            raise ValueError(f"the name of this image is {wanted!r}")
        return self


class DebianPin(Value):
    """One .deb; `sha256` is of the file."""

    name: DebianName
    version: DebianVersion
    architecture: Literal["amd64", "all"]
    size: int
    sha256: Digest


class NpmPin(Value):
    """One npm package tarball."""

    name: str
    version: ExactVersion
    integrity: Integrity


class FilePin(Value):
    """A file of ours in the last layer, by path below `/opt/clawpro`."""

    path: RelativePath
    executable: bool
    sha256: Digest


class LayerPin(Value):
    """A layer: the digest of its uncompressed tar (OCI diff id) and the tar's size in bytes."""

    diff_id: Digest
    size: int


class LayerPins(Value):
    """The layers of an image, lowest first."""

    base: LayerPin
    node: LayerPin
    openclaw: LayerPin
    incontainer: LayerPin

    def by_name(self) -> dict[str, LayerPin]:
        """Lowest layer first, as in the image config."""
        return {name: getattr(self, name) for name in type(self).model_fields}

    @property
    def diff_ids(self) -> tuple[str, ...]:
        """Lowest first."""
        return tuple(pin.diff_id for pin in self.by_name().values())


class ImageInputs(Value):
    """What is known before anything is built: the recipe with every input by digest."""

    recipe: Recipe
    # Of the layer writer; a change of what it writes gets a new name.
    builder: Literal["layers.v1"]
    debian: tuple[DebianPin, ...]
    node: NpmPin
    npm: NpmPin
    package_json: Digest
    package_lock: Digest
    incontainer: tuple[FilePin, ...]

    @model_validator(mode="after")
    def _ordered(self) -> ImageInputs:
        names = [p.name for p in self.debian]
        paths = [f.path for f in self.incontainer]
        if names != sorted(set(names)) or paths != sorted(set(paths)):
            raise ValueError("`debian` and `incontainer` are sorted, each name once")
        return self


class ImageLock(Value):
    """Inputs and what they build to (`lock.json`); its digest is `ImagePin.lock`."""

    format: Literal["clawpro.image-lock.v1"]
    inputs: ImageInputs
    layers: LayerPins
    # The OCI config digest: the identity of the image.
    config: Digest


class Image(Value):
    """A built image, present in an engine under `tag`."""

    name: Slug
    runtime: RuntimePin
    lock: Digest
    config: Digest
    diff_ids: tuple[Digest, ...]
    tag: str


def tag_of(name: str, config: str) -> str:
    """Tags are by digest: `clawpro/<name>:<first 16 hex of the config digest>`."""
    return f"clawpro/{name}:{config.removeprefix('sha256:')[:16]}"


def is_exact(version: str) -> bool:
    """Whether a version is one release and no range or tag."""
    return re.fullmatch(r"\d+\.\d+\.\d+", version) is not None
