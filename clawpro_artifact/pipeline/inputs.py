"""a checkout + a manifest -> Lock, RunPlan and the folders they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import clawpro_artifact
from clawpro_artifact import __version__, building, planning
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.building.locks import LockedImage
from clawpro_artifact.formats import scenarios
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.formats.schemas import schema_folder
from clawpro_artifact.formats.trees import tree_digest
from clawpro_artifact.model.lock import Lock
from clawpro_artifact.model.plan import RunPlan
from clawpro_artifact.validating import freezing

PACKAGE = Path(clawpro_artifact.__file__).parent


@dataclass(frozen=True)
class Planned:
    """What a run is: its lock and plan, and where the things that the lock names lie."""

    locked: Lock
    plan: RunPlan
    folders: Mapping[str, ScenarioFolder]
    images: Mapping[str, LockedImage]
    code: Mapping[str, Path]

    @property
    def name(self) -> str:
        """First 16 hex digits of the plan's lock: names the folders of this run."""
        return self.plan.lock.removeprefix("sha256:")[:16]


def planned(checkout: Checkout, manifest_name: str, model_name: str | None = None) -> Planned:
    """Read everything, resolve it, plan it; `model_name` is what an endpoint is asked for.

    Raises InputError, PinError.
    """
    manifest = checkout.manifest(manifest_name)
    if model_name is not None:
        manifest = planning.with_model_name(manifest, model_name)
    folders = checkout.scenario_folders()
    known = {name: folder.scenario for name, folder in folders.items()}
    wanted = planning.selected(manifest, known)
    chosen = [folders[s.id] for s in wanted if s.track == "holdout"]
    if chosen and not manifest.demonstration:
        freezing.check(freezing.read(checkout.root), chosen, part=True)
    digests = {s.id: scenarios.digest(folders[s.id].folder) for s in wanted}
    images = {image.name: image for image in building.locks.read_all(checkout.root / "images")}
    code = code_folders()
    locked = planning.lock(
        manifest,
        known,
        digests,
        [image.pin for image in images.values()],
        planning.CodeDigests(
            version=__version__,
            schemas=tree_digest(code["schemas"]),
            scoring=tree_digest(code["scoring"]),
            checking=tree_digest(code["checking"]),
            sanitizing=tree_digest(code["sanitizing"]),
            runtime_code=tree_digest(PACKAGE / "adapters"),
        ),
    )
    plan = planning.plan(locked, known)
    return Planned(locked, plan, folders, images, code)


def code_folders() -> dict[str, Path]:
    """The parts of our own code that decide a result and ship in the bundle."""
    parts = {name: PACKAGE / name for name in ("scoring", "checking", "sanitizing")}
    return {**parts, "schemas": Path(str(schema_folder()))}
