"""path of a unix socket -> an HTTP connection to what listens there."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clawpro_artifact.errors import InfraError


class UnixConnection(http.client.HTTPConnection):
    """`http.client` over AF_UNIX; `seconds` bounds each wait for bytes."""

    def __init__(self, path: Path, seconds: float) -> None:
        super().__init__("localhost", timeout=seconds)
        self._path = path

    def connect(self) -> None:
        """Called by `request`."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def post(
    socket_path: Path, url: str, body: Any, headers: Mapping[str, str], seconds: float
) -> tuple[int, Any]:
    """(status, JSON document) of one POST.

    Raises TimeoutError after `seconds` without a byte, InfraError where no HTTP or no JSON came.
    """
    connection = UnixConnection(socket_path, seconds)
    sent = {"content-type": "application/json", **headers}
    try:
        connection.request("POST", url, json.dumps(body), sent)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    except TimeoutError:
        raise
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise InfraError(
            "no answer on the socket", where=url, found=f"{type(error).__name__}: {error}"
        ) from None
    finally:
        connection.close()
