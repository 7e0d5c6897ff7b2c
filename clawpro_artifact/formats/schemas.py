"""name of a document kind -> its JSON Schema, from the wheel or the checkout."""

from __future__ import annotations

import functools
import json
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any


def schema_folder() -> Traversable:
    """`schemas/` of the installed package; in a checkout the one beside the package."""
    inside = resources.files("clawpro_artifact") / "schemas"
    if inside.is_dir():
        return inside
    return Path(__file__).parents[2] / "schemas"


@functools.cache
def load_schema(kind: str) -> dict[str, Any]:
    """The schema of `model.kinds.KINDS[kind]`; FileNotFoundError for an unknown kind."""
    schema: dict[str, Any] = json.loads((schema_folder() / f"{kind}.schema.json").read_bytes())
    return schema
