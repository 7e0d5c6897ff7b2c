"""RFC 3161: `openssl ts` is the authority and the second opinion."""

from __future__ import annotations

import datetime
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from clawpro_artifact.adapters import timestamps
from clawpro_artifact.cli import main
from clawpro_artifact.errors import InfraError, InputError, TrustError
from tests import bundles

pytest.importorskip("rfc3161_client")
if shutil.which("openssl") is None:
    pytest.skip("no openssl here", allow_module_level=True)

CONFIG = """\
[tsa]
default_tsa = it
[it]
serial = serial
crypto_device = builtin
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
[ext]
extendedKeyUsage = critical,timeStamping
"""
TAGS = b"0" * 64 + b"  bagit.txt\n"


class Authority:
    """A CA, a TSA certificate under it, and `openssl ts -reply`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "tsa.cnf").write_text(CONFIG)
        (folder / "serial").write_text("01\n")
        new = ["-newkey", "rsa:2048", "-nodes"]
        self.openssl("req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-days", "30",
                     "-subj", "/CN=Test CA")  # fmt: skip
        self.openssl("req", *new, "-keyout", "tsa.key", "-out", "tsa.csr", "-subj", "/CN=Test TSA")
        self.openssl("x509", "-req", "-in", "tsa.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                     "-CAcreateserial", "-out", "tsa.pem", "-days", "30", "-extfile", "tsa.cnf",
                     "-extensions", "ext")  # fmt: skip

    def openssl(self, *words: str) -> str:
        done = subprocess.run(["openssl", *words], cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def reply(self, request: bytes) -> bytes:
        (self.folder / "q.tsq").write_bytes(request)
        self.openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "q.tsq", "-out", "r.tsr")
        return (self.folder / "r.tsr").read_bytes()

    @property
    def root(self) -> bytes:
        return (self.folder / "ca.pem").read_bytes()


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tsa") / "a")


def test_a_stamp_by_openssl_holds_and_openssl_agrees(authority):
    stamp = authority.reply(timestamps.query(TAGS))
    moment = timestamps.check(stamp, TAGS, [authority.root], "r.tsr")
    assert abs(moment - datetime.datetime.now(datetime.UTC)) < datetime.timedelta(minutes=5)
    (authority.folder / "tags").write_bytes(TAGS)
    authority.openssl("ts", "-verify", "-data", "tags", "-in", "r.tsr", "-CAfile", "ca.pem")


def test_a_stamp_over_other_bytes_does_not_hold(authority):
    stamp = authority.reply(timestamps.query(TAGS))
    with pytest.raises(TrustError, match="does not hold"):
        timestamps.check(stamp, TAGS + b"x", [authority.root], "r.tsr")


def test_a_stamp_by_another_authority_does_not_hold(authority, tmp_path):
    stamp = authority.reply(timestamps.query(TAGS))
    with pytest.raises(TrustError, match="does not hold"):
        timestamps.check(stamp, TAGS, [Authority(tmp_path / "other").root], "r.tsr")


def test_a_spoiled_stamp_is_refused(authority):
    stamp = bytearray(authority.reply(timestamps.query(TAGS)))
    for at in range(40, len(stamp), 97):
        spoiled = bytes([*stamp[:at], stamp[at] ^ 1, *stamp[at + 1 :]])
        with pytest.raises((TrustError, InputError)):
            timestamps.check(spoiled, TAGS, [authority.root], "r.tsr")


def test_garbage_and_silence_are_told_apart(authority):
    with pytest.raises(InputError, match="no time-stamp response"):
        timestamps.check(b"hello", TAGS, [authority.root], "r.tsr")
    with pytest.raises(InfraError, match="did not answer"):
        timestamps.ask("http://127.0.0.1:9/", b"x")


def test_the_verbs_get_and_check_a_stamp_of_a_bundle(authority, tmp_path, capsys):
    bundles.sign(bundles.files(tmp_path / "d"), tmp_path / "b")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            assert self.headers["content-type"] == "application/timestamp-query"
            data = authority.reply(body)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *words: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    stamp, root = str(tmp_path / "b.tsr"), str(authority.folder / "ca.pem")
    assert main(["timestamp", "get", str(tmp_path / "b"), stamp, "--url", url]) == 0
    assert main(["timestamp", "check", str(tmp_path / "b"), stamp, "--root", root]) == 0
    assert "this bundle existed on" in capsys.readouterr().out
    assert main(["timestamp", "get", str(tmp_path / "b"), stamp]) == 2
    server.shutdown()
