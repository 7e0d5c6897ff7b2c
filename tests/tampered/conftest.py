"""the one good bundle that every forgery starts from."""

from __future__ import annotations

import pytest

from clawpro_artifact import bundling
from tests import bundles
from tests.tampered.kit import Kit


@pytest.fixture(scope="session")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Kit:
    folder = tmp_path_factory.mktemp("kit")
    files = bundles.files(folder / "definitions")
    result = bundles.sign(files, folder / "bundle")
    bundling.write_tar(folder / "bundle", folder / "bundle.tar")
    return Kit(files, folder / "bundle", folder / "bundle.tar", result.claim)
