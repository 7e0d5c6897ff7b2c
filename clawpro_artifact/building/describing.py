"""LockedImage -> SBOM and provenance: pure functions of the lock, byte for byte the same anywhere.

CycloneDX 1.6 JSON; in-toto Statement v1 with a SLSA provenance v1 predicate.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from clawpro_artifact.adapters import npm
from clawpro_artifact.adapters.inputs import address
from clawpro_artifact.building.locks import LockedImage
from clawpro_artifact.formats.canonical import digest
from clawpro_artifact.model.image import DebianPin, ImageInputs, NpmPin, tag_of

BUILD_TYPE = "urn:clawpro:build:"
BUILDER = "urn:clawpro:builder:"


def sbom(locked: LockedImage) -> dict[str, Any]:
    """Every package of an image with its hash, and licences where the lock knows them.

    npm packages carry the licence of the lock file; Debian packages keep theirs in the image under
    `/usr/share/doc/<name>/copyright`, which the component says.
    """
    inputs = locked.lock.inputs
    recipe = inputs.recipe
    components = [
        *(_debian_component(p) for p in inputs.debian),
        _npm_component(inputs.node, "MIT", "application"),
        *(_npm_component(p, p.license, "library") for p in _packages(locked)),
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, digest(locked.lock)).urn,
        "version": 1,
        "metadata": {
            "timestamp": _time(recipe.epoch),
            "component": {
                "type": "container",
                "bom-ref": locked.lock.config,
                "name": recipe.name,
                "version": recipe.runtime.partition("@")[2],
                "hashes": [_hash(locked.lock.config)],
            },
        },
        "components": sorted(components, key=lambda c: str(c["bom-ref"])),
    }


def provenance(locked: LockedImage) -> dict[str, Any]:
    """What an image was built from and by what, as an unsigned in-toto statement."""
    inputs = locked.lock.inputs
    recipe = inputs.recipe
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {
                "name": tag_of(recipe.name, locked.lock.config),
                "digest": {"sha256": locked.lock.config.removeprefix("sha256:")},
            }
        ],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE + inputs.builder,
                "externalParameters": {"recipe": recipe.model_dump(mode="json")},
                "internalParameters": {
                    "layers": locked.lock.layers.model_dump(mode="json"),
                    "lock": digest(locked.lock),
                },
                "resolvedDependencies": _dependencies(locked),
            },
            "runDetails": {"builder": {"id": BUILDER + inputs.builder}},
        },
    }


def licences(locked: LockedImage) -> dict[str, tuple[str, ...]]:
    """Licence -> npm packages under it (`name@version`); `unstated` if the lock has none."""
    found: dict[str, list[str]] = {}
    for package in _packages(locked):
        found.setdefault(package.license or "unstated", []).append(
            f"{package.name}@{package.version}"
        )
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def _packages(locked: LockedImage) -> tuple[npm.Package, ...]:
    return npm.packages_of(locked.package_lock, f"{locked.name}/package-lock.json")


def _dependencies(locked: LockedImage) -> list[dict[str, Any]]:
    inputs: ImageInputs = locked.lock.inputs
    pins = [(_debian_url(p), p.sha256) for p in inputs.debian]
    tarballs: tuple[npm.Package | NpmPin, ...] = (*_packages(locked), inputs.node, inputs.npm)
    pins += [(_npm_url(p.name, p.version), p.integrity) for p in tarballs]
    pins += [(f"urn:clawpro:file:{quote(f.path)}", f.sha256) for f in inputs.incontainer]
    found = []
    for uri, pin in sorted(pins):
        algorithm, value = address(pin)
        found.append({"uri": uri, "digest": {algorithm: value}})
    return found


def _debian_component(pin: DebianPin) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": _debian_url(pin),
        "purl": _debian_url(pin),
        "name": pin.name,
        "version": pin.version,
        "hashes": [_hash(pin.sha256)],
        "properties": [
            {"name": "clawpro:licence-file", "value": f"/usr/share/doc/{pin.name}/copyright"}
        ],
    }


def _npm_component(pin: npm.Package | NpmPin, licence: str | None, kind: str) -> dict[str, Any]:
    component: dict[str, Any] = {
        "type": kind,
        "bom-ref": _npm_url(pin.name, pin.version),
        "purl": _npm_url(pin.name, pin.version),
        "name": pin.name,
        "version": pin.version,
        "hashes": [_hash(pin.integrity)],
    }
    if licence:
        component["licenses"] = [{"license": {"name": licence}}]
    return component


def _hash(pin: str) -> dict[str, str]:
    algorithm, value = address(pin)
    return {"alg": {"sha256": "SHA-256", "sha512": "SHA-512"}[algorithm], "content": value}


def _debian_url(pin: DebianPin) -> str:
    """Package URL of type deb; a colon is never percent-encoded (purl specification)."""
    return (
        f"pkg:deb/debian/{quote(pin.name)}@{quote(pin.version, safe=':')}"
        f"?arch={pin.architecture}&distro=bookworm"
    )


def _npm_url(name: str, version: str) -> str:
    """Package URL of type npm: the scope's `@` is percent-encoded."""
    return f"pkg:npm/{quote(name, safe='/')}@{version}"


def _time(epoch: int) -> str:
    return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
