from __future__ import annotations

from pathlib import Path

import pytest

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical
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
