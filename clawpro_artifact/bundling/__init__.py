"""Report + everything -> Index, Statement, Bundle: from values, written whole, signed last."""

from __future__ import annotations

from clawpro_artifact.bundling.archive import write_tar
from clawpro_artifact.bundling.attest import attestations, summary
from clawpro_artifact.bundling.compose import ReleaseContent, compose
from clawpro_artifact.bundling.write import (
    BundleFile,
    BundleResult,
    ReleaseInfo,
    bundle,
    cosign,
)

__all__ = [
    "BundleFile",
    "BundleResult",
    "ReleaseContent",
    "ReleaseInfo",
    "attestations",
    "bundle",
    "compose",
    "cosign",
    "summary",
    "write_tar",
]
