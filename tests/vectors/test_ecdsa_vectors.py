"""RFC 6979 appendix A.2.5 (P-256, SHA-256) and the PAE example of the DSSE protocol."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from clawpro_artifact.adapters.keys import KeyFile
from clawpro_artifact.formats import envelope
from clawpro_artifact.formats.publickey import ORDER

PRIVATE = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721


@pytest.mark.parametrize(
    ("message", "r", "s"),
    [
        (
            b"sample",
            0xEFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716,
            0xF7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8,
        ),
        (
            b"test",
            0xF1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367,
            0x019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083,
        ),
    ],
)
def test_a_signature_is_that_of_rfc_6979_with_s_in_the_lower_half(
    message: bytes, r: int, s: int
) -> None:
    key = KeyFile(ec.derive_private_key(PRIVATE, ec.SECP256R1()))
    assert decode_dss_signature(key.sign(message)) == (r, min(s, ORDER - s))


def test_the_public_point_is_that_of_rfc_6979() -> None:
    key = KeyFile(ec.derive_private_key(PRIVATE, ec.SECP256R1()))
    assert key.public.point[:33].hex() == (
        "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
    )


def test_the_pae_is_that_of_the_dsse_protocol() -> None:
    assert envelope.pae(b"hello world", "http://example.com/HelloWorld") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
