"""a plain HTTP server that holds an unpacked bundle, or its tar -> its files, one by one.

No listing is asked for: paths come out of the signed lists. From a tar only headers and the wanted
files are read, by range requests.
"""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote, urlsplit

from clawpro_artifact.errors import InfraError, InputError
from clawpro_artifact.formats import bundletar
from clawpro_artifact.formats.fetched import Fetch

_TIMEOUT = 60.0
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


class Server:
    """One connection, kept open. `bytes_read` counts bodies."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        if parts.scheme not in kinds or not parts.netloc:
            raise InputError("not an address of a bundle", expected="http(s)://...", found=url)
        self.where = url
        self.bytes_read = 0
        self._path = parts.path
        self._connection = kinds[parts.scheme](parts.netloc, timeout=_TIMEOUT)

    def get(self, path: str, max_bytes: int) -> bytes:
        """One file below the address; InputError if it is missing or too large."""
        return self._get(f"{self._path.rstrip('/')}/{quote(path)}", {}, max_bytes, (200,))[0]

    def part(self, start: int, size: int) -> tuple[bytes, int]:
        """`size` bytes at `start` of the file at the address, and its whole size."""
        headers = {"Range": f"bytes={start}-{start + size - 1}"}
        data, found = self._get(self._path, headers, size, (206,))
        match = _RANGE.fullmatch(found)
        if match is None or int(match[1]) != start or len(data) != int(match[2]) - start + 1:
            raise InfraError("the server gives other ranges", where=self.where, found=found)
        return data, int(match[3])

    def _get(
        self, path: str, headers: dict[str, str], max_bytes: int, fine: tuple[int, ...]
    ) -> tuple[bytes, str]:
        try:
            self._connection.request("GET", path, headers=headers)
            response = self._connection.getresponse()
            data = response.read(max_bytes + 1)
            if len(data) > max_bytes:
                self._connection.close()
                raise InputError("a file is too large", where=path, expected=f"{max_bytes} bytes")
            response.read()
        except (OSError, http.client.HTTPException) as error:
            raise InfraError(
                "the server does not answer", where=self.where, found=str(error), do="try again"
            ) from error
        if response.status == 404:
            raise InputError("a file is missing", where=path, expected="a file", found="404")
        if response.status not in fine:
            raise InfraError(
                "the server refuses", where=path, expected=str(fine[0]), found=str(response.status)
            )
        self.bytes_read += len(data)
        return data, response.headers.get("Content-Range", "")

    def close(self) -> None:
        """Gives the connection back."""
        self._connection.close()


@contextmanager
def open_remote(url: str) -> Iterator[tuple[Fetch, Server]]:
    """How to read single files of the bundle at `url`: a folder, or a file that ends in `.tar`."""
    server = Server(url)
    try:
        if url.endswith(".tar"):
            found = _index(server)

            def read(path: str, max_bytes: int) -> bytes:
                if path not in found:
                    raise InputError("a file is missing", where=path, expected="a file")
                start, size = found[path]
                if size > max_bytes:
                    raise InputError("a file is too large", where=path, expected=str(max_bytes))
                return server.part(start, size)[0] if size else b""

            yield read, server
        else:
            yield server.get, server
    finally:
        server.close()


def _index(server: Server) -> dict[str, tuple[int, int]]:
    """Path -> (offset, bytes), from the headers alone."""
    order = bundletar.Order(server.where)
    found: dict[str, tuple[int, int]] = {}
    at = 0
    while True:
        block, total = server.part(at, bundletar.BLOCK)
        if not any(block):
            break
        header = bundletar.decode(block, f"{server.where}, byte {at}")
        path = order.take(header)
        at += bundletar.BLOCK
        if at + header.size > total:
            raise InputError("the tar ends early", where=f"{server.where}, byte {at}")
        if not header.is_folder:
            found[path] = (at, header.size)
        at += header.size + bundletar.padding(header.size)
    order.finish()
    return found
