"""`python -m tests.golden.make`: keeps a bundle of the present format version, once per version."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from clawpro_artifact import bundling
from clawpro_artifact.model.bundle import BUNDLE_FORMAT
from tests import bundles

HERE = Path(__file__).parent


def main() -> int:
    target = HERE / BUNDLE_FORMAT
    if target.exists():
        print(f"{target} is there; a released golden bundle is never made again", file=sys.stderr)
        return 2
    work = Path(tempfile.mkdtemp())
    try:
        bundles.sign(bundles.files(work / "definitions"), work / "bundle")
        target.mkdir()
        bundling.write_tar(work / "bundle", target / "bundle.tar")
        (target / "key.pem").write_bytes(bundles.ALICE.public.pem)
    finally:
        shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
