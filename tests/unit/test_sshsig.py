from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

from clawpro_artifact.adapters.keys import KeyFile
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import publickey, sshsig

ALICE = KeyFile(ec.derive_private_key(11, ec.SECP256R1()))
BOB = KeyFile(ec.derive_private_key(12, ec.SECP256R1()))
MESSAGE = b"0123  data/file\n"


def test_a_signature_verifies_with_its_key_only() -> None:
    armored = sshsig.sign(MESSAGE, ALICE)
    assert sshsig.verify(armored, MESSAGE, ALICE.public, "s")
    assert not sshsig.verify(armored, MESSAGE, BOB.public, "s")


def test_a_signature_verifies_over_its_message_only() -> None:
    assert not sshsig.verify(sshsig.sign(MESSAGE, ALICE), MESSAGE + b"x", ALICE.public, "s")


def test_a_signature_that_names_another_key_is_not_verified() -> None:
    class Masked:
        public = BOB.public

        def sign(self, message: bytes) -> bytes:
            return ALICE.sign(message)

    armored = sshsig.sign(MESSAGE, Masked())
    assert not sshsig.verify(armored, MESSAGE, ALICE.public, "s")
    assert not sshsig.verify(armored, MESSAGE, BOB.public, "s")


def respelled(width: int = 70, edit: tuple[bytes, bytes] = (b"", b"")) -> bytes:
    blob = base64.b64decode(b"".join(sshsig.sign(MESSAGE, ALICE).splitlines()[1:-1]))
    text = base64.b64encode(blob.replace(*edit, 1))
    lines = [text[i : i + width] for i in range(0, len(text), width)]
    begin, end = b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----"
    return b"\n".join([begin, *lines, end, b""])


def test_a_signature_respelled_without_a_change_verifies() -> None:
    assert sshsig.verify(respelled(), MESSAGE, ALICE.public, "s")


def test_a_signature_in_longer_lines_is_refused() -> None:
    with pytest.raises(InputError, match="another spelling"):
        sshsig.verify(respelled(76), MESSAGE, ALICE.public, "s")


def test_a_signature_with_something_in_its_reserved_field_is_refused() -> None:
    namespace = b"clawpro-bundle@v1"
    edit = (namespace + bytes(4), namespace + b"\0\0\0\1x")
    with pytest.raises(InputError, match="another spelling"):
        sshsig.verify(respelled(edit=edit), MESSAGE, ALICE.public, "s")


def test_signing_twice_gives_the_same_bytes() -> None:
    assert sshsig.sign(MESSAGE, ALICE) == sshsig.sign(MESSAGE, ALICE)


def test_a_signature_in_another_namespace_is_refused() -> None:
    with pytest.raises(InputError, match="malformed SSH signature") as caught:
        sshsig.verify(sshsig.sign(MESSAGE, ALICE, "git"), MESSAGE, ALICE.public, "s")
    assert "namespace b'git'" in (caught.value.found or "")


def test_no_single_byte_of_a_signature_can_change() -> None:
    armored = sshsig.sign(MESSAGE, ALICE)
    accepted = []
    for i in range(len(armored)):
        for changed in {armored[i] ^ 1, ord("A"), ord("\n")} - {armored[i]}:
            forged = armored[:i] + bytes([changed]) + armored[i + 1 :]
            try:
                if sshsig.verify(forged, MESSAGE, ALICE.public, "s"):
                    accepted.append(i)
            except InputError:
                pass
    assert accepted == []


@pytest.mark.parametrize("cut", [0, 1, 40, 200])
def test_a_truncated_signature_is_refused(cut: int) -> None:
    with pytest.raises(InputError, match="malformed SSH signature"):
        sshsig.verify(sshsig.sign(MESSAGE, ALICE)[:cut], MESSAGE, ALICE.public, "s")


def test_the_public_line_is_read_as_the_same_key_by_another_library() -> None:
    key = load_ssh_public_key(sshsig.public_line(ALICE.public, "someone").encode())
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert publickey.of(key) == ALICE.public


def test_an_allowed_signer_is_limited_to_the_namespace() -> None:
    line = sshsig.allowed_signer("release@clawpro", ALICE.public)
    assert line.startswith('release@clawpro namespaces="clawpro-bundle@v1" ecdsa-sha2-nistp256 ')


def test_lines_of_armor_are_as_long_as_those_of_ssh_keygen() -> None:
    lines = sshsig.sign(MESSAGE, ALICE).splitlines()
    assert {len(line) for line in lines[1:-2]} == {70}
    assert base64.b64decode(b"".join(lines[1:-1])).startswith(b"SSHSIG")
