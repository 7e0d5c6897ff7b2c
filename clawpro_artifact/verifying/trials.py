"""step 6: every planned trial is present, k >= 3, every attempt accounted for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from clawpro_artifact.formats import canonical, merkle, schema, tracefacts
from clawpro_artifact.formats.imagenames import image_name
from clawpro_artifact.formats.schemas import load_schema
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.seeds import trial_seed
from clawpro_artifact.verifying.case import Case, RefusedError
from clawpro_artifact.verifying.inner import trial_id

MINIMAL_K = 3
INTERRUPTED = "interrupted before it ended"
# In canonical JSON a blob of an event has exactly this spelling, and text has its quotes escaped.
# An event whose kind facts do not look into: no need to read its data. Canonical keys are sorted,
# so what stands at both ends of the line is the event's own.
_OTHER = re.compile(
    rb'\{"blob":(?:null|\{"digest":"sha256:[0-9a-f]{64}","kept":\d+,"size":\d+\}),'
    rb'"conversation":"([^"\\]*)","data":\{.*\},"kind":"([a-z_]+)","seq":\d+,'
    rb'"t_ms":(?:null|\d+),"witness":"[a-z]+"\}'
)
_BLOB = re.compile(rb'"blob":\{"digest":"sha256:([0-9a-f]{64})"')


def trials(case: Case) -> Iterator[RefusedError]:
    """Step 6; every misfit is yielded."""
    plan = case.document(names.PLAN, "plan")
    manifest = case.document(names.LOCK, "lock")["manifest"]
    yield from _plan(case, plan, manifest)
    used: set[str] = set()
    listed: list[tuple[str, Any]] = []
    for spec in plan["trials"]:
        yield from _trial(case, spec, used, listed)
    found = [(r["trial"], r["attempt"]) for r in case.lines(names.ATTEMPTS, "attempt-line")]
    if found != listed:
        yield RefusedError("attempts-differ", f"{names.ATTEMPTS} is not what the trials say")
    yield from _redactions(case, plan)
    blobs = {path.rpartition("/")[2] for path in case.below("data/blobs/")}
    for name in sorted(used - blobs)[:5]:
        yield RefusedError("blob-missing", f"data/blobs/{name}: a trial refers to it")
    for name in sorted(blobs - used)[:5]:
        yield RefusedError("blob-unused", f"data/blobs/{name}: no trial refers to it")
    for name in sorted(blobs & used):
        if case.payload[f"data/blobs/{name}"] != name:
            yield RefusedError("blob-differs", f"data/blobs/{name}: its content is another")


def _redactions(case: Case, plan: dict[str, Any]) -> Iterator[RefusedError]:
    """The signed root is that of the commitments in the trials; older bundles have none."""
    if names.REDACTIONS not in case.payload:
        return
    leaves = [
        bytes.fromhex(commitment.removeprefix("sha256:"))
        for spec in plan["trials"]
        for commitment in case.commitments.get(trial_id(spec), ())
    ]
    expected = {
        "format": "clawpro.redactions.v1",
        "redactions": len(leaves),
        "root": "sha256:" + merkle.root(leaves).hex(),
    }
    if canonical.decode(case.read(names.REDACTIONS), names.REDACTIONS) != expected:
        detail = f"{names.REDACTIONS}: not the root of the commitments in the trials"
        yield RefusedError("openings-root", detail)


def _plan(case: Case, plan: dict[str, Any], manifest: dict[str, Any]) -> Iterator[RefusedError]:
    """The plan is what the lock plans: each cell k times, seeds as derived."""
    k = manifest["trials"]
    if k < MINIMAL_K:
        yield RefusedError("k-too-small", f"k is {k}, at least {MINIMAL_K} are needed")
    cells = Counter((s["configuration"], s["scenario"]) for s in plan["trials"])
    for spec in plan["trials"]:
        if spec["index"] >= k:
            yield RefusedError("trials-not-k", f"{trial_id(spec)}: k is {k}")
        seed = trial_seed(manifest["seed"], spec["configuration"], spec["scenario"], spec["index"])
        if spec["seed"] != seed:
            yield RefusedError("seed-differs", f"{trial_id(spec)}: not derived from the manifest")
    if len({trial_id(s) for s in plan["trials"]}) != len(plan["trials"]):
        yield RefusedError("trial-twice", f"{names.PLAN} plans a trial twice")
    away = {(n["configuration"], n["scenario"]) for n in plan["not_applicable"]}
    scenarios = [p["id"] for p in case.document(names.LOCK, "lock")["scenarios"]]
    wanted = {
        (c["id"], s)
        for c in manifest["configurations"]
        for s in (scenarios if c.get("scenarios") is None else c["scenarios"])
    }
    for cell, count in sorted(cells.items()):
        if count != k:
            yield RefusedError("trials-not-k", f"{'/'.join(cell)}: {count} trials, k is {k}")
    for cell in sorted(wanted ^ (cells.keys() | away)):
        what = "neither planned nor excused" if cell in wanted else "asked for by nobody"
        yield RefusedError("cell-missing", f"{'/'.join(cell)}: {what}")
    for cell in sorted(cells.keys() & away):
        yield RefusedError("cell-missing", f"{'/'.join(cell)}: planned and excused at once")


def _trial(
    case: Case, spec: dict[str, Any], used: set[str], listed: list[tuple[str, Any]]
) -> Iterator[RefusedError]:
    name = trial_id(spec)
    folder = f"data/traces/{name}"
    for file in names.TRIAL_FILES:
        if f"{folder}/{file}" not in case.payload:
            yield RefusedError("trial-missing", f"{folder}/{file}: planned and not there")
            return
    trial = case.fresh(f"{folder}/trial.json", "trial")
    case.facts[name] = record_facts(trial)
    if trial["spec"] != spec:
        yield RefusedError("trial-of-another-plan", f"{folder}/trial.json: not the planned trial")
    for kind in ("events", "exchanges"):
        if trial[kind] != "sha256:" + case.payload[f"{folder}/{kind}.jsonl"]:
            yield RefusedError("trace-differs", f"{folder}/{kind}.jsonl: not that of trial.json")
    for side in ("before", "after"):
        entries = trial["evidence"][side]["entries"]
        used |= {e["digest"].removeprefix("sha256:") for e in entries if e["digest"] is not None}
    found = tracefacts.facts(
        _events(case, f"{folder}/events.jsonl", used), trial["usage"]["requests"]
    )
    case.facts[name]["facts"] = found
    case.commitments[name] = [r["commitment"] for r in trial["redactions"]]
    listed += [(name, attempt) for attempt in trial["attempts"]]
    yield from _attempts(case, name, spec, trial)


def _events(case: Case, path: str, used: set[str]) -> Iterator[dict[str, Any]]:
    """Events as far as trace facts need them; the blobs that any of them names go into `used`."""
    for number, line in enumerate(case.raw_lines(path), 1):
        used |= {match.decode() for match in _BLOB.findall(line)}
        match = _OTHER.fullmatch(line)
        if match is not None and match[2].decode() not in tracefacts.KINDS:
            yield {"kind": "", "conversation": match[1].decode(), "data": {}}
            continue
        where = f"{path}, line {number}"
        value = canonical.decode(line, where)
        schema.check(value, load_schema("event"), where)
        yield value


def record_facts(trial: dict[str, Any]) -> dict[str, Any]:
    """What a trial's record takes from its document as it is."""
    return {
        "outcome": trial["outcome"],
        "reason": trial["attempts"][-1]["reason"],
        "usage": trial["usage"],
        "duration_ms": sum(a["duration_ms"] for a in trial["attempts"]),
    }


def trial(case: Case, spec: dict[str, Any]) -> Iterator[RefusedError]:
    """What step 6 asks of one planned trial, its blobs included."""
    used: set[str] = set()
    yield from _trial(case, spec, used, [])
    for name in sorted(used):
        if case.payload.get(f"data/blobs/{name}") != name:
            yield RefusedError("blob-missing", f"data/blobs/{name}: missing or another content")


def _attempts(
    case: Case, name: str, spec: dict[str, Any], trial: dict[str, Any]
) -> Iterator[RefusedError]:
    """The pre-registered rule: the first attempt that is not infra_failed is the trial."""
    locked = case.document(names.LOCK, "lock")
    limit = locked["manifest"]["attempts"]["max_attempts"]
    attempts = trial["attempts"]
    if [a["number"] for a in attempts] != list(range(1, len(attempts) + 1)):
        yield RefusedError("attempt-missing", f"{name}: attempts are not numbered 1, 2, 3 ...")
    if attempts[-1]["outcome"] != trial["outcome"]:
        yield RefusedError("outcome-differs", f"{name}: not the outcome of its last attempt")
    if any(a["outcome"] != "infra_failed" for a in attempts[:-1]):
        yield RefusedError("attempt-selected", f"{name}: tried again after it was decided")
    tried = sum(a["outcome"] != "infra_failed" or a["reason"] != INTERRUPTED for a in attempts)
    if tried > limit:
        yield RefusedError("attempt-selected", f"{name}: {tried} attempts, {limit} are allowed")
    if trial["outcome"] == "infra_failed" and tried < limit:
        yield RefusedError("attempt-missing", f"{name}: undecided after {tried} of {limit}")
    wanted = {
        c["id"]: image_name(c["harness_runtime"], c["native_surfaces"])
        for c in locked["manifest"]["configurations"]
    }
    images = {pin["image"]: pin["config"] for pin in locked["images"]}
    expected = images.get(wanted.get(spec["configuration"]) or "")
    for attempt in attempts:
        if attempt["outcome"] == "infra_failed" and attempt["image"] is None:
            continue  # it may have failed before there was a container
        if attempt["image"] != expected:
            yield RefusedError(
                "image-differs",
                f"{name}: attempt {attempt['number']} ran in {attempt['image']}, locked {expected}",
            )
