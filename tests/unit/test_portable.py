"""What an agent says is recorded, however odd: never a crash, never a loss."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawpro_artifact.formats import canonical
from clawpro_artifact.formats.portable import portable


def nested(depth):
    value = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2.0**53, "[[number:9007199254740992.0]]"),
        (1e300, "[[number:1e+300]]"),
        (2**53, "[[number:9007199254740992]]"),
        (-(2**53 - 1), -(2**53 - 1)),
        (float("nan"), "[[number:nan]]"),
        (float("inf"), "[[number:inf]]"),
        (0.1, 0.1),
        ("a\ud800b", "a[[surrogate:d800]]b"),
        ({"\udfff": 1, "[[surrogate:dfff]]": 2}, {"[[surrogate:dfff]]": 1,
                                               "[[surrogate:dfff]][[key:1]]": 2}),
    ],
)  # fmt: skip
def test_what_has_no_canonical_form_is_said_in_words(value, expected):
    assert portable(value) == expected
    canonical.encode(portable(value))


@pytest.mark.parametrize("depth", [63, 101, 5000, 100_000])
def test_deep_nesting_becomes_text_and_stays_whole(depth):
    done = portable(nested(depth))
    canonical.encode(done)
    assert json.dumps(done).count("[") >= depth


def test_what_is_portable_is_the_same_object():
    value = {"a": [1, 2.5, None, True, "é", {"b": []}]}
    assert portable(value) is value


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
    max_leaves=20,
)


@given(ANY)
def test_every_json_value_gets_canonical_bytes_and_a_second_pass_changes_nothing(value):
    done = portable(value)
    canonical.encode(done)
    assert portable(done) is done


def test_odd_json_of_an_agent_ships_as_evidence():
    from clawpro_artifact.adapters.runs import line
    from clawpro_artifact.bundling.compose import _lines
    from clawpro_artifact.model.trace import Exchange
    from tests.unit.test_sanitizing import clean, trial

    odd = json.loads('{"a": 1e999, "b": 123456789012345678901, "c": NaN, "d": "\\ud800"}')
    odd["deep"] = nested(150)
    blobs = {}
    call = {"name": "exec", "arguments": json.dumps({"x": "\ud800"})}
    exchange = Exchange(number=0, conversation="main", request=odd, response={"calls": [call]},
                        status=200, started_ms=0, ended_ms=1, continues=True)  # fmt: skip
    done, _ = clean(trial("x", blobs, exchanges=(exchange,)), blobs)
    assert b"[[number:inf]]" in _lines(done.exchanges)
    assert b"[[surrogate:d800]]" in line(done.exchanges[0])
