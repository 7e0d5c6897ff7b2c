"""a verified bundle -> the values that went into it: lock, plan, scenarios, trials, blobs, scores.

Reading trusts nothing that verifying has not proved: each file is hashed again and compared with
the signed list. Verify first; this only makes sure that what is used is what was verified.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import bagit, canonical, documents
from clawpro_artifact.formats.view import Container
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.base import Value
from clawpro_artifact.model.lock import Lock
from clawpro_artifact.model.plan import RunPlan, TrialSpec
from clawpro_artifact.model.scenario import Scenario
from clawpro_artifact.model.shipped import ChecksLine, TrialDocument
from clawpro_artifact.model.trace import Event, Exchange
from clawpro_artifact.model.trial import CheckResult, CleanTrial

V = TypeVar("V", bound=Value)
MAX_FILE = 1 << 30
_LIST = 64 << 20


class Shipped:
    """The content of one bundle whose index digest the caller knows from its verdict.

    Raises InputError if the bundle at `container` is another one, or a file is not the listed one.
    """

    def __init__(self, container: Container, bundle_id: str) -> None:
        self.container = container
        self.bundle_id = bundle_id
        tags = container.read(bagit.TAG_MANIFEST_NAME, _LIST)
        if canonical.bytes_digest(tags) != bundle_id:
            raise _changed(bagit.TAG_MANIFEST_NAME)
        listed = {e.path: e.sha256 for e in bagit.parse_manifest(tags, bagit.TAG_MANIFEST_NAME)}
        data = container.read(bagit.MANIFEST_NAME, _LIST)
        if hashlib.sha256(data).hexdigest() != listed.get(bagit.MANIFEST_NAME):
            raise _changed(bagit.MANIFEST_NAME)
        entries = bagit.parse_manifest(data, bagit.MANIFEST_NAME)
        self.digests: Mapping[str, str] = {e.path: e.sha256 for e in entries}

    def read(self, path: str, max_bytes: int = MAX_FILE) -> bytes:
        """The bytes of a payload file."""
        if path not in self.digests:
            raise InputError("the bundle has no such file", where=path, expected="a listed file")
        data = self.container.read(path, max_bytes)
        if hashlib.sha256(data).hexdigest() != self.digests[path]:
            raise _changed(path)
        return data

    def lock(self) -> Lock:
        """`lock.json`."""
        return documents.load_json(Lock, self.read(names.LOCK), names.LOCK)

    def plan(self) -> RunPlan:
        """`plan.json`."""
        return documents.load_json(RunPlan, self.read(names.PLAN), names.PLAN)

    def scenario(self, scenario_id: str) -> Scenario:
        """A definition."""
        path = f"data/definitions/{scenario_id}/scenario.toml"
        return documents.load_toml(Scenario, self.read(path), path)

    def definition(self, scenario_id: str) -> dict[str, str]:
        """Paths inside a scenario's folder -> sha256 in hex."""
        prefix = f"data/definitions/{scenario_id}/"
        return {p.removeprefix(prefix): d for p, d in self.digests.items() if p.startswith(prefix)}

    def trial(self, spec: TrialSpec) -> CleanTrial:
        """A clean trial, whole."""
        folder = f"data/traces/{spec.id}"
        head = documents.load_json(
            TrialDocument, self.read(f"{folder}/trial.json"), f"{folder}/trial.json"
        )
        fields = {n: getattr(head, n) for n in CleanTrial.model_fields}
        fields["events"] = self._lines(Event, f"{folder}/events.jsonl")
        fields["exchanges"] = self._lines(Exchange, f"{folder}/exchanges.jsonl")
        return CleanTrial(**fields)

    def blob(self, digest: str) -> bytes:
        """A content by `sha256:...`."""
        return self.read(f"data/blobs/{digest.removeprefix('sha256:')}")

    def checks(self) -> dict[str, tuple[CheckResult, ...]]:
        """Trial id -> what its checks recorded."""
        return {row.trial: row.results for row in self._lines(ChecksLine, names.CHECKS)}

    def scores(self) -> Any:
        """`scores.json` as plain values."""
        return json.loads(self.read(names.SCORES))

    def toml(self, path: str) -> dict[str, Any]:
        """A TOML file as plain values."""
        return tomllib.loads(self.read(path).decode())

    def _lines(self, model: type[V], path: str) -> tuple[V, ...]:
        return tuple(self._each(model, path))

    def _each(self, model: type[V], path: str) -> Iterator[V]:
        for number, line in enumerate(self.read(path).split(b"\n")[:-1], 1):
            yield documents.load_json(model, line, f"{path}, line {number}")


def _changed(path: str) -> InputError:
    return InputError(
        "the bundle is not the one that was verified",
        where=path,
        expected="the file that its signed list names",
        found="another",
        do="verify the bundle again",
    )
