"""`schemas/` is generated from the models (CLAWPRO_WRITE_SCHEMAS=1 writes it), and is enough."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clawpro_artifact.formats import documents, schema
from clawpro_artifact.model.kinds import KINDS

FOLDER = Path(__file__).parents[2] / "schemas"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_schema_on_disk_is_the_one_of_the_model(kind: str) -> None:
    path = FOLDER / f"{kind}.schema.json"
    data = documents.schema_bytes(KINDS[kind], kind)
    if os.environ.get("CLAWPRO_WRITE_SCHEMAS"):
        path.write_bytes(data)
    assert path.read_bytes() == data


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_verifiers_subset_of_json_schema_covers_every_schema(kind: str) -> None:
    for _ in _subschemas(documents.schema_for(KINDS[kind], kind)):
        pass


def _subschemas(node: object, named: bool = False):  # type: ignore[no-untyped-def]
    if isinstance(node, dict):
        if not named:
            assert set(node) <= schema._KNOWN, sorted(set(node) - schema._KNOWN)
        for key, inner in node.items():
            if key in ("enum", "const", "default", "required"):
                continue
            yield from _subschemas(
                inner, not named and key in ("properties", "$defs", "patternProperties")
            )
    elif isinstance(node, list):
        for inner in node:
            yield from _subschemas(inner)
    yield node
