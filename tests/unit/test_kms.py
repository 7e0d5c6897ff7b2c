"""A key behind a securesystemslib URI signs bundles that verify like any other."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from clawpro_artifact import bundling
from clawpro_artifact.adapters.kms import open_signer
from clawpro_artifact.bundling import BundleFile
from clawpro_artifact.errors import TrustError, UsageError
from clawpro_artifact.verifying import verify
from tests import bundles
from tests.bundles import ALICE, EVE

pytest.importorskip("securesystemslib")


@pytest.fixture()
def uri(tmp_path: Path) -> str:
    pem = ALICE.private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (tmp_path / "private.pem").write_bytes(pem)
    return f"file2:{tmp_path}/private.pem"


def test_a_bundle_signed_through_a_uri_verifies(uri: str, tmp_path: Path) -> None:
    signer = open_signer(uri, ALICE.public)
    files = bundles.files(tmp_path / "d")
    content = [BundleFile(p, d) for p, d in files.items()]
    bundling.bundle(content, [signer], bundles.INFO, tmp_path / "b")
    assert verify(tmp_path / "b", [ALICE.public]).answer == "yes"


def test_a_service_that_signs_with_another_key_is_found_out(uri: str) -> None:
    with pytest.raises((TrustError, UsageError)):
        open_signer(uri, EVE.public).sign(b"message")


def test_an_unknown_scheme_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="cannot be opened"):
        open_signer("nothing:here", ALICE.public)
