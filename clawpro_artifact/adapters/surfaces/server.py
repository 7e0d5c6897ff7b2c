"""HTTP requests on a unix socket -> a function; the ground under every stand-in of a surface.

The stand-ins live outside the container: what the agent runs cannot touch their records.
"""

from __future__ import annotations

import contextlib
import socketserver
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, cast

MAX_BODY = 32 << 20


@dataclass(frozen=True)
class Request:
    """One request; `target` is the path with its query, or a whole URL where we are a proxy."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """What is answered."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


Answer = Callable[[Request], Reply]


class SurfaceServer:
    """Serves `answer` at `socket` until closed."""

    def __init__(self, socket: Path, answer: Answer) -> None:
        self.socket = socket
        self.answer = answer
        socket.unlink(missing_ok=True)
        self._server = _Server(str(socket), _Handler)
        self._server.surface = self
        socket.chmod(0o666)  # the container's user is another one
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True
        ).start()

    def close(self) -> None:
        """Stop serving and remove the socket."""
        self._server.shutdown()
        self._server.server_close()
        with contextlib.suppress(OSError):
            self.socket.unlink(missing_ok=True)


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    surface: SurfaceServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def address_string(self) -> str:
        return "container"

    def log_message(self, format: str, *args: Any) -> None:
        return

    def _serve(self) -> None:
        length = self.headers.get("content-length") or "0"
        size = int(length) if length.isdigit() else MAX_BODY + 1
        if size > MAX_BODY:
            self._reply(Reply(413))
            return
        headers = {name.lower(): text for name, text in self.headers.items()}
        request = Request(self.command, self.path, headers, self.rfile.read(size))
        self._reply(cast(_Server, self.server).surface.answer(request))

    def _reply(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, text in reply.headers.items():
            self.send_header(name, text)
        self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def __getattr__(self, name: str) -> Any:
        # `http.server` looks for `do_` and the method: all are answered alike.
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)
