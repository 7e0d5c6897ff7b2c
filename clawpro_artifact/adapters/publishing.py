"""a bundle's tar -> an OCI artifact in a registry, its signatures as referrers, and back.

OCI image and distribution specifications 1.1. A registry that does not know referrers answers
without `OCI-Subject`; then the list is kept under the tag `sha256-HEX`, as the specification says.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import requests

from clawpro_artifact.adapters import store
from clawpro_artifact.adapters.folders import scratch_folder
from clawpro_artifact.errors import InfraError, InputError, TrustError, UsageError
from clawpro_artifact.formats import canonical, envelope
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.model import bundle as names

ARTIFACT = "application/vnd.clawpro.bundle.v1"
LAYER = "application/vnd.clawpro.bundle.v1.tar"
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_INDEX = "application/vnd.oci.image.index.v1+json"
_EMPTY = b"{}"
_EMPTY_TYPE = "application/vnd.oci.empty.v1+json"
_TARGET = re.compile(r"([A-Za-z0-9.-]+(?::\d+)?)/([a-z0-9][a-z0-9._/-]*):([A-Za-z0-9._-]{1,128})")
_TIMEOUT = 300


@dataclass(frozen=True)
class Published:
    """`digest`: of the artifact's manifest. `referrers`: digests of the signatures' manifests."""

    digest: str
    referrers: tuple[str, ...]


class Registry:
    """`HOST[:PORT]/REPOSITORY:TAG`; `plain_http` for a registry on this machine."""

    def __init__(
        self,
        target: str,
        *,
        plain_http: bool = False,
        user: tuple[str, str] | None = None,
    ) -> None:
        match = _TARGET.fullmatch(target)
        if match is None:
            raise UsageError(
                "not a place in a registry", expected="HOST[:PORT]/REPOSITORY:TAG", found=target
            )
        self.where, self._tag = target, match[3]
        self._base = f"{'http' if plain_http else 'https'}://{match[1]}/v2/{match[2]}"
        self._session = requests.Session()
        self._session.auth = user

    def publish(self, tar: Path) -> Published:
        """Pushes the bundle's tar; a tag that names another artifact is never moved.

        Raises TrustError for that, InfraError if the registry refuses. Verify the bundle before.
        """
        with open_bundle(tar) as container:
            tags = container.read("tagmanifest-sha256.txt", 1 << 26)
            sealed = {
                path: container.read(path, envelope.MAX_BYTES)
                for path in container.members
                if path.startswith(names.SIGNATURES) and path.endswith(".sigstore.json")
            }
        annotations = {"dev.clawpro.bundle": canonical.bytes_digest(tags)}
        layer = {
            "mediaType": LAYER,
            "digest": canonical.file_digest(tar),
            "size": tar.stat().st_size,
            "annotations": {"org.opencontainers.image.title": "bundle.tar"},
        }
        manifest = _manifest(ARTIFACT, layer, annotations)
        digest = canonical.bytes_digest(manifest)
        known = self._resolve(self._tag)
        if known is not None and known != digest:
            raise TrustError(
                "the tag names another artifact and is never moved",
                where=self.where,
                expected=digest,
                found=known,
                do="publish under another tag",
            )
        self._blob(_EMPTY, canonical.bytes_digest(_EMPTY))
        self._blob(tar, canonical.file_digest(tar))
        self._put_manifest(digest, manifest)
        referrers = tuple(
            self._refer(digest, len(manifest), path, data) for path, data in sealed.items()
        )
        self._put_manifest(self._tag, manifest)  # last: what the tag names is whole
        return Published(digest, referrers)

    def fetch(self, out: Path) -> str:
        """Downloads the tar behind the tag to `out`; the artifact's digest.

        Raises InputError for another kind of artifact or bytes that do not fit their digest,
        UsageError if `out` exists. Verify the bundle afterwards.
        """
        data = self._get(f"/manifests/{self._tag}", {"Accept": _MANIFEST}).content
        try:
            manifest = json.loads(data)
            layer = manifest["layers"][0]
            expected = str(layer["digest"])
            fine = manifest["artifactType"] == ARTIFACT and layer["mediaType"] == LAYER
        except (ValueError, KeyError, TypeError, IndexError):
            fine = False
        if not fine:
            raise InputError("not a bundle", where=self.where, expected=ARTIFACT)
        response = self._get(f"/blobs/{expected}", {}, stream=True)
        with scratch_folder() as work:
            temporary = work / "bundle.tar"
            with store.disk(temporary), temporary.open("wb") as file:
                shutil.copyfileobj(response.raw, file)
            if canonical.file_digest(temporary) != expected:
                raise InputError(
                    "the registry gave other bytes", where=self.where, expected=expected
                )
            with temporary.open("rb") as file:
                if not store.write_new(out, iter(lambda: file.read(1 << 20), b"")):
                    raise UsageError("the file is there already", where=str(out))
        return canonical.bytes_digest(data)

    def referrers(self, digest: str) -> list[dict[str, Any]]:
        """Descriptors of what refers to a manifest, from the API or from its fallback tag."""
        response = self._call("GET", f"/referrers/{digest}", {"Accept": _INDEX})
        if response.status_code != 200:
            response = self._call("GET", f"/manifests/{_fallback(digest)}", {"Accept": _INDEX})
        if response.status_code == 404:
            return []
        self._expect(response, 200)
        found: list[dict[str, Any]] = response.json()["manifests"]
        return found

    def _refer(self, digest: str, size: int, path: str, data: bytes) -> str:
        self._blob(data, canonical.bytes_digest(data))
        layer = {
            "mediaType": envelope.BUNDLE_TYPE,
            "digest": canonical.bytes_digest(data),
            "size": len(data),
            "annotations": {"org.opencontainers.image.title": path.rpartition("/")[2]},
        }
        subject = {"mediaType": _MANIFEST, "digest": digest, "size": size}
        manifest = _manifest(envelope.BUNDLE_TYPE, layer, {}, subject)
        own = canonical.bytes_digest(manifest)
        response = self._put_manifest(own, manifest)
        if "OCI-Subject" not in response.headers:
            entry = {
                "mediaType": _MANIFEST,
                "digest": own,
                "size": len(manifest),
                "artifactType": envelope.BUNDLE_TYPE,
            }
            known = [e for e in self.referrers(digest) if e["digest"] != own]
            index = canonical.encode(
                {"schemaVersion": 2, "mediaType": _INDEX, "manifests": [*known, entry]}
            )
            self._put_manifest(_fallback(digest), index, _INDEX)
        return own

    def _blob(self, source: bytes | Path, digest: str) -> None:
        if self._call("HEAD", f"/blobs/{digest}").status_code == 200:
            return
        start = self._expect(self._call("POST", "/blobs/uploads/"), 202)
        place = requests.compat.urljoin(self._base, start.headers["Location"])
        place += f"{'&' if '?' in place else '?'}digest={digest}"
        headers = {"Content-Type": "application/octet-stream"}
        if isinstance(source, bytes):
            self._expect(self._call("PUT", place, headers, source), 201)
            return
        with store.disk(source), source.open("rb") as file:  # streamed, with its length
            self._expect(self._call("PUT", place, headers, file), 201)

    def _put_manifest(
        self, reference: str, data: bytes, kind: str = _MANIFEST
    ) -> requests.Response:
        response = self._call("PUT", f"/manifests/{reference}", {"Content-Type": kind}, data)
        return self._expect(response, 201)

    def _resolve(self, reference: str) -> str | None:
        response = self._call("GET", f"/manifests/{reference}", {"Accept": _MANIFEST})
        if response.status_code == 404:
            return None
        return canonical.bytes_digest(self._expect(response, 200).content)

    def _get(
        self, path: str, headers: dict[str, str], *, stream: bool = False
    ) -> requests.Response:
        response = self._call("GET", path, headers, stream=stream)
        if response.status_code == 404:
            raise InputError("nothing is published there", where=self.where)
        return self._expect(response, 200)

    def _call(
        self,
        method: str,
        path: str,
        headers: dict[str, str] | None = None,
        body: bytes | IO[bytes] | None = None,
        *,
        stream: bool = False,
    ) -> requests.Response:
        url = path if "://" in path else self._base + path
        try:
            return self._session.request(
                method, url, headers=headers, data=body, stream=stream, timeout=_TIMEOUT
            )
        except requests.RequestException as error:
            raise InfraError(
                "the registry does not answer",
                where=self.where,
                found=str(error)[:200],
                do="try again",
            ) from error

    def _expect(self, response: requests.Response, status: int) -> requests.Response:
        if response.status_code != status:
            raise InfraError(
                "the registry refuses",
                where=f"{response.request.method} {response.url}",
                expected=str(status),
                found=f"{response.status_code} {response.text[:200]}",
            )
        return response


def _manifest(
    kind: str,
    layer: dict[str, Any],
    annotations: dict[str, str],
    subject: dict[str, Any] | None = None,
) -> bytes:
    config = {"mediaType": _EMPTY_TYPE, "digest": canonical.bytes_digest(_EMPTY), "size": 2}
    value: dict[str, Any] = {
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "artifactType": kind,
        "config": config,
        "layers": [layer],
    }
    if annotations:
        value["annotations"] = annotations
    if subject is not None:
        value["subject"] = subject
    return canonical.encode(value)


def _fallback(digest: str) -> str:
    return digest.replace(":", "-")
