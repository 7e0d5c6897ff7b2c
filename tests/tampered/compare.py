"""the forgeries of a stranger against other verifiers: `python -m tests.tampered.compare`.

Prints a Markdown table (kept in docs/verifying.md). Needs `bagit` and `model-signing` with
pyOpenSSL. Only edits of a folder, which these tools can read; each tool verifies what it signed or
listed itself before the edit.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path

import bagit
from cryptography.hazmat.primitives import serialization
from model_signing import hashing, signing, verifying

from clawpro_artifact import bundling
from clawpro_artifact.verifying import verify
from tests import bundles
from tests.tampered import outside
from tests.tampered.kit import Kit


def by_bagit(path: Path, work: Path) -> bool:
    try:
        return bool(bagit.Bag(str(path)).is_valid())
    except Exception:
        return False


def by_model_signing(path: Path, work: Path) -> bool:
    try:
        verifying.Config().use_elliptic_key_verifier(
            public_key=str(work / "key.pem")
        ).set_hashing_config(hashing.Config()).verify(str(path), str(work / "model.sig"))
    except Exception:
        return False
    return True


def by_us(path: Path, work: Path) -> bool:
    return verify(path, [bundles.ALICE.public]).answer == "yes"


TOOLS = {"clawpro": by_us, "bagit.py": by_bagit, "model_signing": by_model_signing}


def main() -> int:
    logging.disable(logging.CRITICAL)
    work = Path(tempfile.mkdtemp(prefix="compare-"))
    files = bundles.files(work / "definitions")
    result = bundles.sign(files, work / "bundle")
    bundling.write_tar(work / "bundle", work / "bundle.tar")
    kit = Kit(files, work / "bundle", work / "bundle.tar", result.claim)
    private = bundles.ALICE.private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (work / "private.pem").write_bytes(private)
    (work / "key.pem").write_bytes(bundles.ALICE.public.pem)
    signing.Config().use_elliptic_key_signer(private_key=str(work / "private.pem")).sign(
        str(kit.folder), str(work / "model.sig")
    )
    for name, tool in TOOLS.items():
        if not tool(kit.folder, work):
            raise SystemExit(f"{name} refuses the good bundle")
    cases = [c for c in outside.CASES if c.group == "folder"]
    accepted: dict[str, list[str]] = {name: [] for name in TOOLS}
    for case in cases:
        path = case.make(kit, Path(tempfile.mkdtemp(dir=work)))
        for name, tool in TOOLS.items():
            if tool(path, work):
                accepted[name].append(case.name)
    print(f"| tool | forgeries accepted, of {len(cases)} | which |\n| --- | --- | --- |")
    for name, names in accepted.items():
        print(f"| {name} | {len(names)} | {', '.join(names) or '-'} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
