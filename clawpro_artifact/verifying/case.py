"""an open bundle + what the caller trusts -> the state that the steps share."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from clawpro_artifact import __version__
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical, merkle, schema
from clawpro_artifact.formats.envelope import Verified
from clawpro_artifact.formats.publickey import PublicKey
from clawpro_artifact.formats.schemas import load_schema
from clawpro_artifact.formats.trust import TrustPolicy
from clawpro_artifact.formats.view import Container
from clawpro_artifact.model.bundle import PLAN, Claim, Finding, LastSeen

MAX_DOCUMENT = 64 * 1024 * 1024
MAX_LINE = 64 * 1024 * 1024


@dataclass(frozen=True)
class Logged:
    """The bundle's place in a release log whose key copy, list and proof agree with each other."""

    head: merkle.Checkpoint
    leaves: tuple[bytes, ...]
    key: PublicKey


class RefusedError(Exception):
    """A step's *no*: a stable word, a sentence, and the exit code that it stands for."""

    def __init__(self, code: str, detail: str, exit_code: int = 1) -> None:
        super().__init__(detail)
        self.code, self.detail, self.exit_code = code, detail, exit_code


class UncheckedError(Exception):
    """A step's *cannot tell*."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.detail = code, detail


@dataclass
class Case:
    """What is known so far; each step may use what the ones before it proved.

    `payload` and `tags`: path -> sha256 in hex, from the two manifests (step 1). `trial`: the
    container holds only what this trial needs. `awaited`: stem of a signer who has yet to sign.
    `render`: makes the page of a report again.
    """

    container: Container
    policy: TrustPolicy
    now: datetime | None
    last_seen: LastSeen | None
    payload: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    bundle_id: str = ""
    verified: Verified | None = None
    log: Logged | None = None
    signed_by: tuple[str, ...] = ()
    claim: Claim | None = None
    trial: str = ""
    awaited: str = ""
    render: Callable[[bytes], bytes] | None = None
    version: str = __version__
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    commitments: dict[str, list[str]] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def part(self) -> bool:
        """Whether only one trial is looked at."""
        return bool(self.trial)

    def read(self, path: str, max_bytes: int = MAX_DOCUMENT) -> bytes:
        """A file whose digest is known, hashed again: what was checked is what is used."""
        listed = self.payload.get(path) or self.tags.get(path)
        if listed is None:
            raise RefusedError("missing-file", f"{path}: expected a file, found nothing")
        data = self.container.read(path, max_bytes)
        if hashlib.sha256(data).hexdigest() != listed:
            raise RefusedError("digest-differs", f"{path}: it changed while it was read")
        return data

    def document(self, path: str, kind: str) -> Any:
        """A canonical JSON document of the payload that fits the schema `kind`; kept."""
        if path not in self.kept:
            self.kept[path] = self.fresh(path, kind)
        return self.kept[path]

    def fresh(self, path: str, kind: str) -> Any:
        """The same, not kept: for documents of which there are many."""
        value = canonical.decode(self.read(path), path)
        schema.check(value, load_schema(kind), path)
        return value

    def lines(self, path: str, kind: str | None) -> Iterator[Any]:
        """The canonical JSON values of a `.jsonl` file, streamed; schema `kind` if given."""
        rules = load_schema(kind) if kind else None
        for number, line in enumerate(self.raw_lines(path), 1):
            where = f"{path}, line {number}"
            value = canonical.decode(line, where)
            if rules is not None:
                schema.check(value, rules, where)
            yield value

    def raw_lines(self, path: str) -> Iterator[bytes]:
        """The lines of a file without their ends, hashed again while they stream."""
        if path not in self.payload:
            raise RefusedError("missing-file", f"{path}: expected a file, found nothing")
        digest, rest = hashlib.sha256(), b""
        with self.container.open(path) as reader:
            for chunk in reader:
                digest.update(chunk)
                *whole, rest = (rest + chunk).split(b"\n")
                yield from whole
                if len(rest) > MAX_LINE:
                    raise RefusedError("malformed", f"{path}: a line of more than {MAX_LINE} bytes")
        if rest:
            raise RefusedError("malformed", f"{path}: the last line has no end")
        if digest.hexdigest() != self.payload[path]:
            raise RefusedError("digest-differs", f"{path}: it changed while it was read")

    def specs(self) -> list[Any]:
        """The planned trials; of a part, the one that it is about."""
        specs: list[Any] = self.document(PLAN, "plan")["trials"]
        if not self.part:
            return specs
        return [
            s for s in specs if f"{s['configuration']}/{s['scenario']}/{s['index']}" == self.trial
        ]

    def below(self, prefix: str) -> dict[str, str]:
        """Payload files below `prefix` (ends with a slash): path relative to it -> sha256 hex."""
        return {
            path[len(prefix) :]: digest
            for path, digest in self.payload.items()
            if path.startswith(prefix)
        }


def failed(step: int, error: Exception) -> Finding:
    """The finding of a step that refused."""
    if isinstance(error, RefusedError):
        return Finding(step, "failed", error.code, error.detail, error.exit_code)
    if isinstance(error, InputError):
        rows = (error.where, error.summary)
        detail = ": ".join(r for r in rows if r)
        if error.expected or error.found:
            detail += f"; expected {error.expected}, found {error.found}"
        return Finding(step, "failed", "malformed", detail)
    raise error
