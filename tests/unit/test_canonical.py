from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical, jsonio
from clawpro_artifact.model.manifest import Weights


def test_the_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert canonical.digest({"a": 1, "b": 2}) == canonical.digest({"b": 2, "a": 1})


def test_the_digest_is_that_of_sha256sum() -> None:
    # printf '{"a":1}' | sha256sum
    assert canonical.digest({"a": 1}) == (
        "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    )


def test_a_model_is_encoded_under_its_aliases() -> None:
    weights = Weights.model_validate(
        {"alpha": "1", "beta": "0", "gamma": "0", "lambda": "0", "mu": "0", "nu": "0"}
    )
    assert canonical.encode(weights) == (
        b'{"alpha":"1","beta":"0","gamma":"0","lambda":"0","mu":"0","nu":"0"}'
    )


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**53, "\ud800", {"\ud800": 1}, {1: 2}, b"x", {1, 2}]
)
def test_a_value_without_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="no canonical JSON"):
        canonical.encode([value])


@pytest.mark.parametrize(
    "text", [b'{"b":1,"a":2}', b'{"a": 1}', b'{"a":1}\n', b"1.0", b'"\\u0041"']
)
def test_a_text_in_another_form_is_refused(text: bytes) -> None:
    with pytest.raises(InputError, match="not in canonical form"):
        canonical.decode(text, "doc")


def test_a_canonical_text_is_read() -> None:
    assert canonical.decode(b'{"a":[1,"x"]}', "doc") == {"a": [1, "x"]}


def test_the_digest_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"abc")
    # FIPS 180-2 appendix B.1
    assert canonical.file_digest(tmp_path / "f") == (
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )


@pytest.mark.parametrize("levels", [101, 5000])
def test_a_value_too_deep_to_be_read_is_not_written(levels: int) -> None:
    value: object = 1
    for _ in range(levels):
        value = [value]
    with pytest.raises(InputError):
        canonical.encode(value)


SCALARS = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text()


@given(
    st.recursive(
        SCALARS | st.floats(allow_nan=False),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    )
)
def test_the_fast_answer_is_never_yes_where_the_slow_one_is_no(value: object) -> None:
    for data in (
        json.dumps(value).encode(),
        json.dumps(value, separators=(",", ":"), sort_keys=True).encode(),
        json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        ),
    ):
        try:
            parsed = jsonio.parse(data, "x")
            slow = canonical.encode(parsed) == data
        except InputError:
            continue
        if canonical._is_plainly_canonical(data, parsed):
            assert slow


@pytest.mark.parametrize(
    "text",
    [r'{"a":"\u007f"}', '{"a":"\x7f"}', r'{"a":"\u0041"}', '{"b":1,"a":2}', '{"a":1.0}', '{"a":-0}',
     '{"a":9007199254740993}', r'"\ud800"', r'{"a":"\/"}', '{"a": 1}', r'"\u001F"', "1e3", "[1E5]"],
)  # fmt: skip
def test_fast_or_slow_the_answer_is_the_same(text: str) -> None:
    data = text.encode()
    try:
        want = canonical.encode(jsonio.parse(data, "x")) == data
    except InputError:
        want = False
    try:
        canonical.decode(data, "x")
        found = True
    except InputError:
        found = False
    assert found == want
