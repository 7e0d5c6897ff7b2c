from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from clawpro_artifact.adapters.keys import KeyFile
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import merkle

SIZES = range(1, 24)
LEAVES = [merkle.leaf_hash(bytes([i])) for i in range(SIZES.stop)]
ORIGIN = "example.org/log"


@pytest.fixture(scope="module")
def signer() -> KeyFile:
    return KeyFile(ec.derive_private_key(7, ec.SECP256R1()))


def test_every_leaf_is_included_in_every_tree() -> None:
    for size in SIZES:
        root = merkle.root(LEAVES[:size])
        for i in range(size):
            proof = merkle.inclusion_proof(i, LEAVES[:size])
            assert merkle.includes(LEAVES[i], i, size, proof, root)


def test_an_inclusion_proof_shows_no_other_leaf_place_root_or_proof() -> None:
    for size in SIZES:
        root = merkle.root(LEAVES[:size])
        for i in range(size):
            proof = merkle.inclusion_proof(i, LEAVES[:size])
            assert not merkle.includes(LEAVES[i + 1], i, size, proof, root)
            others = [j for j in range(size + 2) if j != i]
            assert not any(merkle.includes(LEAVES[i], j, size, proof, root) for j in others)
            assert not merkle.includes(LEAVES[i], i, size, proof, merkle.root(LEAVES[: size + 1]))
            assert not merkle.includes(LEAVES[i], i, size, [*proof, LEAVES[0]], root)
            assert not proof or not merkle.includes(LEAVES[i], i, size, proof[:-1], root)


def test_every_tree_extends_every_earlier_one() -> None:
    for new in SIZES:
        for old in range(1, new + 1):
            proof = merkle.consistency_proof(old, LEAVES[:new])
            roots = merkle.root(LEAVES[:old]), merkle.root(LEAVES[:new])
            assert merkle.extends(old, new, *roots, proof)


def test_no_tree_extends_one_with_another_leaf() -> None:
    for new in SIZES:
        for old in range(1, new + 1):
            proof = merkle.consistency_proof(old, LEAVES[:new])
            forged = merkle.root([*LEAVES[: old - 1], merkle.leaf_hash(b"forged")])
            root = merkle.root(LEAVES[:new])
            assert not merkle.extends(old, new, forged, root, proof)
            right = merkle.root(LEAVES[:old])
            assert not merkle.extends(old, new, right, root, [*proof, LEAVES[0]])
            assert not proof or not merkle.extends(old, new, right, root, proof[:-1])


def test_a_consistency_proof_that_ends_below_the_root_shows_nothing() -> None:
    # The proof from 1 to 2 leaves has one step; from 1 to 3 it takes two.
    proof, roots = [LEAVES[1]], (LEAVES[0], merkle.root(LEAVES[:2]))
    assert merkle.extends(1, 2, *roots, proof)
    assert not merkle.extends(1, 3, *roots, proof)


def test_a_tree_of_no_leaves_proves_nothing() -> None:
    assert not merkle.extends(0, 3, merkle.root([]), merkle.root(LEAVES[:3]), [])
    assert not merkle.includes(LEAVES[0], 0, 0, [], merkle.root([]))


def test_a_checkpoint_that_was_signed_opens_with_its_key(signer: KeyFile) -> None:
    head = merkle.Checkpoint(ORIGIN, 3, merkle.root(LEAVES[:3]))
    note = merkle.sign_checkpoint(head, signer)
    assert merkle.open_checkpoint(note, ORIGIN, [signer.public], "log") == head


def test_a_checkpoint_has_the_lines_of_c2sp(signer: KeyFile) -> None:
    note = merkle.sign_checkpoint(merkle.Checkpoint(ORIGIN, 0, merkle.root([])), signer)
    # base64 of sha256 of nothing, a well-known value
    assert note.startswith(
        "example.org/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— example.org/log "
    )


def test_a_checkpoint_by_another_key_is_refused(signer: KeyFile) -> None:
    note = merkle.sign_checkpoint(merkle.Checkpoint(ORIGIN, 1, LEAVES[0]), signer)
    other = KeyFile(ec.derive_private_key(8, ec.SECP256R1())).public
    with pytest.raises(InputError, match="log key that you trust"):
        merkle.open_checkpoint(note, ORIGIN, [other], "log")


def test_a_checkpoint_with_another_key_id_is_refused(signer: KeyFile) -> None:
    note = merkle.sign_checkpoint(merkle.Checkpoint(ORIGIN, 1, LEAVES[0]), signer)
    head, _, blob = note.rpartition(" ")
    forged = bytes([base64.b64decode(blob)[0] ^ 1]) + base64.b64decode(blob)[1:]
    with pytest.raises(InputError, match="log key that you trust"):
        merkle.open_checkpoint(
            f"{head} {base64.b64encode(forged).decode()}\n", ORIGIN, [signer.public], "log"
        )


def test_a_checkpoint_of_another_size_is_refused(signer: KeyFile) -> None:
    note = merkle.sign_checkpoint(merkle.Checkpoint(ORIGIN, 1, LEAVES[0]), signer)
    with pytest.raises(InputError, match="log key that you trust"):
        merkle.open_checkpoint(note.replace("\n1\n", "\n2\n"), ORIGIN, [signer.public], "log")


def test_a_checkpoint_of_another_log_is_refused(signer: KeyFile) -> None:
    note = merkle.sign_checkpoint(merkle.Checkpoint("example.org/b", 1, LEAVES[0]), signer)
    with pytest.raises(InputError, match="one signature of example"):
        merkle.open_checkpoint(note, ORIGIN, [signer.public], "log")


def test_a_log_proof_survives_its_text_and_verifies(signer: KeyFile) -> None:
    head = merkle.Checkpoint(ORIGIN, 7, merkle.root(LEAVES[:7]))
    note = merkle.sign_checkpoint(head, signer)
    proof = merkle.LogProof(4, tuple(merkle.inclusion_proof(4, LEAVES[:7])), note)
    again = merkle.parse_proof(proof.text, "proof")
    assert again == proof
    assert merkle.verify_proof(again, LEAVES[4], ORIGIN, [signer.public], "proof") == head
    assert merkle.verify_proof(again, LEAVES[5], ORIGIN, [signer.public], "proof") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "c2sp.org/tlog-proof@v2\nindex 0\n\nx",
        "c2sp.org/tlog-proof@v1\nindex 01\n\nx",
        "c2sp.org/tlog-proof@v1\nindex -1\n\nx",
        "c2sp.org/tlog-proof@v1\nindex 0\nAAAA\n\nx",
        "c2sp.org/tlog-proof@v1\nindex 0\n",
    ],
)
def test_a_malformed_log_proof_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="malformed or untrusted log text"):
        merkle.parse_proof(text, "proof")
