from __future__ import annotations

import pytest

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import jsonio


@pytest.mark.parametrize(
    ("text", "summary", "place"),
    [
        (b'{"a":{"b":1,"b":2}}', "a key appears twice", "#/a/b, byte 12"),
        (b'{"a":1,"\\u0061":2}', "a key appears twice", "#/a, byte 7"),
        (b'{"a/b":[0,{"~":NaN}]}', "not finite", "#/a~1b/1/~0, byte 15"),
        (b"[0,-Infinity]", "not finite", "#/1, byte 3"),
        (b"[1e999]", "not finite", "#/0, byte 1"),
        (b'{"n":9007199254740992}', "an integer is too large", "#/n, byte 5"),
        (b'{"n":-9007199254740992}', "an integer is too large", "#/n, byte 5"),
        (b"1" + b"0" * 5000, "an integer is too large", "#, byte 0"),
        (b'["\xc3\xa9","\\ud800"]', "lone surrogate", "#/1, byte 6"),
        (b'{"\\udc00":1}', "lone surrogate", "byte 1"),
        (b"[" * 101 + b"]" * 101, "nested too deeply", "byte 100"),
        (b'{"a":' * 100_000, "nested too deeply", "byte 500"),
        (b"\xef\xbb\xbf{}", "byte order mark", "byte 0"),
        (b"\xff\xfe{\x00", "byte order mark", "byte 0"),
        (b'["\xc3"]', "not UTF-8", "byte 2"),
        (b'["\xed\xa0\x80"]', "not UTF-8", "byte 2"),
        (b'{"\xc3\xa9": x}', "malformed JSON", "byte 7"),
        (b"{} {}", "malformed JSON", "byte 3"),
        (b"", "malformed JSON", "byte 0"),
        (b"[1,]", "malformed JSON", "byte 3"),
        (b'["\t"]', "malformed JSON", "byte 2"),
        (b"{'a':1}", "malformed JSON", "byte 1"),
    ],
)
def test_a_text_that_readers_could_take_differently_is_refused_by_place(
    text: bytes, summary: str, place: str
) -> None:
    with pytest.raises(InputError, match=summary) as caught:
        jsonio.parse(text, "doc.json")
    assert caught.value.where is not None
    assert caught.value.where.startswith("doc.json")
    assert caught.value.where.endswith(place)


def test_a_text_over_its_budget_is_refused() -> None:
    with pytest.raises(InputError, match="too large"):
        jsonio.parse(b"[1, 2]", "doc", max_bytes=5)


def test_what_is_allowed_is_read_as_it_stands() -> None:
    text = b' {"a": [1, -0.5, true, null, "\\ud83d\\ude00 [[\\"{"], "n": 9007199254740991} '
    assert jsonio.parse(text, "doc") == {
        "a": [1, -0.5, True, None, '\U0001f600 [["{'],
        "n": 2**53 - 1,
    }


def test_the_deepest_allowed_nesting_is_read() -> None:
    value = jsonio.parse(b"[" * 100 + b"]" * 100, "doc")
    for _ in range(99):
        value = value[0]
    assert value == []


def test_the_same_key_in_two_objects_is_no_duplicate() -> None:
    assert jsonio.parse(b'[{"a":1},{"a":{"a":2}}]', "doc") == [{"a": 1}, {"a": {"a": 2}}]
