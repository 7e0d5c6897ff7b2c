"""step 5, where images are included: one OCI layout that holds exactly the locked images."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import jsonio
from clawpro_artifact.verifying.case import Case, RefusedError

OCI = "data/oci/"
_HEX = re.compile(r"[0-9a-f]{64}")
_LAYOUT = {"imageLayoutVersion": "1.0.0"}
_NAME = "org.opencontainers.image.ref.name"


def included(case: Case, locked: dict[str, Any]) -> Iterator[RefusedError]:
    """Every blob is what its name says, and every blob belongs to an image of the lock.

    A bundle that only refers to its images has none of these files.
    """
    files = case.below(OCI)
    if not files:
        return
    blobs = {p for p in files if p.startswith("blobs/sha256/")}
    for path in sorted(blobs):
        name = path.rpartition("/")[2]
        if not _HEX.fullmatch(name) or files[path] != name:
            yield RefusedError(
                "image-content-differs", f"{OCI}{path}: its bytes have another digest"
            )
    if case.part:
        return  # the documents of images are not among the files of one trial
    try:
        wanted = _wanted(case, locked, files)
    except RefusedError as error:
        yield error
        return
    odd = sorted(set(files) ^ (wanted | {"oci-layout", "index.json"}))
    if odd:
        yield RefusedError(
            "image-content-differs", f"{OCI}{odd[0]}: missing, or of no locked image"
        )


def _wanted(case: Case, locked: dict[str, Any], files: dict[str, str]) -> set[str]:
    """Paths of all blobs that the index leads to."""
    if _json(case, "oci-layout", files) != _LAYOUT:
        raise RefusedError("image-content-differs", f"{OCI}oci-layout: not version 1.0.0")
    pins = {pin["image"]: pin["config"] for pin in locked["images"]}
    found: dict[str, str] = {}
    wanted: set[str] = set()
    for entry in _list(_json(case, "index.json", files), "manifests"):
        name = str(entry.get("annotations", {}).get(_NAME))
        config, layers = _manifest(case, _path(entry), files)
        if _json(case, _path(config), files).get("rootfs", {}).get("diff_ids") != layers:
            raise RefusedError(
                "image-content-differs", f"{name}: its manifest lists other layers than its config"
            )
        found[name] = str(config.get("digest"))
        wanted |= {_path(entry), _path(config), *(_path({"digest": d}) for d in layers)}
    if found != pins:
        raise RefusedError(
            "image-content-differs", f"{OCI}index.json: holds {found}, locked are {pins}"
        )
    return wanted


def _manifest(case: Case, path: str, files: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The config's descriptor and the digests of the layers."""
    manifest = _json(case, path, files)
    config = manifest.get("config")
    layers = [str(layer.get("digest")) for layer in _list(manifest, "layers")]
    return config if isinstance(config, dict) else {}, layers


def _path(descriptor: dict[str, Any]) -> str:
    algorithm, _, name = str(descriptor.get("digest")).partition(":")
    if algorithm != "sha256" or not _HEX.fullmatch(name):
        raise RefusedError("image-content-differs", f"{OCI}: a descriptor has no sha256 digest")
    return f"blobs/sha256/{name}"


def _list(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = value.get(key)
    if not isinstance(found, list) or not all(isinstance(v, dict) for v in found):
        raise RefusedError("image-content-differs", f"{OCI}: {key} is no list of objects")
    return found


def _json(case: Case, path: str, files: dict[str, str]) -> dict[str, Any]:
    if path not in files:
        raise RefusedError("image-content-differs", f"{OCI}{path}: missing")
    data = case.read(OCI + path)
    try:
        value = jsonio.parse(data, OCI + path)
    except InputError as error:
        raise RefusedError("image-content-differs", f"{OCI}{path}: {error.summary}") from None
    # One spelling: what our writer writes, so that nothing hides in white space.
    if (
        not isinstance(value, dict)
        or data != json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
    ):
        raise RefusedError("image-content-differs", f"{OCI}{path}: not as an image is written")
    return value
