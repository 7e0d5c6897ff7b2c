"""places that keep bundles: each file once by its digest, for 90 days at least.

`content/ab/cdef...`: files, shared by all bundles. `bundles/HEX.json`: which file of a bundle is
which content; a bundle is there from the moment this stands, and gone when it is removed.
Sources of ideas: git's object store and restic's check, without packing.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from clawpro_artifact.adapters import store
from clawpro_artifact.adapters.blobs import Backend
from clawpro_artifact.adapters.folders import new_folder, scratch_folder
from clawpro_artifact.errors import InfraError, InputError, TrustError, UsageError
from clawpro_artifact.formats import bagit, canonical, claims
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.formats.view import Container

RETENTION = timedelta(days=90)
_FORMAT = "clawpro.archived.v1"
_ID = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class Archived:
    """A bundle in the archive. `kept_at`: when it came, RFC 3339. `hold`: why it must stay."""

    bundle: str
    name: str
    version: str
    sequence: int
    kept_at: str
    files: dict[str, str]
    sizes: dict[str, int]
    hold: str | None = None

    def may_go_at(self) -> datetime:
        """When the retention ends."""
        return claims.moment(self.kept_at) + RETENTION


@dataclass(frozen=True)
class Repair:
    """What `check` found of one content in a place: `missing` or `damaged`, and if healed."""

    place: str
    digest: str
    fault: str
    healed: bool
    bundles: tuple[str, ...]


class Archive:
    """The archive in `place`; `copy` is a second one, to write to as well and to repair from.

    All methods raise InfraError where a disk or a server refuses.
    """

    def __init__(self, place: Backend, copy: Backend | None = None) -> None:
        self._place = place
        self._copy = copy
        self._places = [p for p in (place, copy) if p is not None]

    def put(self, bundle: Path, expected: str, now: datetime) -> Archived:
        """Keeps a bundle that was verified as `expected` (bundle id). Nothing is stored twice.

        Raises InputError if it is another bundle. A bundle is listed once all of it is stored;
        what a killed `put` stored is dropped by the next `prune`.
        """
        if self._place.has(_record_key(expected)):
            return self.get_record(expected)
        with open_bundle(bundle) as container, scratch_folder() as work:
            tags = container.read(bagit.TAG_MANIFEST_NAME, 1 << 26)
            found = canonical.bytes_digest(tags)
            if found != expected:
                raise InputError(
                    "the bundle is not the one that was verified",
                    where=str(bundle),
                    expected=expected,
                    found=found,
                )
            listed = _listed(container, tags)
            files = {p: self._keep(container, p, work) for p in container.members}
            for path, digest in listed.items():
                if files.get(path) != digest:
                    raise InputError(
                        "the bundle is not what its lists say", where=f"{bundle}: {path}"
                    )
            fields = _info(container)
            sizes = {path: m.size for path, m in container.members.items()}
        record = Archived(
            bundle=expected,
            name=fields["Release-Name"],
            version=fields["Release-Version"],
            sequence=int(fields["Release-Sequence"]),
            kept_at=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            files=files,
            sizes=sizes,
        )
        self._write(record)
        return record

    def _keep(self, container: Container, path: str, work: Path) -> str:
        """Stores one file of an open bundle, streamed; its digest."""
        digest = "sha256:" + container.sha256(path)
        wanting = [p for p in self._places if not p.has(_content_key(digest))]
        if wanting:
            temporary = work / "file"
            hasher = hashlib.sha256()
            with container.open(path) as reader:
                store.write(temporary, _hashed(iter(reader), hasher))
            if "sha256:" + hasher.hexdigest() != digest:
                raise InfraError("a file changed while it was archived", where=path)
            for place in wanting:
                place.write(_content_key(digest), temporary)
        return digest

    def bundles(self) -> list[Archived]:
        """All bundles, by name and sequence."""
        names = [key.removeprefix("bundles/")[:-5] for key, _ in self._place.keys("bundles/")]
        records = [self.get_record(f"sha256:{name}") for name in names]
        return sorted(records, key=lambda r: (r.name, r.sequence, r.bundle))

    def get_record(self, bundle: str) -> Archived:
        """The record of one bundle; InputError if it is not here."""
        key = _record_key(bundle)
        if not self._place.has(key):
            raise InputError(
                "no such bundle in the archive",
                where=self._place.where,
                found=bundle,
                do="run `clawpro archive list`",
            )
        value = canonical.decode(b"".join(self._place.read(key)), key)
        if not isinstance(value, dict) or value.pop("format", None) != _FORMAT:
            raise InputError("malformed archive record", where=key, expected=_FORMAT)
        return Archived(**value)

    def get(self, bundle: str, out: Path) -> None:
        """Writes the bundle as a folder at `out`, which must not exist; each file hashed again.

        Raises InfraError for damaged content (run `check`), UsageError if `out` exists.
        """
        record = self.get_record(bundle)
        with new_folder(out) as folder:
            for path, digest in record.files.items():
                target = folder / path
                store.make_folder(target.parent)
                hasher = hashlib.sha256()
                store.write(target, _hashed(self._place.read(_content_key(digest)), hasher))
                if "sha256:" + hasher.hexdigest() != digest:
                    raise InfraError(
                        "archived content is damaged",
                        where=path,
                        expected=digest,
                        do="run `clawpro archive check`",
                    )

    def hold(self, bundle: str, why: str | None) -> None:
        """Keeps a bundle until the hold is taken away again (`None`)."""
        self._write(dataclasses.replace(self.get_record(bundle), hold=why))

    def check(self) -> list[Repair]:
        """Hashes every content in both places again; each is healed from the other.

        What could not be healed is in the answer with `healed` false.
        """
        users: dict[str, set[str]] = {}
        for record in self.bundles():
            for digest in record.files.values():
                users.setdefault(digest, set()).add(record.bundle)
        found = []
        for digest, bundles in sorted(users.items()):
            faults = {place.where: _fault(place, digest) for place in self._places}
            good = next((p for p in self._places if faults[p.where] is None), None)
            for place in self._places:
                fault = faults[place.where]
                if fault is not None:
                    if good is not None:
                        _transfer(good, place, digest)
                    entry = Repair(
                        place.where, digest, fault, good is not None, tuple(sorted(bundles))
                    )
                    found.append(entry)
        return found

    def remove(self, bundle: str, now: datetime) -> None:
        """Takes a bundle out; TrustError within its 90 days or while it is held."""
        record = self.get_record(bundle)
        if record.hold is not None:
            raise TrustError("the bundle is held", where=bundle, found=record.hold)
        if now < record.may_go_at():
            raise TrustError(
                "the bundle is kept for 90 days",
                where=bundle,
                expected=f"not before {record.may_go_at():%Y-%m-%dT%H:%M:%SZ}",
                found=f"{now:%Y-%m-%dT%H:%M:%SZ}",
            )
        for place in self._places:
            place.remove(_record_key(bundle))

    def prune(self, now: datetime) -> tuple[list[str], int]:
        """Takes out what is past its 90 days and not held, then drops content of nobody.

        The bundles removed, and how many bytes that freed. Not while another process puts.
        """
        gone = []
        for record in self.bundles():
            if record.hold is None and now >= record.may_go_at():
                self.remove(record.bundle, now)
                gone.append(record.bundle)
        used = {_content_key(d) for record in self.bundles() for d in record.files.values()}
        freed = 0
        for place in self._places:
            for key, size in place.keys("content/"):
                if key not in used:
                    freed += size
                    place.remove(key)
        return gone, freed

    def _write(self, record: Archived) -> None:
        value = {"format": _FORMAT, **dataclasses.asdict(record)}
        with scratch_folder() as work:
            file = work / "record"
            store.write(file, canonical.encode(value))
            # The main place last: what it lists is stored everywhere.
            for place in reversed(self._places):
                place.write(_record_key(record.bundle), file)


def _fault(place: Backend, digest: str) -> str | None:
    if not place.has(_content_key(digest)):
        return "missing"
    hasher = hashlib.sha256()
    for chunk in place.read(_content_key(digest)):
        hasher.update(chunk)
    return None if "sha256:" + hasher.hexdigest() == digest else "damaged"


def _transfer(source: Backend, to: Backend, digest: str) -> None:
    with scratch_folder() as work:
        file = work / "content"
        store.write(file, source.read(_content_key(digest)))
        to.write(_content_key(digest), file)


def _content_key(digest: str) -> str:
    name = digest.removeprefix("sha256:")
    return f"content/{name[:2]}/{name[2:]}"


def _record_key(bundle: str) -> str:
    if not _ID.fullmatch(bundle):
        raise UsageError("not a bundle id", expected="sha256:<64 hex digits>", found=bundle)
    return f"bundles/{bundle.removeprefix('sha256:')}.json"


def _listed(container: Container, tags: bytes) -> dict[str, str]:
    entries = list(bagit.parse_manifest(tags, bagit.TAG_MANIFEST_NAME))
    data = container.read(bagit.MANIFEST_NAME, 1 << 26)
    entries += bagit.parse_manifest(data, bagit.MANIFEST_NAME)
    return {e.path: f"sha256:{e.sha256}" for e in entries}


def _info(container: Container) -> dict[str, str]:
    rows = container.read(bagit.INFO_NAME, 1 << 20).decode().splitlines()
    return dict(row.split(": ", 1) for row in rows)


def _hashed(chunks: Iterator[bytes], hasher: hashlib._Hash) -> Iterator[bytes]:
    for chunk in chunks:
        hasher.update(chunk)
        yield chunk
