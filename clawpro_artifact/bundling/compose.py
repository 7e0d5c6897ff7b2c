"""lock, plan, clean trials, check results, scores, report -> the files of a bundle's `data/`.

A pure function of values and folders. Trials come as CleanTrial and as nothing else, so that no raw
trace can be passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clawpro_artifact.bundling.write import BundleFile
from clawpro_artifact.errors import IncompleteError, InputError, PinError
from clawpro_artifact.formats import canonical, jsonio, merkle, rocrate, trees
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.base import Value
from clawpro_artifact.model.lock import Lock
from clawpro_artifact.model.plan import RunPlan
from clawpro_artifact.model.trace import Event
from clawpro_artifact.model.trial import CheckResult, CleanTrial

TRIAL_FORMAT = "clawpro.trial.v1"


@dataclass(frozen=True)
class ReleaseContent:
    """Everything that ships.

    `definitions`: scenario id -> its folder. `code`: each of `model.bundle.CODE` -> a folder.
    `images`: image id -> the bytes of its lock. `results`: trial id -> what its checks recorded.
    `blob`: `sha256:...` -> the clean bytes, or a file that holds them.
    `extra`: files of other makers (safety, sbom, provenance, RO-Crate).
    """

    lock: Lock
    plan: RunPlan
    definitions: Mapping[str, Path]
    code: Mapping[str, Path]
    images: Mapping[str, bytes]
    trials: Mapping[str, CleanTrial]
    results: Mapping[str, Sequence[CheckResult]]
    blob: Callable[[str], bytes | Path]
    records: bytes
    scenarios: bytes
    scores: bytes
    report: bytes
    page: bytes
    notes: str = ""
    extra: Sequence[BundleFile] = field(default=())


def compose(content: ReleaseContent) -> Iterator[BundleFile]:
    """The files of the bundle, each once.

    Raises IncompleteError if a planned trial is missing, PinError if a definition, code or an image
    lock is no longer what the lock of this run names: what would not verify is not signed.
    """
    planned = [spec.id for spec in content.plan.trials]
    if set(content.trials) != set(planned):
        odd = sorted(set(content.trials) ^ set(planned))
        raise IncompleteError(
            "the trials are not those of the plan",
            expected=f"{len(planned)} planned trials",
            found=f"missing or not planned: {', '.join(odd[:5])}",
            do="run the plan to its end before bundling",
        )
    _check_pins(content)
    yield BundleFile(names.MANIFEST, canonical.encode(content.lock.manifest))
    yield BundleFile(names.LOCK, canonical.encode(content.lock))
    yield BundleFile(names.PLAN, canonical.encode(content.plan))
    for configuration in content.lock.manifest.configurations:
        path = f"data/configurations/{configuration.id}.json"
        yield BundleFile(path, canonical.encode(configuration))
    for pin in content.lock.scenarios:
        yield from _tree(f"data/definitions/{pin.id}", content.definitions[pin.id])
    for name in names.CODE:
        yield from _tree(f"data/{name}", content.code[name])
    for image in sorted({pin.image for pin in content.lock.images}):
        yield BundleFile(f"data/images/{image}/lock.json", content.images[image])
    yield from _trials(content, planned)
    yield from _results(content, planned)
    yield BundleFile(names.REDACTIONS, redactions(content.trials[t] for t in planned))
    yield BundleFile(names.REPORT, content.report)
    yield BundleFile(names.REPORT_PAGE, content.page)
    yield BundleFile(names.NOTES, content.notes.encode())
    said = jsonio.parse(content.report, names.REPORT)
    sizes = {
        names.MANIFEST: canonical.encode(content.lock.manifest),
        names.LOCK: canonical.encode(content.lock),
        names.PLAN: canonical.encode(content.plan),
        names.REPORT: content.report,
        names.REPORT_PAGE: content.page,
    } | {f.path: f.source for f in _results(content, planned) if isinstance(f.source, bytes)}
    parts = {path.removeprefix(names.DATA): len(data) for path, data in sizes.items()}
    crate = rocrate.write(content.lock, said["created"], said["software"], parts)
    yield BundleFile(names.RO_CRATE, crate)
    yield from content.extra


def _check_pins(content: ReleaseContent) -> None:
    lock = content.lock
    pins = [(f"scenario {p.id}", p.digest, content.definitions[p.id]) for p in lock.scenarios]
    pins += [(f"our code `{name}`", getattr(lock, name), content.code[name]) for name in names.CODE]
    found = [(what, pinned, trees.tree_digest(folder)) for what, pinned, folder in pins]
    found += [
        (
            f"the lock of the image {p.image}",
            p.lock,
            canonical.bytes_digest(content.images[p.image]),
        )
        for p in lock.images
    ]
    for what, pinned, now in found:
        if pinned != now:
            raise PinError(
                f"{what} changed since the run was planned",
                expected=pinned,
                found=now,
                do="run the same command again; it plans with what is there now",
            )


def _tree(prefix: str, folder: Path) -> Iterator[BundleFile]:
    for name, path in trees.walk(folder):
        yield BundleFile(f"{prefix}/{name}", path)


def _trials(content: ReleaseContent, planned: Iterable[str]) -> Iterator[BundleFile]:
    kept: set[str] = set()
    for trial_id in planned:
        trial = content.trials[trial_id]
        if not isinstance(trial, CleanTrial):
            raise InputError(
                "only a sanitized trial may ship",
                where=trial_id,
                expected="CleanTrial",
                found=type(trial).__name__,
            )
        folder = f"data/traces/{trial_id}"
        events, exchanges = _lines(trial.events), _lines(trial.exchanges)
        yield BundleFile(f"{folder}/events.jsonl", events)
        yield BundleFile(f"{folder}/exchanges.jsonl", exchanges)
        yield BundleFile(f"{folder}/trial.json", trial_document(trial, events, exchanges))
        for digest in sorted(blobs_of(trial) - kept):
            kept.add(digest)
            yield BundleFile(f"data/blobs/{digest.removeprefix('sha256:')}", content.blob(digest))


def trial_document(trial: CleanTrial, events: bytes, exchanges: bytes) -> bytes:
    """`trial.json`: the clean trial, its two long lists by the digest of their files."""
    document = trial.model_dump(mode="json", exclude={"events", "exchanges"})
    return canonical.encode(
        {
            "format": TRIAL_FORMAT,
            **document,
            "events": canonical.bytes_digest(events),
            "exchanges": canonical.bytes_digest(exchanges),
        }
    )


def redactions(trials: Iterable[CleanTrial]) -> bytes:
    """`redactions.json`: the RFC 6962 root over the commitments of all redactions, as they ship.

    The leaves are in the trials; the signed index names this file, so that an opening made later
    can only be of what was replaced then.
    """
    leaves = [bytes.fromhex(r.commitment[7:]) for t in trials for r in t.redactions]
    root = "sha256:" + merkle.root(leaves).hex()
    return canonical.encode(
        {"format": "clawpro.redactions.v1", "redactions": len(leaves), "root": root}
    )


def blobs_of(trial: CleanTrial) -> set[str]:
    """Digests of all contents that the trial refers to."""
    found = {e.blob.digest for e in trial.events if isinstance(e, Event) and e.blob is not None}
    for snapshot in (trial.evidence.before, trial.evidence.after):
        found |= {entry.digest for entry in snapshot.entries if entry.digest is not None}
    return found


def _results(content: ReleaseContent, planned: Sequence[str]) -> Iterator[BundleFile]:
    checks = [
        {"trial": t, "results": [r.model_dump(mode="json") for r in content.results[t]]}
        for t in planned
    ]
    attempts = [
        {"trial": t, "attempt": a.model_dump(mode="json")}
        for t in planned
        for a in content.trials[t].attempts
    ]
    yield BundleFile(names.CHECKS, _lines(checks))
    yield BundleFile(names.ATTEMPTS, _lines(attempts))
    yield BundleFile(names.RECORDS, content.records)
    yield BundleFile(names.SCENARIOS, content.scenarios)
    yield BundleFile(names.SCORES, content.scores)


def _lines(rows: Iterable[Value | Mapping[str, object]]) -> bytes:
    return b"".join(canonical.encode(row) + b"\n" for row in rows)
