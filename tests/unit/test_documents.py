from __future__ import annotations

from pathlib import Path
from typing import Literal

import jsonschema
import pytest
from pydantic import Field

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import documents
from clawpro_artifact.model.base import Value


class Leaf(Value):
    size: int = Field(ge=1)
    kind: Literal["a", "b"] = "a"


class Tree(Value):
    """A tree."""

    name: str
    leaves: tuple[Leaf, ...] = ()
    pick: Leaf | Literal["none"] = "none"


def test_a_document_becomes_a_model() -> None:
    data = b'{"name": "x", "leaves": [{"size": 2}]}'
    assert documents.load_json(Tree, data, "t") == Tree(name="x", leaves=(Leaf(size=2),))


def test_toml_and_json_give_the_same_model() -> None:
    toml = b'name = "x"\n[[leaves]]\nsize = 2\nkind = "b"\n'
    json = b'{"name": "x", "leaves": [{"size": 2, "kind": "b"}]}'
    assert documents.load_toml(Tree, toml, "t") == documents.load_json(Tree, json, "t")


@pytest.mark.parametrize(
    ("text", "where", "expected", "found"),
    [
        (b"{}", "t#/name", "the field `name`", "nothing"),
        (b'{"name":"x","Name":"y"}', "t#/Name", "no such field", '"y"'),
        (b'{"name":"x","leaves":[{"size":1},{"size":0}]}', "t#/leaves/1/size", "greater", "0"),
        (b'{"name":"x","leaves":[{"size":"1"}]}', "t#/leaves/0/size", "integer", '"1"'),
        (b'{"name":"x","leaves":[{}]}', "t#/leaves/0/size", "the field `size`", "nothing"),
        (b'{"name":"x","pick":{"size":0}}', "t#/pick/size", "greater", "0"),
        (b"[]", "t#", "object", "[]"),
    ],
)
def test_a_document_that_breaks_its_schema_is_refused_by_pointer(
    text: bytes, where: str, expected: str, found: str
) -> None:
    with pytest.raises(InputError, match="the document is no Tree") as caught:
        documents.load_json(Tree, text, "t")
    error = caught.value
    assert (error.where, error.found) == (where, found)
    assert expected in (error.expected or "")


def test_every_problem_is_named() -> None:
    with pytest.raises(InputError, match=r"2 problem\(s\)(.|\n)*also: +t#/leaves/0/size"):
        documents.load_json(Tree, b'{"leaves":[{"size":0}]}', "t")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"name = 2026-01-01", "2026-01-01"),
        (b"name = 1\nname = 2\n", "line 2"),
        (b"name = \n", "line 1"),
    ],
)
def test_toml_outside_our_rules_is_refused(text: bytes, found: str) -> None:
    with pytest.raises(InputError, match="malformed TOML") as caught:
        documents.parse_toml(text, "t")
    assert found in (caught.value.found or "")


@pytest.mark.parametrize("text", [b"x = nan", b"x = inf", b"x = 9007199254740992"])
def test_toml_numbers_obey_the_rules_of_json(text: bytes) -> None:
    with pytest.raises(InputError, match=r"not finite|too large to be exact"):
        documents.parse_toml(text, "t")


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        documents.read(Tree, tmp_path / "none.json")


def test_a_schema_refuses_what_the_model_refuses() -> None:
    schema = documents.schema_for(Tree, "tree")
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"name": "x", "leaves": [{"size": 1}]})
    assert not validator.is_valid({"name": "x", "leaves": [{"size": 0}]})
    assert not validator.is_valid({"name": "x", "more": 1})


def test_a_schema_has_the_same_bytes_every_time() -> None:
    assert documents.schema_bytes(Tree, "tree") == documents.schema_bytes(Tree, "tree")
    assert b'"$id": "urn:clawpro:schema:tree"' in documents.schema_bytes(Tree, "tree")
