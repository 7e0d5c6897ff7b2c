"""Foreign tools verify a whole bundle, and refuse it once one byte of one trace has changed."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import bagit as bagit_py  # type: ignore[import-untyped]
import pytest

from clawpro_artifact.formats import envelope, sshsig
from tests import bundles
from tests.foreign.test_foreign_tools import HERE, sigstore_modules

__all__ = ["sigstore_modules"]
TRACE = "data/traces/direct-reference/three-way-match/0/events.jsonl"
STEM = bundles.ALICE.public.keyid[:16]


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("signed")
    bundles.sign(bundles.files(folder / "definitions"), folder / "bundle")
    (folder / "key.pem").write_bytes(bundles.ALICE.public.pem)
    (folder / "eve.pem").write_bytes(bundles.EVE.public.pem)
    return folder / "bundle"


@pytest.fixture()
def bundle(signed: Path, tmp_path: Path) -> Path:
    shutil.copytree(signed, tmp_path / "bundle")
    for name in ("key.pem", "eve.pem"):
        shutil.copy(signed.parent / name, tmp_path)
    return tmp_path / "bundle"


def run(*command: str, cwd: Path, stdin: bytes = b"") -> int:
    return subprocess.run(
        command, cwd=cwd, input=stdin, capture_output=True, check=False
    ).returncode


def nothing(bundle: Path) -> None:
    pass


def one_byte(bundle: Path) -> None:
    path = bundle / TRACE
    data = bytearray(path.read_bytes())
    data[10] ^= 1
    path.write_bytes(data)


def one_byte_hidden(bundle: Path) -> None:
    """The same, and every list below it made right: only signatures can tell."""
    one_byte(bundle)
    for name, manifest in (
        (TRACE, "manifest-sha256.txt"),
        ("manifest-sha256.txt", "tagmanifest-sha256.txt"),
    ):
        done = subprocess.run(["sha256sum", name], cwd=bundle, capture_output=True, check=True)
        path = bundle / manifest
        rows = path.read_text().splitlines(keepends=True)
        path.write_text(
            "".join(done.stdout.decode() if r.endswith(f"  {name}\n") else r for r in rows)
        )


def sha256sum(bundle: Path) -> bool:
    return all(
        run("sha256sum", "-c", "--strict", name, cwd=bundle) == 0
        for name in ("tagmanifest-sha256.txt", "manifest-sha256.txt")
    )


def bagit_module(bundle: Path) -> bool:
    return bool(bagit_py.Bag(str(bundle)).is_valid())


def ssh_keygen(bundle: Path) -> bool:
    allowed = bundle.parent / "allowed"
    allowed.write_text(sshsig.allowed_signer("release", bundles.ALICE.public))
    return (
        run(
            "ssh-keygen",
            "-Y",
            "verify",
            "-f",
            str(allowed),
            "-I",
            "release",
            "-n",
            sshsig.NAMESPACE,
            "-s",
            f"signatures/{STEM}.sig",
            cwd=bundle,
            stdin=(bundle / "tagmanifest-sha256.txt").read_bytes(),
        )
        == 0
    )


def openssl(bundle: Path) -> bool:
    """The signature over the encoding, and the subject that the statement names."""
    sealed = json.loads((bundle / f"signatures/{STEM}.sigstore.json").read_bytes())["dsseEnvelope"]
    payload = base64.b64decode(sealed["payload"])
    signature = bundle.parent / "signature"
    signature.write_bytes(base64.b64decode(sealed["signatures"][0]["sig"]))
    done = run(
        "openssl",
        "dgst",
        "-sha256",
        "-verify",
        str(bundle.parent / "key.pem"),
        "-signature",
        str(signature),
        cwd=bundle,
        stdin=envelope.pae(payload),
    )
    found = subprocess.run(
        ["openssl", "dgst", "-sha256", "-r", "tagmanifest-sha256.txt"],
        cwd=bundle,
        capture_output=True,
        check=True,
    ).stdout[:64]
    subject = json.loads(payload)["subject"][0]
    return done == 0 and subject["digest"]["sha256"] == found.decode()


def verify_sh(bundle: Path) -> bool:
    return run("sh", "verify.sh", "../key.pem", cwd=bundle) == 0


LISTS = (sha256sum, bagit_module, verify_sh)
SIGNATURES = (ssh_keygen, openssl, verify_sh)


@pytest.mark.parametrize("tool", {*LISTS, *SIGNATURES}, ids=lambda t: t.__name__)
def test_a_foreign_tool_accepts_the_bundle(bundle: Path, tool: Callable[[Path], bool]) -> None:
    assert tool(bundle)


@pytest.mark.parametrize("tool", LISTS, ids=lambda t: t.__name__)
def test_a_foreign_tool_refuses_one_changed_byte_of_a_trace(
    bundle: Path, tool: Callable[[Path], bool]
) -> None:
    one_byte(bundle)
    assert not tool(bundle)


@pytest.mark.parametrize("tool", SIGNATURES, ids=lambda t: t.__name__)
def test_a_foreign_tool_refuses_lists_that_were_made_to_fit(
    bundle: Path, tool: Callable[[Path], bool]
) -> None:
    one_byte_hidden(bundle)
    assert sha256sum(bundle)
    assert not tool(bundle)


def test_verify_sh_refuses_the_key_of_another(bundle: Path) -> None:
    assert run("sh", "verify.sh", "../eve.pem", cwd=bundle) == 1


@pytest.mark.parametrize("name", ["extra.txt", "data/extra.txt", "keys/x", "data/.hidden"])
def test_verify_sh_refuses_a_file_in_no_list(bundle: Path, name: str) -> None:
    (bundle / name).write_bytes(b"x")
    assert not verify_sh(bundle)


def test_verify_sh_refuses_a_link(bundle: Path) -> None:
    (bundle / TRACE).rename(bundle.parent / "moved")
    (bundle / TRACE).symlink_to(bundle.parent / "moved")
    assert not verify_sh(bundle)


def test_verify_sh_refuses_a_swapped_statement(bundle: Path, tmp_path: Path) -> None:
    other = bundles.files(tmp_path / "definitions") | {"data/release-notes.md": b"Other.\n"}
    bundles.sign(other, tmp_path / "other")
    name = f"signatures/{STEM}.sigstore.json"
    shutil.copy(tmp_path / "other" / name, bundle / name)
    assert not verify_sh(bundle)


def test_verify_sh_runs_under_dash_and_says_yes(bundle: Path) -> None:
    dash = shutil.which("dash")
    if dash is None:
        pytest.skip("dash is not installed")
    done = subprocess.run(
        [dash, "verify.sh", "../key.pem"],
        cwd=bundle,
        capture_output=True,
        check=False,
        env={"PATH": os.environ["PATH"], "TMPDIR": str(bundle.parent)},
    )
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith(b"YES: ")


@pytest.mark.slow
@pytest.mark.parametrize(("edit", "code"), [(nothing, 0), (one_byte_hidden, 1)])
def test_sigstore_judges_the_bundle(
    sigstore_modules: Path, bundle: Path, edit: Callable[[Path], None], code: int
) -> None:
    """npm @sigstore/verify checks the envelope; the subject is compared as cosign would."""
    edit(bundle)
    sealed = bundle / f"signatures/{STEM}.sigstore.json"
    done = subprocess.run(
        [
            "node",
            str(HERE / "verify.js"),
            str(sigstore_modules),
            str(sealed),
            str(bundle.parent / "key.pem"),
        ],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    index = subprocess.run(
        ["sha256sum", "tagmanifest-sha256.txt"], cwd=bundle, capture_output=True, check=True
    ).stdout[:64]
    same = json.loads(done.stdout)["subject"][0]["digest"]["sha256"] == index.decode()
    assert same is (code == 0)
