"""in-toto's own protobuf parser takes the statements of a bundle, strictly."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests import bundles

json_format = pytest.importorskip("google.protobuf.json_format")
statement_pb2 = pytest.importorskip("in_toto_attestation.v1.statement_pb2")


def test_in_toto_parses_the_statement(tmp_path: Path) -> None:
    from in_toto_attestation.v1.statement import Statement  # type: ignore[import-untyped]

    bundles.sign({"data/x": b"x"}, tmp_path / "b")
    (sealed,) = (tmp_path / "b" / "signatures").glob("*.sigstore.json")
    payload = base64.b64decode(json.loads(sealed.read_bytes())["dsseEnvelope"]["payload"])
    parsed = json_format.Parse(payload, statement_pb2.Statement(), ignore_unknown_fields=False)
    Statement.copy_from_pb(parsed).validate()
    assert parsed.subject[0].name == "tagmanifest-sha256.txt"
    assert parsed.predicate["name"] == "test"
