"""what a case of the tampered corpus is, and what its maker has at hand."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.keys import KeyFile
from clawpro_artifact.formats import bagit, canonical, claims, envelope, sshsig
from clawpro_artifact.formats.publickey import PublicKey
from clawpro_artifact.formats.trust import TrustPolicy
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.bundle import Claim, LastSeen
from tests import bundles

STEM = bundles.ALICE.public.keyid[: names.KEY_STEM]
SIG = f"signatures/{STEM}.sig"
SEALED = f"signatures/{STEM}.sigstore.json"
KEY = f"keys/{STEM}.pem"
TAGS = bagit.TAG_MANIFEST_NAME
LIST = bagit.MANIFEST_NAME
TRACE = "data/traces/direct-reference/three-way-match/0"

Make = Callable[["Kit", Path], Path]


@dataclass(frozen=True)
class Case:
    """`make(kit, empty folder)` gives the path to verify; the rest is what must be found."""

    name: str
    make: Make
    step: int
    code: str
    exit_code: int = 1
    trust: list[PublicKey] | TrustPolicy = field(default_factory=lambda: [bundles.ALICE.public])
    last_seen: LastSeen | None = None
    now: str | None = None
    group: str = ""


@dataclass(frozen=True)
class Kit:
    """A good bundle: its composed files, and itself signed as a folder and as a tar."""

    files: dict[str, bytes]
    folder: Path
    tar: Path
    claim: Claim

    def copy(self, to: Path) -> Path:
        """The good bundle, to be edited."""
        return Path(shutil.copytree(self.folder, to / "bundle"))

    def signed(self, to: Path, files: dict[str, bytes], **info: Any) -> Path:
        """Other files under a good signature: the signer lies, or was lied to."""
        import dataclasses

        bundles.sign(files, to / "bundle", info=dataclasses.replace(bundles.INFO, **info))
        return to / "bundle"


def relist(folder: Path) -> None:
    """Both lists made right again, and nothing signed."""
    payload, tags = [], []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.relative_to(folder).as_posix()
        entry = (name, hashlib.sha256(path.read_bytes()).hexdigest())
        if name.startswith("data/"):
            payload.append(entry)
        elif not name.startswith("signatures/") and name not in (TAGS, LIST):
            tags.append(entry)
    (folder / LIST).write_text(_lines(payload))
    tags.append((LIST, hashlib.sha256((folder / LIST).read_bytes()).hexdigest()))
    (folder / TAGS).write_text(_lines(tags))


def _lines(entries: list[tuple[str, str]]) -> str:
    return "".join(f"{d}  {p}\n" for p, d in sorted(entries, key=lambda e: e[0].encode()))


def statement(folder: Path, claim: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A statement about the folder as it is."""
    subject = hashlib.sha256((folder / TAGS).read_bytes()).hexdigest()
    return {
        "_type": envelope.STATEMENT_TYPE,
        "subject": [{"name": TAGS, "digest": {"sha256": subject}}],
        "predicateType": names.PREDICATE_TYPE,
        "predicate": claim,
    } | changes


def seal(folder: Path, value: Any, signer: KeyFile = bundles.ALICE) -> None:
    """Signs any statement (a value or bytes) as `signer`, whose key copy must be there."""
    payload = value if isinstance(value, bytes) else canonical.encode(value)
    stem = signer.public.keyid[: names.KEY_STEM]
    (folder / f"signatures/{stem}.sigstore.json").write_bytes(envelope.seal(payload, signer))
    tags = (folder / TAGS).read_bytes()
    (folder / f"signatures/{stem}.sig").write_bytes(sshsig.sign(tags, signer))


def reclaim(folder: Path, kit: Kit) -> Claim:
    """The claim that tells the truth about the folder's lists."""
    payload = [line[66:] for line in (folder / LIST).read_text().splitlines()]
    digest = hashlib.sha256((folder / LIST).read_bytes()).hexdigest()
    listed = {line[66:]: line[:64] for line in (folder / LIST).read_text().splitlines()}
    import dataclasses

    return dataclasses.replace(
        kit.claim,
        payload_manifest=f"sha256:{digest}",
        payload_files=len(payload),
        payload_bytes=sum((folder / p).stat().st_size for p in payload if (folder / p).exists()),
        documents={p: f"sha256:{listed[p]}" for p in names.CLAIMED if p in listed},
    )


def resign(folder: Path, kit: Kit) -> None:
    """A true statement about the folder as it is, well signed: only step 0 to 2 can object."""
    claim = reclaim(folder, kit)
    bundle_id = "sha256:" + hashlib.sha256((folder / TAGS).read_bytes()).hexdigest()
    seal(folder, claims.write(claim, bundle_id))


def rewrite(path: Path, old: bytes, new: bytes) -> None:
    """Replaces bytes that must be there."""
    data = path.read_bytes()
    assert old in data, (path, old)
    path.write_bytes(data.replace(old, new, 1))


def envelope_of(folder: Path) -> dict[str, Any]:
    """The signature bundle as a value."""
    value: dict[str, Any] = json.loads((folder / SEALED).read_bytes())
    return value


def put_envelope(folder: Path, value: Any) -> None:
    """Writes it back in canonical form."""
    (folder / SEALED).write_bytes(canonical.encode(value))


def payload_of(folder: Path) -> dict[str, Any]:
    """The signed statement as a value."""
    value: dict[str, Any] = json.loads(
        base64.b64decode(envelope_of(folder)["dsseEnvelope"]["payload"])
    )
    return value


def edit_json(files: dict[str, bytes], path: str, edit: Callable[[Any], Any]) -> dict[str, bytes]:
    """The files with one canonical document changed in place."""
    value = json.loads(files[path])
    edit(value)
    return files | {path: canonical.encode(value)}


def edit_lines(
    files: dict[str, bytes], path: str, edit: Callable[[list[Any]], Any]
) -> dict[str, bytes]:
    """The files with the rows of one JSON Lines document changed."""
    rows = [json.loads(line) for line in files[path].splitlines()]
    changed = edit(rows)
    return files | {path: bundles.jsonl(changed if isinstance(changed, list) else rows)}
