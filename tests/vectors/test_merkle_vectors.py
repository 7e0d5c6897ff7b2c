"""The roots of certificate-transparency's reference leaves, and RFC 6962's definitions, naively."""

from __future__ import annotations

import hashlib

import pytest

from clawpro_artifact.formats import merkle

LEAVES = [
    bytes.fromhex(h)
    for h in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def naive_root(data: list[bytes]) -> bytes:
    """MTH of RFC 6962 section 2.1, over data and not over leaf hashes."""
    if not data:
        return hashlib.sha256().digest()
    if len(data) == 1:
        return hashlib.sha256(b"\x00" + data[0]).digest()
    k = 1
    while k * 2 < len(data):
        k *= 2
    return hashlib.sha256(b"\x01" + naive_root(data[:k]) + naive_root(data[k:])).digest()


@pytest.mark.parametrize("size", range(9))
def test_the_root_of_the_reference_leaves_is_the_published_one(size: int) -> None:
    assert merkle.root(merkle.leaf_hash(x) for x in LEAVES[:size]).hex() == ROOTS[size]


def test_roots_follow_the_definition_of_the_rfc() -> None:
    for size in range(70):
        data = [bytes([i]) for i in range(size)]
        assert merkle.root(map(merkle.leaf_hash, data)) == naive_root(data)


def test_an_inclusion_proof_of_the_reference_tree_is_the_one_worked_by_hand() -> None:
    hashes = [merkle.leaf_hash(x) for x in LEAVES[:7]]
    # RFC 6962 2.1.3: PATH(3, D[7]) = [c, g, l]; PATH(4, D[7]) = [f, j, k]; PATH(6, ..) = [i, k].
    left, right = naive_root(LEAVES[0:4]), naive_root(LEAVES[4:7])
    assert merkle.inclusion_proof(3, hashes) == [hashes[2], naive_root(LEAVES[0:2]), right]
    assert merkle.inclusion_proof(4, hashes) == [hashes[5], hashes[6], left]
    assert merkle.inclusion_proof(6, hashes) == [naive_root(LEAVES[4:6]), left]


def test_a_consistency_proof_of_the_reference_tree_is_the_one_worked_by_hand() -> None:
    hashes = [merkle.leaf_hash(x) for x in LEAVES[:7]]
    # RFC 6962 2.1.3: PROOF(3, D[7]) = [c, d, g, l]; PROOF(4, D[7]) = [l]; PROOF(6, ..) = [i, j, k].
    left, right = naive_root(LEAVES[0:4]), naive_root(LEAVES[4:7])
    assert merkle.consistency_proof(3, hashes) == [
        hashes[2],
        hashes[3],
        naive_root(LEAVES[0:2]),
        right,
    ]
    assert merkle.consistency_proof(4, hashes) == [right]
    assert merkle.consistency_proof(6, hashes) == [naive_root(LEAVES[4:6]), hashes[6], left]
