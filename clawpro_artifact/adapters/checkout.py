"""a folder of this project -> its scenarios, image locks and manifests, by name."""

from __future__ import annotations

import os
from pathlib import Path

from clawpro_artifact.errors import InputError, UsageError
from clawpro_artifact.formats import documents, scenarios
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model.manifest import Manifest

ROOT_VARIABLE = "CLAWPRO_ROOT"
WORK_FOLDER = ".clawpro"


class Checkout:
    """`scenarios/`, `images/`, `manifests/`, `schemas/` and the work folder beside them."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def find(cls, start: Path | None = None) -> Checkout:
        """The checkout at CLAWPRO_ROOT, else the nearest one at or above `start`.

        Raises UsageError if there is none.
        """
        named = os.environ.get(ROOT_VARIABLE)
        begin = Path(named) if named else (start or Path.cwd())
        for folder in (begin,) if named else (begin, *begin.parents):
            if (folder / "scenarios").is_dir() and (folder / "manifests").is_dir():
                return cls(folder.resolve())
        raise UsageError(
            "this is no checkout of clawpro-artifact",
            where=str(begin),
            expected="a folder with scenarios/ and manifests/",
            do=f"change into the checkout, or set {ROOT_VARIABLE} to it",
        )

    @property
    def work(self) -> Path:
        """Where runs and bundles of this checkout lie."""
        return self.root / WORK_FOLDER

    def manifest(self, name_or_path: str) -> Manifest:
        """A manifest by path, or by name in `manifests/`; InputError if it is malformed."""
        path = Path(name_or_path)
        if not path.exists() and path.suffix == "":
            path = self.root / "manifests" / f"{name_or_path}.toml"
        return documents.read(Manifest, path)

    def scenario_folders(self) -> dict[str, ScenarioFolder]:
        """Every scenario by id; InputError for a malformed one or an id used twice."""
        found: dict[str, ScenarioFolder] = {}
        for folder in scenarios.discover(self.root / "scenarios"):
            loaded = scenarios.load(folder)
            if (other := found.get(loaded.scenario.id)) is not None:
                raise InputError(
                    "two scenarios have one id",
                    where=f"{folder} and {other.folder}",
                    found=loaded.scenario.id,
                )
            found[loaded.scenario.id] = loaded
        return found
