"""One trial is verified from a plain HTTP server: an unpacked bundle, or its tar by ranges."""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from clawpro_artifact import bundling
from clawpro_artifact.adapters.remote import open_remote
from clawpro_artifact.errors import InfraError, InputError
from clawpro_artifact.formats import trust
from clawpro_artifact.verifying.partial import verify_trial
from tests import bundles

TRIAL = "claw-reference/tidy-notes/1"
TRUST = trust.of_keys([bundles.ALICE.public])


class Handler(http.server.SimpleHTTPRequestHandler):
    """Python's file server, with the one thing that it lacks: ranges."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if match is None:
            super().do_GET()
            return
        data = Path(self.translate_path(self.path)).read_bytes()
        start, end = int(match[1]), min(int(match[2]), len(data) - 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{end}/{len(data)}")
        self.send_header("Content-Length", str(end - start + 1))
        self.end_headers()
        self.wfile.write(data[start : end + 1])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("served")
    files = bundles.files(place / "definitions")
    files["data/images/openclaw-2026.9.6/layer"] = bytes(8 << 20)
    bundles.sign(files, place / "bundle")
    bundling.write_tar(place / "bundle", place / "bundle.tar")
    return place


@pytest.fixture(scope="module")
def url(place: Path) -> Iterator[str]:
    def handler(*arguments: object) -> Handler:
        return Handler(*arguments, directory=str(place))  # type: ignore[arg-type]

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)  # type: ignore[arg-type]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("form", ["bundle", "bundle.tar"])
def test_one_trial_is_verified_from_a_server(url: str, form: str) -> None:
    with open_remote(f"{url}/{form}") as (fetch, server):
        verdict, read = verify_trial(fetch, TRIAL, TRUST)
    assert verdict.answer == "yes", verdict.findings
    assert read <= server.bytes_read < (8 << 20) / 50


def test_a_changed_trace_on_the_server_is_refused(
    url: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place / "bundle/data/traces" / TRIAL / "events.jsonl"
    good = path.read_bytes()
    path.write_bytes(good.replace(b"shortened", b"lengthned"))
    try:
        with open_remote(f"{url}/bundle") as (fetch, _):
            verdict, _ = verify_trial(fetch, TRIAL, TRUST)
    finally:
        path.write_bytes(good)
    assert [(f.step, f.code) for f in verdict.findings if f.status == "failed"] == [
        (2, "digest-differs")
    ]


def test_a_missing_bundle_is_a_no(url: str) -> None:
    with open_remote(f"{url}/nothing") as (fetch, _):
        assert verify_trial(fetch, TRIAL, TRUST)[0].answer == "no"


def test_a_server_that_is_away_can_be_tried_again() -> None:
    with (
        pytest.raises(InfraError, match="does not answer"),
        open_remote("http://127.0.0.1:1/b") as (
            fetch,
            _,
        ),
    ):
        verify_trial(fetch, TRIAL, TRUST)


def test_another_scheme_is_refused() -> None:
    with pytest.raises(InputError, match="not an address"), open_remote("file:///etc"):
        pass
