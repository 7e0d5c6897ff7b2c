"""RFC 8785's own answers: section 3.2.2 (the sample), 3.2.3 (sorting), appendix B (numbers)."""

from __future__ import annotations

import json
import struct

import pytest

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical, jsonio


def test_the_sample_of_section_3_2_2_has_the_bytes_of_the_rfc() -> None:
    sample = (
        b'{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],'
        rb' "string": "\u20ac$\u000F\u000aA' + rb"'" + rb'\u0042\u0022\u005c\\\"\/",'
        b' "literals": [null, true, false]}'
    )
    expected = (
        b'{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        b'"string":"\xe2\x82\xac$\\u000f\\nA' + b"'" + b'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical.encode(jsonio.parse(sample, "sample")) == expected


def test_the_keys_of_section_3_2_3_are_sorted_by_utf_16_units() -> None:
    text = (
        rb'{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",'
        rb'"1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",'
        rb'"\u00f6":"Latin Small Letter O With Diaeresis"}'
    )
    names = list(json.loads(canonical.encode(jsonio.parse(text, "sample"))).values())
    assert names == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_a_number_of_appendix_b_has_the_text_of_the_rfc(bits: str, text: str) -> None:
    assert canonical.encode(struct.unpack(">d", bytes.fromhex(bits))[0]) == text.encode()


@pytest.mark.parametrize(
    "bits",
    ["4340000000000000", "c340000000000000", "4430000000000000", "444b1ae4d6e2ef4f"],
)
def test_a_number_of_appendix_b_that_reads_as_a_huge_integer_is_not_written(bits: str) -> None:
    with pytest.raises(InputError, match="too large to be exact everywhere"):
        canonical.encode([struct.unpack(">d", bytes.fromhex(bits))[0]])
