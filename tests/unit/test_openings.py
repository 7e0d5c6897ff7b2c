"""Openings: a true one verifies against the published trial, a forged one never does."""

from __future__ import annotations

import base64
import json

import pyrage
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawpro_artifact.bundling.compose import redactions
from clawpro_artifact.errors import InputError, TrustError
from clawpro_artifact.formats import merkle
from clawpro_artifact.sanitizing import sanitize
from clawpro_artifact.sanitizing.openings import Vault, check_opening, seal, select, unseal
from tests.unit.test_sanitizing import SECRET, TOKEN, trial

KEY = b"k" * 32


def made(text=f"{SECRET} {TOKEN} ghp_{'a1B2' * 9}"):
    blobs, found = {}, []

    def write(data):
        return "sha256:" + "0" * 64

    raw = trial(text, blobs)
    clean = sanitize(raw, {"db": SECRET}, [], KEY, blobs.__getitem__, write, keep=found.append)
    return clean, Vault(format="clawpro.vault.v1", plan="p", openings=tuple(found))


def test_every_opening_of_the_vault_is_true_of_the_published_trial():
    clean, vault = made()
    assert len(vault.openings) == len(clean.redactions) > 10
    assert [check_opening(o, clean) for o in vault.openings] == [None] * len(vault.openings)
    assert {o.secret for o in vault.openings} >= {SECRET.encode(), TOKEN.encode()}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("value", base64.b64encode(b"something else").decode()),
        ("salt", base64.b64encode(b"s" * 32).decode()),
        ("salt", base64.b64encode(b"s" * 31).decode()),
        ("salt", "no base64!"),
        ("commitment", "sha256:" + "ab" * 32),
        ("place", "elsewhere"),
        ("rule", "another"),
        ("trial", "c/s/1"),
    ],
)
def test_an_opening_with_any_field_changed_does_not_verify(field, value):
    clean, vault = made()
    forged = vault.openings[0].model_copy(update={field: value})
    assert check_opening(forged, clean) is not None


@given(st.binary(max_size=60), st.binary(min_size=32, max_size=32))
def test_no_made_up_value_and_salt_open_a_commitment(value, salt):
    clean, vault = CASE
    one = vault.openings[0]
    forged = one.model_copy(update={"value": base64.b64encode(value).decode(),
                                    "salt": base64.b64encode(salt).decode()})  # fmt: skip
    assert check_opening(forged, clean) is not None


CASE = made()


def test_bytes_cannot_move_between_salt_and_value():
    clean, vault = made()
    one = vault.openings[0]
    salt = base64.b64decode(one.salt)
    moved = one.model_copy(update={
        "salt": base64.b64encode(salt[:-1]).decode(),
        "value": base64.b64encode(salt[-1:] + one.secret).decode(),
    })  # fmt: skip
    assert check_opening(moved, clean) is not None


def test_the_root_is_that_of_rfc_6962_over_the_commitments():
    clean, _ = made()
    leaves = [bytes.fromhex(r.commitment[7:]) for r in clean.redactions]
    document = json.loads(redactions([clean]))
    assert document["redactions"] == len(leaves)
    assert document["root"] == "sha256:" + merkle.root(leaves).hex()
    proof = merkle.inclusion_proof(3, leaves)
    assert proof


def test_the_vault_is_the_same_whenever_it_is_made():
    assert made()[1] == made()[1]


def test_without_the_key_nothing_of_the_vault_can_be_read():
    _, vault = made()
    one, other = pyrage.x25519.Identity.generate(), pyrage.x25519.Identity.generate()
    sealed = seal(vault, [str(one.to_public())])
    for opening in vault.openings:
        for text in (opening.secret, opening.value.encode(), opening.salt.encode()):
            assert text not in sealed
    assert unseal(sealed, str(one), "v") == vault
    with pytest.raises(TrustError, match="does not open with this key"):
        unseal(sealed, str(other), "v")


def test_a_changed_byte_of_the_vault_is_noticed():
    _, vault = made()
    key = pyrage.x25519.Identity.generate()
    sealed = bytearray(seal(vault, [str(key.to_public())]))
    sealed[-20] ^= 1
    with pytest.raises(TrustError):
        unseal(bytes(sealed), str(key), "v")


def test_one_trial_or_one_value_can_be_handed_over_alone():
    _, vault = made()
    one = vault.openings[2]
    assert select(vault, commitment=one.commitment).openings == (one,)
    assert len(select(vault, trial=one.trial).openings) == len(vault.openings)
    with pytest.raises(InputError, match="no such opening"):
        select(vault, trial="c/s/9")


@pytest.mark.parametrize("text", ["", "age1nonsense", "ssh-dss AAAA"])
def test_what_is_no_key_is_refused(text):
    _, vault = made()
    with pytest.raises(InputError):
        seal(vault, [text] if text else [])
