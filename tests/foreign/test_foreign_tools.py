"""Other people's tools take what `formats` writes, and refuse it after one byte changed."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import bagit as bagit_py  # type: ignore[import-untyped]
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from clawpro_artifact.adapters import store
from clawpro_artifact.adapters.keys import KeyFile
from clawpro_artifact.formats import bagit, envelope, publickey, sshsig

HERE = Path(__file__).parent / "sigstore"
ALICE = KeyFile(ec.derive_private_key(11, ec.SECP256R1()))
BOB = KeyFile(ec.derive_private_key(12, ec.SECP256R1()))
MESSAGE = b"0123456789abcdef  data/file\n"
PAYLOAD = envelope.statement(
    [envelope.Subject("tagmanifest-sha256.txt", "sha256:" + "ab" * 32)],
    "urn:example:predicate",
    {"text": "é"},
)


def tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def run(*command: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(c) for c in command], input=stdin, capture_output=True, check=False)


def openssl(folder: Path, key: KeyFile, message: bytes) -> bool:
    sealed = json.loads(envelope.seal(PAYLOAD, ALICE))
    signature = base64.b64decode(sealed["dsseEnvelope"]["signatures"][0]["sig"])
    (folder / "key.pem").write_bytes(key.public.pem)
    (folder / "sig").write_bytes(signature)
    done = run(
        *(tool("openssl"), "dgst", "-sha256", "-verify", folder / "key.pem"),
        *("-signature", folder / "sig"),
        stdin=message,
    )
    return done.returncode == 0 and b"Verified OK" in done.stdout


def test_openssl_verifies_the_signature_over_the_pae(tmp_path: Path) -> None:
    pae = b"DSSEv1 28 application/vnd.in-toto+json %d " % len(PAYLOAD) + PAYLOAD
    assert openssl(tmp_path, ALICE, pae)


def test_openssl_refuses_another_payload(tmp_path: Path) -> None:
    assert not openssl(tmp_path, ALICE, envelope.pae(PAYLOAD + b" "))


def test_openssl_refuses_another_key(tmp_path: Path) -> None:
    assert not openssl(tmp_path, BOB, envelope.pae(PAYLOAD))


def ssh_keygen(
    folder: Path,
    signer: KeyFile = ALICE,
    namespace: str = sshsig.NAMESPACE,
    message: bytes = MESSAGE,
) -> bool:
    (folder / "sig").write_bytes(sshsig.sign(MESSAGE, signer, namespace))
    (folder / "allowed").write_text(sshsig.allowed_signer("release@clawpro", ALICE.public))
    done = run(
        *(tool("ssh-keygen"), "-Y", "verify", "-f", folder / "allowed", "-I", "release@clawpro"),
        *("-n", namespace, "-s", folder / "sig"),
        stdin=message,
    )
    return done.returncode == 0 and b'Good "' in done.stdout


def test_ssh_keygen_verifies_our_signature(tmp_path: Path) -> None:
    assert ssh_keygen(tmp_path)


def test_ssh_keygen_refuses_another_message(tmp_path: Path) -> None:
    assert not ssh_keygen(tmp_path, message=MESSAGE + b"x")


def test_ssh_keygen_refuses_another_signer(tmp_path: Path) -> None:
    assert not ssh_keygen(tmp_path, signer=BOB)


def test_ssh_keygen_refuses_another_namespace(tmp_path: Path) -> None:
    assert not ssh_keygen(tmp_path, namespace="git")


def test_hundred_signatures_verify_with_ssh_keygen_whatever_their_leading_bits(
    tmp_path: Path,
) -> None:
    # An mpint with its top bit set needs a zero byte before it: half of all r.
    (tmp_path / "allowed").write_text(sshsig.allowed_signer("r@c", ALICE.public))
    for i in range(100):
        message = b"%d" % i
        (tmp_path / "sig").write_bytes(sshsig.sign(message, ALICE))
        done = run(
            *(tool("ssh-keygen"), "-Y", "verify", "-f", tmp_path / "allowed", "-I", "r@c"),
            *("-n", sshsig.NAMESPACE, "-s", tmp_path / "sig"),
            stdin=message,
        )
        assert done.returncode == 0, done.stderr


def test_ssh_keygen_writes_the_form_that_we_read(tmp_path: Path) -> None:
    made = run(tool("ssh-keygen"), "-q", "-t", "ecdsa", "-b", "256", "-N", "", "-f", tmp_path / "k")
    assert made.returncode == 0, made.stderr
    public = (tmp_path / "k.pub").read_text().split()
    point = base64.b64decode(public[1])[-65:]
    key = publickey.from_point(point, "k.pub")
    assert sshsig.public_line(key, public[2]).split() == public
    # Theirs has s in either half; about one try in two is in the form that we accept.
    for i in range(40):
        message = b"%d" % i
        signed = run(
            *(tool("ssh-keygen"), "-q", "-Y", "sign", "-f", tmp_path / "k"),
            *("-n", sshsig.NAMESPACE),
            stdin=message,
        )
        if sshsig.verify(signed.stdout, message, key, "theirs"):
            return
    pytest.fail("none of 40 signatures of ssh-keygen was accepted")


def bag(folder: Path) -> Path:
    payload = {"data/a.json": b"{}", "data/b/c": b"c"}
    entries = []
    for name, content in payload.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        entries.append(bagit.Entry(name, hashlib.sha256(content).hexdigest()))
    tags = {
        bagit.DECLARATION_NAME: bagit.DECLARATION,
        bagit.INFO_NAME: bagit.bag_info([("Payload-Oxum", "3.2"), ("Bag-Software-Agent", "x")]),
        bagit.MANIFEST_NAME: bagit.manifest(entries),
    }
    tags[bagit.TAG_MANIFEST_NAME] = bagit.manifest(
        bagit.Entry(n, hashlib.sha256(c).hexdigest()) for n, c in tags.items()
    )
    for name, content in tags.items():
        (folder / name).write_bytes(content)
    return folder


def append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" ")


def nothing(path: Path) -> None:
    pass


@pytest.mark.parametrize(("edit", "valid"), [(nothing, True), (append, False)])
def test_bagit_py_judges_our_bag(tmp_path: Path, edit: Callable[[Path], None], valid: bool) -> None:
    edit(bag(tmp_path) / "data" / "b" / "c")
    assert bagit_py.Bag(str(tmp_path)).is_valid() is valid


@pytest.mark.parametrize(("edit", "valid"), [(nothing, True), (append, False)])
@pytest.mark.parametrize("name", [bagit.MANIFEST_NAME, bagit.TAG_MANIFEST_NAME])
def test_sha256sum_judges_our_bag(
    tmp_path: Path, name: str, edit: Callable[[Path], None], valid: bool
) -> None:
    edit(bag(tmp_path) / ("data/b/c" if name == bagit.MANIFEST_NAME else bagit.INFO_NAME))
    done = subprocess.run(["sha256sum", "-c", "--strict", name], cwd=tmp_path, capture_output=True)
    assert (done.returncode == 0) is valid


@pytest.fixture(scope="session")
def sigstore_modules() -> Path:
    """`node_modules` of the lock file beside, installed once per lock file."""
    lock = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "clawpro" / "foreign-sigstore" / lock
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        store.make_folder(folder)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        done = subprocess.run(
            [tool("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=folder,
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr.decode()
        (folder / "complete").touch()
    return folder / "node_modules"


def sigstore(
    modules: Path, folder: Path, bundle: bytes, key: KeyFile
) -> subprocess.CompletedProcess[bytes]:
    (folder / "bundle.json").write_bytes(bundle)
    (folder / "key.pem").write_bytes(key.public.pem)
    script = HERE / "verify.js"
    return run(tool("node"), script, modules, folder / "bundle.json", folder / "key.pem")


@pytest.mark.slow
def test_sigstore_verifies_our_bundle(sigstore_modules: Path, tmp_path: Path) -> None:
    done = sigstore(sigstore_modules, tmp_path, envelope.seal(PAYLOAD, ALICE), ALICE)
    assert (done.returncode, done.stdout) == (0, PAYLOAD), done.stderr


@pytest.mark.slow
def test_sigstore_refuses_another_key(sigstore_modules: Path, tmp_path: Path) -> None:
    done = sigstore(sigstore_modules, tmp_path, envelope.seal(PAYLOAD, ALICE), BOB)
    assert done.returncode == 1
    assert b"signature verification failed" in done.stderr


@pytest.mark.slow
def test_sigstore_refuses_a_changed_payload(sigstore_modules: Path, tmp_path: Path) -> None:
    value = json.loads(envelope.seal(PAYLOAD, ALICE))
    value["dsseEnvelope"]["payload"] = base64.b64encode(PAYLOAD + b" ").decode()
    done = sigstore(sigstore_modules, tmp_path, json.dumps(value).encode(), ALICE)
    assert done.returncode == 1
    assert b"signature verification failed" in done.stderr
