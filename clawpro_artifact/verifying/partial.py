"""a way to read single files of a bundle + a trial id -> Verdict about that trial alone.

The two signed lists are its inclusion proof. Only they, the tag files, the lock, the plan, the
scenario's definition and the trial's own files and blobs are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import bagit, loglist
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.formats.fetched import Fetch, Fetched
from clawpro_artifact.formats.trust import TrustPolicy
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.bundle import STEPS, Finding, Verdict
from clawpro_artifact.verifying import outer, secrets, trials
from clawpro_artifact.verifying.case import (
    MAX_DOCUMENT,
    Case,
    RefusedError,
    failed,
)

_SMALL = 1 << 20
_LIST_BYTES = 64 << 20
_BLOB = re.compile(rb'"digest":"sha256:([0-9a-f]{64})"')
_WHY = "only the files of one trial were read"


def verify_trial(
    source: Path | Fetch,
    trial: str,
    policy: TrustPolicy,
    *,
    now: datetime | None = None,
    where: str = "bundle",
) -> tuple[Verdict, int]:
    """The verdict about `configuration/scenario/index`, and how many bytes of files it took.

    `source`: a bundle, or a function that reads one of its files (from a server, say) and raises
    InputError if it cannot. Of the eleven steps, 1 to 4, 6 and 7 are about this trial; the others
    are not checked.
    """
    if isinstance(source, Path):
        try:
            whole = open_bundle(source)
        except InputError as error:
            return Verdict(None, (failed(0, error),), part=trial), 0
        with whole:

            def read(path: str, max_bytes: int) -> bytes:
                if path not in whole.members:
                    raise InputError("a file is missing", where=path, expected="a file")
                return whole.read(path, max_bytes)

            return _verify(Fetched(str(source), read), trial, policy, now)
    return _verify(Fetched(where, source), trial, policy, now)


def _verify(
    files: Fetched, trial: str, policy: TrustPolicy, now: datetime | None
) -> tuple[Verdict, int]:
    case = Case(files, policy, now, None, trial=trial)
    found: dict[int, list[Finding]] = {}
    for step, look in _STEPS.items():
        try:
            for error in look(case, files):
                found.setdefault(step, []).append(failed(step, error))
        except (RefusedError, InputError) as error:
            found.setdefault(step, []).append(failed(step, error))
        else:
            found.setdefault(step, [Finding(step, "passed", "passed", "")])
        if step <= 4 and found[step][0].status == "failed":
            break
    rest = {n: [Finding(n, "not_checked", "part", _WHY)] for n in range(len(STEPS))} | found
    log = None if case.log is None else (case.log.head.size, case.log.head.root.hex())
    findings = tuple(f for n in sorted(rest) for f in rest[n])
    verdict = Verdict(case.bundle_id or None, findings, case.claim, case.signed_by, log, part=trial)
    return verdict, files.bytes_read


def _lists(case: Case, files: Fetched) -> Iterator[RefusedError]:
    files.take(bagit.TAG_MANIFEST_NAME, _LIST_BYTES)
    files.take(bagit.MANIFEST_NAME, _LIST_BYTES)
    outer.read_lists(case)
    for name in names.TRIAL_FILES:
        path = f"data/traces/{case.trial}/{name}"
        if path not in case.payload:
            yield RefusedError("trial-missing", f"{path}: the signed list has no such file")


def _digests(case: Case, files: Fetched) -> Iterator[RefusedError]:
    for path in case.tags:
        files.take(path, _LIST_BYTES if path == bagit.MANIFEST_NAME else _SMALL)
        if path.startswith(names.KEYS) and path.endswith(".pem") and path != names.LOG_KEY:
            stem = path.removeprefix(names.KEYS).removesuffix(".pem")
            for kind in ("sig", "sigstore.json"):
                files.take(f"{names.SIGNATURES}{stem}.{kind}", _SMALL)
    if names.LOG_KEY in case.tags:
        files.take(names.LOG_PROOF, _SMALL)
        files.take(names.LOG_LIST, loglist.MAX_BYTES)
    _, scenario, _ = case.trial.split("/")
    wanted = [names.LOCK, names.PLAN, f"data/definitions/{scenario}/scenario.toml"]
    wanted += [f"data/traces/{case.trial}/{name}" for name in names.TRIAL_FILES]
    for path in wanted:
        if path in case.payload:
            files.take(path, MAX_DOCUMENT)
    for path in wanted[-len(names.TRIAL_FILES) :]:
        for digest in sorted(set(_BLOB.findall(case.read(path)))):
            blob = f"data/blobs/{digest.decode()}"
            if blob in case.payload:
                files.take(blob, MAX_DOCUMENT)
    for path in files.members:
        listed = case.payload.get(path) or case.tags.get(path)
        if listed is not None and files.sha256(path) != listed:
            yield RefusedError("digest-differs", f"{path}: expected {listed}")


def _trial(case: Case, files: Fetched) -> Iterator[RefusedError]:
    plan = case.document(names.PLAN, "plan")
    if plan["lock"] != "sha256:" + case.payload[names.LOCK]:
        yield RefusedError("plan-of-another-lock", f"{names.PLAN} is of the lock {plan['lock']}")
    specs = case.specs()
    if not specs:
        raise RefusedError("trial-missing", f"{case.trial}: the plan has no such trial")
    yield from trials.trial(case, specs[0])


def _signatures(case: Case, files: Fetched) -> Iterator[RefusedError]:
    outer.signatures(case)
    yield from ()


def _statement(case: Case, files: Fetched) -> Iterator[RefusedError]:
    outer.statement(case)
    yield from ()


def _leaks(case: Case, files: Fetched) -> Iterator[RefusedError]:
    yield from secrets.secrets(case)


_STEPS: Final[dict[int, Callable[[Case, Fetched], Iterator[RefusedError]]]] = {
    1: _lists,
    2: _digests,
    3: _signatures,
    4: _statement,
    6: _trial,
    7: _leaks,
}
