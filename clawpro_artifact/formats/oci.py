"""layers + settings -> OCI image: config, manifest, and one archive every engine loads.

OCI image-spec 1.1 layout (`oci-layout`, `index.json`, `blobs/sha256/`) which is at the same time a
`docker load` archive (`manifest.json`). Layers are uncompressed: compressed bytes differ between
tools, and the identity of an image is its config digest, which names the uncompressed layers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from clawpro_artifact.formats import tar

CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar"


@dataclass(frozen=True)
class Blob:
    """A layer: its diff id (`sha256:<hex>` of the uncompressed tar), size and what it is."""

    diff_id: str
    size: int
    title: str


@dataclass(frozen=True)
class Settings:
    """The part of an image config that a container inherits."""

    user: str
    working_dir: str
    env: tuple[str, ...]
    labels: Mapping[str, str]
    epoch: int


@dataclass(frozen=True)
class Documents:
    """The JSON documents of one image and the digests an engine may call its ID."""

    config: bytes
    manifest: bytes
    index: bytes
    docker: bytes

    @property
    def config_digest(self) -> str:
        """The identity of the image."""
        return _digest(self.config)

    @property
    def ids(self) -> tuple[str, ...]:
        """config (classic store), manifest and index digest (containerd store of Docker 29)."""
        return (self.config_digest, _digest(self.manifest), _digest(self.index))


def documents(layers: Sequence[Blob], settings: Settings, tag: str | None = None) -> Documents:
    """All JSON of an image; a function of its arguments alone. The tag is not part of the ids."""
    config = config_bytes(layers, settings)
    manifest = _json(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST_TYPE,
            "config": _descriptor(CONFIG_TYPE, config),
            "layers": [
                {"mediaType": LAYER_TYPE, "digest": b.diff_id, "size": b.size} for b in layers
            ],
        }
    )
    index = _json(
        {
            "schemaVersion": 2,
            "mediaType": INDEX_TYPE,
            "manifests": [
                {
                    **_descriptor(MANIFEST_TYPE, manifest),
                    "platform": {"architecture": "amd64", "os": "linux"},
                }
            ],
        }
    )
    docker = _json(
        [
            {
                "Config": _blob_path(_digest(config)),
                "RepoTags": [tag] if tag else None,
                "Layers": [_blob_path(b.diff_id) for b in layers],
            }
        ]
    )
    return Documents(config, manifest, index, docker)


def config_bytes(layers: Sequence[Blob], settings: Settings) -> bytes:
    """The OCI image config; its digest is the image's identity."""
    created = datetime.fromtimestamp(settings.epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return _json(
        {
            "architecture": "amd64",
            "os": "linux",
            "created": created,
            "config": {
                "User": settings.user,
                "WorkingDir": settings.working_dir,
                "Env": list(settings.env),
                "Labels": dict(settings.labels),
            },
            "rootfs": {"type": "layers", "diff_ids": [b.diff_id for b in layers]},
            "history": [{"created": created, "created_by": b.title} for b in layers],
        }
    )


def archive(
    docs: Documents, layers: Sequence[tuple[Blob, Path]], *, mtime: int = 0
) -> Iterator[bytes]:
    """The archive in chunks: small documents first, then each layer's file as it is on disk.

    A pipe and not a file: an image is larger than what a small machine can hold twice.
    """
    small = {
        "oci-layout": b'{"imageLayoutVersion":"1.0.0"}',
        "index.json": docs.index,
        "manifest.json": docs.docker,
        _blob_path(docs.config_digest): docs.config,
        _blob_path(_digest(docs.manifest)): docs.manifest,
    }
    files: dict[str, tar.Member] = {path: tar.file_of(path, data) for path, data in small.items()}
    for blob, path in layers:
        name = _blob_path(blob.diff_id)
        files[name] = tar.Member(name, "file", size=blob.size, open=tar.opener(path))
    yield from tar.stream(files.values(), mtime=mtime)


def layout(
    images: Mapping[str, tuple[Documents, Sequence[tuple[Blob, Path]]]],
) -> dict[str, bytes | Path]:
    """Several images as the files of one OCI layout, by path; what they share is there once.

    Each is named by `org.opencontainers.image.ref.name`: `skopeo copy oci:FOLDER:NAME ...`.
    """
    files: dict[str, bytes | Path] = {}
    entries = []
    for name, (docs, layers) in sorted(images.items()):
        files[_blob_path(docs.config_digest)] = docs.config
        files[_blob_path(_digest(docs.manifest))] = docs.manifest
        for blob, path in layers:
            files[_blob_path(blob.diff_id)] = path
        entries.append(
            {
                **_descriptor(MANIFEST_TYPE, docs.manifest),
                "platform": {"architecture": "amd64", "os": "linux"},
                "annotations": {"org.opencontainers.image.ref.name": name},
            }
        )
    files["oci-layout"] = b'{"imageLayoutVersion":"1.0.0"}'
    files["index.json"] = _json({"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": entries})
    return files


def _descriptor(media_type: str, data: bytes) -> dict[str, str | int]:
    return {"mediaType": media_type, "digest": _digest(data), "size": len(data)}


def _digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _blob_path(digest: str) -> str:
    return "blobs/sha256/" + digest.removeprefix("sha256:")


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
