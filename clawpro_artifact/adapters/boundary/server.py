"""HTTP on a unix socket -> Recorder: `/v1/chat/completions` (streamed or not) and `/v1/models`."""

from __future__ import annotations

import contextlib
import json
import socketserver
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, cast

from clawpro_artifact.adapters.boundary.recorder import Boundary, Recorder
from clawpro_artifact.adapters.models.answer import ModelAnswer
from clawpro_artifact.errors import InfraError

MAX_BODY = 64 << 20
# Linux: sun_path holds 108 bytes with the final NUL (unix(7)).
MAX_SOCKET_PATH = 107


class BoundaryServer:
    """Serves one trial at a time; requests between trials are counted and refused."""

    def __init__(self, socket: Path) -> None:
        if len(str(socket).encode()) > MAX_SOCKET_PATH:
            raise InfraError(
                "the path of the model socket is too long",
                where=str(socket),
                expected=f"at most {MAX_SOCKET_PATH} bytes",
                do="set TMPDIR to a shorter folder",
            )
        self.socket = socket
        self._recorder: Recorder | None = None
        self.strays = 0
        socket.unlink(missing_ok=True)
        self._server = _Server(str(socket), _Handler)
        self._server.boundary = self
        socket.chmod(0o666)  # the container's user is another one
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True
        )
        self._thread.start()

    def begin(self, recorder: Recorder) -> None:
        """From here on requests are of this trial."""
        self._recorder = recorder

    def end(self) -> Boundary:
        """The record of the trial; later requests are nobody's."""
        recorder, self._recorder = self._recorder, None
        assert recorder is not None, "end without begin"
        return recorder.close()

    @property
    def current(self) -> Recorder | None:
        """The trial that is served, if any."""
        return self._recorder

    def close(self) -> None:
        """Stop serving and remove the socket."""
        self._server.shutdown()
        self._server.server_close()
        with contextlib.suppress(OSError):
            self.socket.unlink(missing_ok=True)


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    boundary: BoundaryServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A runtime that hangs up is recorded by the handler, not printed."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def address_string(self) -> str:
        return "container"

    def log_message(self, format: str, *args: Any) -> None:
        return

    @property
    def boundary(self) -> BoundaryServer:
        return cast(_Server, self.server).boundary

    def do_GET(self) -> None:
        recorder = self.boundary.current
        name = recorder.model.name if recorder else "none"
        model = {"id": name, "object": "model", "created": 0, "owned_by": "clawpro"}
        self._json(200, {"object": "list", "data": [model]})

    def do_POST(self) -> None:
        recorder = self.boundary.current
        if recorder is None:
            self.boundary.strays += 1
            self._json(503, {"error": {"message": "no trial is served", "type": "clawpro"}})
            return
        request = self._body()
        if request is None:
            self._json(400, {"error": {"message": "not a JSON object", "type": "clawpro"}})
            return
        answer = recorder.answer(request)
        try:
            if answer.fault is not None:
                message = {"message": answer.fault.message, "type": "clawpro"}
                self._json(answer.fault.status, {"error": message})
            elif request.get("stream"):
                self._stream(answer)
            else:
                self._json(200, answer.as_completion())
        except OSError as error:
            recorder.dropped(type(error).__name__)

    def _body(self) -> dict[str, Any] | None:
        try:
            size = int(self.headers.get("content-length", ""))
            if not 0 <= size <= MAX_BODY:
                return None
            value = json.loads(self.rfile.read(size))
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def _json(self, status: int, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, answer: ModelAnswer) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        # Framed and not ended by closing: relays and old runtimes take a close for a broken answer.
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for chunk in answer.as_chunks():
            self.wfile.write(_chunk(b"data: " + json.dumps(chunk).encode() + b"\n\n"))
        # In one write: a runtime may hang up once it has read [DONE], and has then lost nothing.
        self.wfile.write(_chunk(b"data: [DONE]\n\n") + _chunk(b""))


def _chunk(data: bytes) -> bytes:
    """RFC 9112 section 7.1; an empty one ends the answer."""
    return b"%x\r\n%s\r\n" % (len(data), data)
