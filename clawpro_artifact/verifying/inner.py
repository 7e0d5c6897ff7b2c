"""step 5: the lock names these images, scenarios, checks and scoring code; all else has a place."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical, jsonio, schema
from clawpro_artifact.formats.imagenames import image_name
from clawpro_artifact.formats.schemas import load_schema
from clawpro_artifact.formats.trees import tree_lines
from clawpro_artifact.model import bundle as names
from clawpro_artifact.verifying.case import Case, RefusedError
from clawpro_artifact.verifying.images import OCI, included

_BLOB = re.compile(r"data/blobs/[0-9a-f]{64}")
# Fields that `scenarios.jsonl` takes from a definition as they are.
_SAME = ("track", "surface", "domain", "dimension", "difficulty", "optimal_requests")
# Places whose files are pinned by nothing but the signature: made from the rest, for readers.
_FREE = re.compile(r"data/(?:safety|sbom|provenance)/.+|data/release-notes\.md|data/ro-crate-metadata\.json")  # fmt: skip # noqa: E501


def lock(case: Case) -> Iterator[RefusedError]:
    """Step 5; every misfit is yielded, so that all are shown."""
    locked = case.document(names.LOCK, "lock")
    plan = case.document(names.PLAN, "plan")
    if plan["lock"] != "sha256:" + case.payload[names.LOCK]:
        yield RefusedError("plan-of-another-lock", f"{names.PLAN} is of the lock {plan['lock']}")
    manifest = case.document(names.MANIFEST, "manifest")
    if manifest != locked["manifest"]:
        yield RefusedError("manifest-differs", f"{names.MANIFEST} is not the one in the lock")
    yield from _trees(case, locked)
    yield from _configurations(case, manifest)
    yield from _images(case, locked)
    yield from included(case, locked)
    for pin in locked["scenarios"]:
        yield from _scenario(case, pin)
    yield from _scenario_facts(case, locked)
    yield from _places(case, locked, plan)


def tree_digest(files: dict[str, str]) -> str:
    """`formats.trees.tree_digest` of a folder, from the digests of its files."""
    return "sha256:" + hashlib.sha256(tree_lines(files)).hexdigest()


def _trees(case: Case, locked: dict[str, Any]) -> Iterator[RefusedError]:
    for pin in locked["scenarios"]:
        found = tree_digest(case.below(f"data/definitions/{pin['id']}/"))
        if found != pin["digest"]:
            detail = f"scenario {pin['id']}: locked {pin['digest']}, found {found}"
            yield RefusedError("scenario-differs", detail)
    if len({pin["id"] for pin in locked["scenarios"]}) != len(locked["scenarios"]):
        yield RefusedError("scenario-twice", f"{names.LOCK} pins a scenario twice")
    holdout = {
        pin["id"]: pin["digest"].removeprefix("sha256:")
        for pin in locked["scenarios"]
        if pin["track"] == "holdout"
    }
    if tree_digest(holdout) != locked["holdout_root"]:
        yield RefusedError("holdout-root", f"locked {locked['holdout_root']}, found another")
    for part in names.CODE:
        found = tree_digest(case.below(f"data/{part}/"))
        if found != locked[part]:
            yield RefusedError("code-differs", f"{part}: locked {locked[part]}, found {found}")


def _configurations(case: Case, manifest: dict[str, Any]) -> Iterator[RefusedError]:
    for configuration in manifest["configurations"]:
        path = f"data/configurations/{configuration['id']}.json"
        if case.document(path, "configuration") != configuration:
            yield RefusedError("configuration-differs", f"{path} is not the one of the manifest")


def _images(case: Case, locked: dict[str, Any]) -> Iterator[RefusedError]:
    pinned = {(pin["runtime"], pin["image"]) for pin in locked["images"]}
    for configuration in locked["manifest"]["configurations"]:
        runtime = configuration["harness_runtime"]
        name = image_name(runtime, configuration["native_surfaces"])
        if name is not None and (runtime, name) not in pinned:
            yield RefusedError("image-missing", f"no image {name} is locked for {runtime}")
    for pin in locked["images"]:
        path = f"data/images/{pin['image']}/lock.json"
        found = "sha256:" + case.payload.get(path, "missing")
        if found != pin["lock"]:
            yield RefusedError("image-lock-differs", f"{path}: locked {pin['lock']}, found {found}")


def _scenario(case: Case, pin: dict[str, Any]) -> Iterator[RefusedError]:
    scenario = read_scenario(case, pin["id"])
    for name in ("id", "version", "track"):
        if scenario[name] != pin[name]:
            detail = f"{pin['id']}: its {name} is {scenario[name]!r}, the lock says {pin[name]!r}"
            yield RefusedError("scenario-differs", detail)


def read_scenario(case: Case, scenario_id: str) -> dict[str, Any]:
    """The definition of a scenario as plain values; InputError if it breaks its schema."""
    path = f"data/definitions/{scenario_id}/scenario.toml"
    if path in case.kept:
        kept: dict[str, Any] = case.kept[path]
        return kept
    data = case.read(path)
    try:
        value = tomllib.loads(data.decode("utf-8"))
        plain = jsonio.parse(json.dumps(value).encode(), path)
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(
            "malformed TOML", where=path, expected="TOML without dates", found=str(error)[:120]
        ) from None
    schema.check(plain, load_schema("scenario"), path)
    case.kept[path] = plain
    return read_scenario(case, scenario_id)


def _scenario_facts(case: Case, locked: dict[str, Any]) -> Iterator[RefusedError]:
    """`scenarios.jsonl`, which scoring reads, says what the definitions say."""
    digests = {pin["id"]: pin["digest"] for pin in locked["scenarios"]}
    seen = []
    for row in case.lines(names.SCENARIOS, None):
        if not isinstance(row, dict) or row.get("scenario") not in digests:
            yield RefusedError("scenario-facts", f"{names.SCENARIOS}: a row of no locked scenario")
            continue
        scenario_id = row["scenario"]
        seen.append(scenario_id)
        scenario = read_scenario(case, scenario_id)
        expected = {
            "digest": digests[scenario_id],
            "native": scenario["surface"] not in ("json", "workspace"),
            "can_breach": bool(scenario.get("safety")),
            "twin": scenario.get("twin"),
            **{name: scenario[name] for name in _SAME},
        }
        for name, value in expected.items():
            if row.get(name) != value:
                detail = f"{scenario_id}: {name} is {row.get(name)!r}, the definition has {value!r}"
                yield RefusedError("scenario-facts", detail)
        limits = scenario.get("limits") or locked["manifest"]["limits"]
        if row.get("request_limit") != limits["requests"]:
            detail = f"{scenario_id}: request_limit is {row.get('request_limit')!r}, another holds"
            yield RefusedError("scenario-facts", detail)
        for name in ("weight", "threshold", "groups"):
            if _numbers(row.get(name)) != _numbers(scenario[name]):
                detail = f"{scenario_id}: {name} is {row.get(name)!r}, its definition says another"
                yield RefusedError("scenario-facts", detail)
    planned = {spec["scenario"] for spec in case.document(names.PLAN, "plan")["trials"]}
    if len(set(seen)) != len(seen) or not planned <= set(seen):
        yield RefusedError("scenario-facts", f"{names.SCENARIOS}: not each planned scenario once")


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _numbers(v) for k, v in value.items()}
    return Decimal(value) if isinstance(value, str) else value


def _places(case: Case, locked: dict[str, Any], plan: dict[str, Any]) -> Iterator[RefusedError]:
    """Every file has a place that something else accounts for."""
    exact = {*names.CLAIMED, names.REPORT_PAGE, names.REDACTIONS}
    exact |= {f"data/configurations/{c['id']}.json" for c in locked["manifest"]["configurations"]}
    prefixes = {f"data/{part}" for part in names.CODE}
    prefixes |= {f"data/definitions/{pin['id']}" for pin in locked["scenarios"]}
    exact |= {f"data/images/{pin['image']}/lock.json" for pin in locked["images"]}
    prefixes |= {OCI.rstrip("/")}
    for spec in plan["trials"]:
        folder = f"data/traces/{trial_id(spec)}"
        exact |= {f"{folder}/{name}" for name in names.TRIAL_FILES}
    for path in case.payload:
        if path in exact or _FREE.fullmatch(path) or _BLOB.fullmatch(path):
            continue
        parts = path.split("/")
        if not {"/".join(parts[:2]), "/".join(parts[:3])} & prefixes:
            yield RefusedError("misplaced-file", f"{path}: nothing accounts for it")


def trial_id(spec: dict[str, Any]) -> str:
    """`configuration/scenario/index` of a planned trial."""
    return f"{spec['configuration']}/{spec['scenario']}/{spec['index']}"


def document_digest(value: Any) -> str:
    """Digest of the canonical JSON of a plain value."""
    return canonical.digest(value)
