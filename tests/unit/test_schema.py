"""The verifier's JSON Schema subset agrees with the `jsonschema` library on our documents."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import schema
from clawpro_artifact.formats.schemas import load_schema
from tests import bundles

DOCUMENTS = {
    "lock": "data/lock.json",
    "plan": "data/plan.json",
    "manifest": "data/manifest.json",
    "trial": "data/traces/claw-reference/tidy-notes/1/trial.json",
    "report": "data/report/report.json",
}
JUNK: tuple[Any, ...] = (None, True, 0, -1, 1.5, "", "x", "UPPER", [], {}, ["x"], {"x": 1}, 10**15)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return bundles.files(tmp_path_factory.mktemp("schema"))


def fits(value: Any, rules: dict[str, Any]) -> bool:
    try:
        schema.check(value, rules, "here")
    except InputError:
        return False
    return True


def places(value: Any) -> list[tuple[Any, Any]]:
    """(container, key) of everything inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, inner in list(items):
        found.append((value, key))
        if isinstance(inner, (dict, list)):
            found += places(inner)
    return found


@pytest.mark.parametrize("kind", sorted(DOCUMENTS))
def test_it_judges_random_edits_as_jsonschema_does(kind: str, files: dict[str, bytes]) -> None:
    rules = load_schema(kind)
    oracle = jsonschema.Draft202012Validator(rules)
    good = json.loads(files[DOCUMENTS[kind]])
    assert fits(good, rules) and oracle.is_valid(good)
    rng = random.Random(kind)
    verdicts = set()
    for _ in range(150):
        value = copy.deepcopy(good)
        container, key = rng.choice(places(value))
        if rng.random() < 0.2 and isinstance(container, dict):
            del container[key]
        elif rng.random() < 0.1 and isinstance(container, dict):
            container["unknown-field"] = 1
        else:
            container[key] = rng.choice(JUNK)
        expected = oracle.is_valid(value)
        # The library takes 1.0 for an integer and 1 for true; ours keeps the types apart.
        assert fits(value, rules) == expected or not expected, (kind, container, key)
        assert fits(value, rules) is expected
        verdicts.add(expected)
    assert verdicts == {True, False}


@pytest.mark.parametrize(
    ("rules", "value"),
    [
        ({"type": "integer"}, 1.0),
        ({"const": 1}, True),
        ({"enum": [1]}, True),
        ({"type": "string", "pattern": "^a$"}, "a\n"),
        ({"type": "string", "pattern": r"^\d$"}, "٣"),
        ({"type": "number"}, False),
    ],
)
def test_it_is_stricter_where_json_schema_is_lax(rules: dict[str, Any], value: Any) -> None:
    assert not fits(value, rules)


def test_an_unknown_keyword_is_never_passed_over() -> None:
    with pytest.raises(ValueError, match="outside the subset"):
        schema.check(1, {"anyOf": [{"multipleOf": 2}]}, "here")


def test_the_error_names_the_pointer() -> None:
    rules = {"type": "object", "properties": {"a": {"items": {"type": "string"}}}}
    with pytest.raises(InputError, match="here#/a/1"):
        schema.check({"a": ["x", 2]}, rules, "here")


def test_the_schemas_lie_beside_the_package() -> None:
    assert (Path(__file__).parents[2] / "schemas" / "lock.schema.json").is_file()
