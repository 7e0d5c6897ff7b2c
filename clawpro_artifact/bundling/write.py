"""BundleFiles + signers -> a BagIt folder with its signatures, there whole or not at all.

Everything is written and made durable in a folder beside the target, hashed while it is written,
and signed last; one rename makes it appear. The same files, info and keys give the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from clawpro_artifact.adapters import store
from clawpro_artifact.adapters.folders import new_folder
from clawpro_artifact.errors import InfraError, InputError, UsageError
from clawpro_artifact.formats import bagit, claims, envelope, publickey, sshsig
from clawpro_artifact.formats.loglist import LogEntry
from clawpro_artifact.formats.publickey import PublicKey, Signer
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.bundle import Claim

_CHUNK = 1 << 20


@dataclass(frozen=True)
class BundleFile:
    """A file to be: its path in the bundle (`data/...` or `attestations/...`) and its bytes."""

    path: str
    source: bytes | Path


@dataclass(frozen=True)
class ReleaseInfo:
    """What the signers claim besides the content.

    `created`: RFC 3339, UTC, whole seconds. `sequence` counts the releases of this name from 0;
    `previous`: bundle id of the one before. `log_key`: whose checkpoints the bundle carries.
    `signers`: all keys that are to sign, if some of them
    sign later (`cosign`); empty means those that sign now.
    """

    name: str
    version: str
    created: str
    software: str
    sequence: int = 0
    previous: str | None = None
    signers: tuple[PublicKey, ...] = ()
    log_key: PublicKey | None = None


@dataclass(frozen=True)
class BundleResult:
    """`bundle_id`: sha256 of the tag manifest (the index digest)."""

    bundle_id: str
    path: Path
    claim: Claim


def bundle(
    content: Iterable[BundleFile],
    signers: Sequence[Signer],
    info: ReleaseInfo,
    out: Path,
    log: Callable[[bytes], LogEntry] | None = None,
) -> BundleResult:
    """Writes the signed bundle at `out`, which must not exist.

    `log` appends the tag manifest to the release log of `info.log_key`; it is called once all is
    signed and again, with the same bytes, if the same bundle is written again after a crash.
    Raises InputError for unsafe, colliding or misplaced paths or a source that is no plain file,
    UsageError if `out` exists or nobody signs, InfraError if the disk refuses; then nothing is left
    at `out`.
    """
    if not signers or len({s.public for s in signers}) != len(signers):
        raise UsageError("a bundle is signed by one or more different keys")
    expected = info.signers or tuple(s.public for s in signers)
    if not {s.public for s in signers} <= set(expected):
        raise UsageError("a key signs that is not among the announced signers")
    if (log is None) != (info.log_key is None):
        raise UsageError("a log and its key go together")
    with new_folder(out) as folder:
        written = _Written(folder)
        for file in content:
            if not file.path.startswith((names.DATA, names.ATTESTATIONS)):
                raise InputError(
                    "a file has no place in a bundle",
                    where=ascii(file.path),
                    expected=f"a path below {names.DATA} or {names.ATTESTATIONS}",
                )
            written.add(file.path, file.source)
        claim = _add_tags(written, info, expected)
        written.sync()
        bundle_id = "sha256:" + written.digests[bagit.TAG_MANIFEST_NAME]
        for signer in signers:
            _add_signatures(written, signer, claims.write(claim, bundle_id))
        if log is not None:
            entry = log((folder / bagit.TAG_MANIFEST_NAME).read_bytes())
            written.add(names.LOG_PROOF, entry.proof)
            written.add(names.LOG_LIST, entry.leaves)
        written.sync()
    return BundleResult(bundle_id, out, claim)


def cosign(path: Path, signer: Signer) -> None:
    """Adds the signature of an announced signer to a bundle folder (two-person release).

    The statement signed is the one that is there, after its own signature was verified with the
    announced key. Raises UsageError if this key was not announced, InputError if there is nothing
    to follow. The caller verifies the bundle before.
    """
    stem = signer.public.keyid[: names.KEY_STEM]
    if not (path / names.KEYS / f"{stem}.pem").is_file():
        raise UsageError("this key is not among the announced signers", where=str(path), found=stem)
    others = sorted((path / names.SIGNATURES).glob("*.sigstore.json"))
    if not others:
        raise InputError("no signature to follow", where=str(path / names.SIGNATURES))
    first = envelope.parse(others[0].read_bytes(), str(others[0]))
    pem = path / names.KEYS / f"{first.keyid[: names.KEY_STEM]}.pem"
    key = publickey.from_pem(pem.read_bytes(), str(pem))
    verified = envelope.verify(first, [key])
    tags = (path / bagit.TAG_MANIFEST_NAME).read_bytes()
    subject = "sha256:" + hashlib.sha256(tags).hexdigest()
    if (
        verified is None
        or envelope.open_statement(verified, str(others[0])).subjects[0].digest != subject
    ):
        raise InputError("the signature that is there does not fit", where=str(others[0]))
    store.write(path / names.SIGNATURES / f"{stem}.sig", sshsig.sign(tags, signer))
    store.write(
        path / names.SIGNATURES / f"{stem}.sigstore.json", envelope.seal(first.payload, signer)
    )


class _Written:
    """Files written below a folder, with their digests and sizes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.digests: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self._folders: set[Path] = set()
        self._unsynced: list[Path] = []

    def add(self, path: str, source: bytes | Path) -> None:
        bagit.check_path(path, "bundle")
        if path in self.digests:
            raise InputError("a file is there twice", where=ascii(path), expected="each path once")
        target = self.folder / path
        with store.disk(target):
            if target.parent not in self._folders:
                target.parent.mkdir(parents=True, exist_ok=True)
                self._folders.add(target.parent)
            digest, size = hashlib.sha256(), 0
            fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
            with os.fdopen(fd, "wb", buffering=0) as file:
                for chunk in _chunks(source):
                    digest.update(chunk)
                    size += len(chunk)
                    left = memoryview(chunk)
                    while left:
                        left = left[file.write(left) :]
                os.fchmod(fd, 0o644)
        self.digests[path], self.sizes[path] = digest.hexdigest(), size
        self._unsynced.append(target)

    def sync(self) -> None:
        """Makes files and folders durable; InfraError if the disk lost one."""
        for path in (*self._unsynced, *sorted({p for f in self._folders for p in _up(f, self)})):
            with store.disk(path):
                fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                try:
                    os.fsync(fd)
                finally:
                    os.close(fd)
        self._unsynced.clear()


def _up(folder: Path, written: _Written) -> Iterator[Path]:
    while folder != written.folder:
        yield folder
        folder = folder.parent
    yield folder


def _chunks(source: bytes | Path) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    fd = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb", buffering=0) as file:
        before = os.fstat(fd)
        if not stat.S_ISREG(before.st_mode):
            raise InputError("a source is no plain file", where=str(source))
        while chunk := file.read(_CHUNK):
            yield chunk
        after = os.fstat(fd)
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise InfraError("a file changed while it was bundled", where=str(source))


def _add_tags(written: _Written, info: ReleaseInfo, signers: Sequence[PublicKey]) -> Claim:
    """The tag files and manifests; what the statement will say."""
    payload = [bagit.Entry(p, d) for p, d in written.digests.items() if p.startswith(names.DATA)]
    written.add(bagit.MANIFEST_NAME, bagit.manifest(payload))
    claim = Claim(
        name=info.name,
        version=info.version,
        sequence=info.sequence,
        previous=info.previous,
        created=info.created,
        software=info.software,
        documents={
            p: "sha256:" + written.digests[p] for p in names.CLAIMED if p in written.digests
        },
        payload_manifest="sha256:" + written.digests[bagit.MANIFEST_NAME],
        payload_files=len(payload),
        payload_bytes=sum(written.sizes[e.path] for e in payload),
    )
    written.add(bagit.DECLARATION_NAME, bagit.DECLARATION)
    written.add(bagit.INFO_NAME, claims.bag_info(claim))
    package = resources.files("clawpro_artifact.bundling")
    for name in (names.README_NAME, names.SCRIPT_NAME):
        written.add(name, (package / name).read_bytes())
    ordered = sorted(signers, key=lambda k: k.keyid)
    for key in ordered:
        written.add(f"{names.KEYS}{key.keyid[: names.KEY_STEM]}.pem", key.pem)
    if info.log_key is not None:
        written.add(names.LOG_KEY, info.log_key.pem)
    lines = "".join(sshsig.allowed_signer(names.PRINCIPAL, k) for k in ordered)
    written.add(names.ALLOWED_SIGNERS, lines.encode())
    tags = [bagit.Entry(p, d) for p, d in written.digests.items() if not p.startswith(names.DATA)]
    written.add(bagit.TAG_MANIFEST_NAME, bagit.manifest(tags))
    # Signatures come later; their names must not collide either.
    stems = [f"{names.SIGNATURES}{k.keyid[: names.KEY_STEM]}.sig" for k in ordered]
    bagit.check_paths([*written.digests, *stems], "bundle")
    return claim


def _add_signatures(written: _Written, signer: Signer, payload: bytes) -> None:
    stem = f"{names.SIGNATURES}{signer.public.keyid[: names.KEY_STEM]}"
    tags = (written.folder / bagit.TAG_MANIFEST_NAME).read_bytes()
    written.add(f"{stem}.sig", sshsig.sign(tags, signer))
    written.add(f"{stem}.sigstore.json", envelope.seal(payload, signer))
