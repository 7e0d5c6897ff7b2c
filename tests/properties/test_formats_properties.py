"""Laws of the formats, over values that nobody thought of."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import bagit, canonical, jsonio, merkle

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_canonical_text_is_read_back_and_written_the_same(value: Any) -> None:
    try:
        data = canonical.encode(value)
    except InputError as error:  # a float that would be written as a huge integer
        assert "too large to be exact" in error.summary
        return
    assert canonical.encode(canonical.decode(data, "v")) == data


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_the_strict_reader_agrees_with_python_on_what_it_accepts(value: Any) -> None:
    text = json.dumps(value)
    assert jsonio.parse(text.encode(), "v") == json.loads(text)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='[]{}",:\\u0dD8 1eE9-.tnN', max_size=40))
def test_the_strict_reader_accepts_nothing_that_python_refuses(text: str) -> None:
    try:
        value = jsonio.parse(text.encode(), "v")
    except InputError as error:
        assert error.where
        return
    assert value == json.loads(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30))
def test_a_safe_path_stays_itself_in_a_manifest(path: str) -> None:
    try:
        data = bagit.manifest([bagit.Entry(path, "0" * 64)])
    except InputError:
        return
    assert bagit.parse_manifest(data, "m")[0].path == path
    assert not {"..", ".", ""} & set(path.split("/"))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.binary(max_size=4), min_size=1, max_size=40), st.data())
def test_every_prefix_of_a_log_is_proven(data: list[bytes], draw: st.DataObject) -> None:
    leaves = [merkle.leaf_hash(x) for x in data]
    old = draw.draw(st.integers(1, len(leaves)))
    proof = merkle.consistency_proof(old, leaves)
    roots = merkle.root(leaves[:old]), merkle.root(leaves)
    assert merkle.extends(old, len(leaves), *roots, proof)
