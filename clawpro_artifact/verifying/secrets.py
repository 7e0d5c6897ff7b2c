"""step 7: no secret pattern and no canary remains.

Patterns are looked for in everything that a run produced. A canary's value follows from the
trial's seed: it is looked for, in each of its disguises, in the trial's own files and blobs, and in
plain in every other file. Image layers hold locked public bytes and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clawpro_artifact.formats import bagit, disguises, secretpatterns
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.canary import canary_value
from clawpro_artifact.verifying.case import Case, RefusedError
from clawpro_artifact.verifying.inner import read_scenario, trial_id

_BLOCK = 4 << 20
_OVERLAP = 4096  # longer than any pattern or disguise
_PRODUCED = ("data/traces/", "data/blobs/", "data/results/", "data/report/", "data/safety/")
_LAYERS = re.compile(r"data/oci/blobs/sha256/[0-9a-f]{64}")
_LISTS = (bagit.MANIFEST_NAME, bagit.TAG_MANIFEST_NAME)  # digests, and the names of files
_BLOB = re.compile(rb'"digest":"sha256:([0-9a-f]{64})"')
_WINDOW = 8
_MANY = 64  # from here on, windows are cheaper than one search for each value


def secrets(case: Case) -> Iterator[RefusedError]:
    """Step 7; the value found is never shown."""
    everywhere: dict[bytes, str] = {}
    blobs: dict[str, dict[bytes, str]] = {}
    done: set[str] = set()
    for spec in case.specs():
        name = trial_id(spec)
        values = _canaries(case, spec)
        everywhere |= {value.encode(): label for label, value in values.items()}
        needles = {
            form: f"{label} ({encoding})"
            for label, value in values.items()
            for encoding, form in disguises.forms(value).items()
        }
        for file in names.TRIAL_FILES:
            path = f"data/traces/{name}/{file}"
            if path in case.container.members:
                used: set[str] = set()
                yield from _scan(case, path, needles, {}, used)
                done.add(path)
                for digest in used if needles else ():
                    blobs.setdefault(f"data/blobs/{digest}", {}).update(needles)
    for path in (*case.tags, *case.payload):
        if case.part and path not in case.container.members:
            continue
        if path not in _LISTS and path not in done and not _LAYERS.fullmatch(path):
            yield from _scan(case, path, blobs.get(path, {}), everywhere, set())


def _canaries(case: Case, spec: dict[str, Any]) -> dict[str, str]:
    declared = read_scenario(case, spec["scenario"]).get("canaries", [])
    return {
        f"canary {c['name']} of {trial_id(spec)}": canary_value(spec["seed"], c["name"], c["style"])
        for c in declared
    }


def _scan(
    case: Case,
    path: str,
    needles: Mapping[bytes, str],
    everywhere: Mapping[bytes, str],
    blobs: set[str],
) -> Iterator[RefusedError]:
    """Findings in one file; the digests that it refers to are added to `blobs`."""
    produced = path.startswith(_PRODUCED)
    trace = path.startswith("data/traces/")
    seen: set[str] = set()
    for block in _blocks(case, path):
        found = {label for form, label in needles.items() if form in block}
        if not needles and everywhere:
            found |= _any_of(block, everywhere)
        if produced:
            found |= {f"a {kind}" for kind in secretpatterns.kinds(block)}
        if trace and needles:
            blobs |= {match.decode() for match in _BLOB.findall(block)}
        for label in sorted(found - seen):
            code = "canary-left" if label.startswith("canary ") else "secret-left"
            yield RefusedError(code, f"{path}: holds {label}")
        seen |= found


def _blocks(case: Case, path: str) -> Iterator[bytes]:
    """The file in overlapping blocks, so that nothing hides on a border; bounded memory."""
    tail = b""
    with case.container.open(path) as reader:
        while block := reader.read(_BLOCK):
            yield tail + block
            tail = block[-_OVERLAP:]


def _any_of(block: bytes, values: Mapping[bytes, str]) -> set[str]:
    if len(values) < _MANY:
        return {label for value, label in values.items() if value in block}
    heads: dict[bytes, list[bytes]] = {}
    for value in values:
        heads.setdefault(value[:_WINDOW], []).append(value)
    hits: Iterable[int] = (
        i for i in range(len(block) - _WINDOW + 1) if block[i : i + _WINDOW] in heads
    )
    return {
        values[value]
        for i in hits
        for value in heads[block[i : i + _WINDOW]]
        if block.startswith(value, i)
    }
