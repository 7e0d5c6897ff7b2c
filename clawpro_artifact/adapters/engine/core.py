"""docker SDK client -> Engine: images and containers, with our errors and our labels."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import docker
import requests
from docker.models.containers import Container

from clawpro_artifact.adapters.engine.containers import RUN_LABEL, Confinement, settings
from clawpro_artifact.adapters.engine.exits import Exit, classify
from clawpro_artifact.errors import InfraError

# A layer of 800 MB takes its time on a slow disk.
_TIMEOUT_S = 900
_LOADED = re.compile(r"Loaded image(?: ID)?: (\S+)")
_GONE = (docker.errors.NotFound,)
_FAILED = (docker.errors.DockerException, requests.exceptions.RequestException, OSError)


class Engine:
    """One reachable engine. `close` ends the connection, not the engine."""

    def __init__(self, address: str) -> None:
        self.address = address
        with _errors(address, "the container engine cannot be reached"):
            self.client = docker.DockerClient(base_url=address, timeout=_TIMEOUT_S)

    def close(self) -> None:
        """End the connection."""
        self.client.close()

    def image(self, reference: str) -> tuple[str, tuple[str, ...]] | None:
        """(ID, diff ids) of an image by tag or ID, or None."""
        with _errors(self.address, "the engine's images cannot be read"):
            try:
                found: Any = self.client.images.get(reference)
            except docker.errors.ImageNotFound:
                return None
        return str(found.attrs["Id"]), tuple(found.attrs["RootFS"].get("Layers") or ())

    def load(self, archive: Iterator[bytes]) -> str:
        """Load an archive of one image, streamed; its ID. InfraError with the engine's words."""
        with _errors(self.address, "the engine did not load the image"):
            sent: Any = self.client.api.load_image  # untyped in types-docker
            rows = list(sent(archive, quiet=True) or ())
            said = "".join(str(row.get("stream") or row.get("error") or "") for row in rows)
            match = _LOADED.search(said)
            if match is None or any("error" in row for row in rows):
                raise InfraError(
                    "the engine did not load the image", where=self.address, found=said or "nothing"
                )
            found: Any = self.client.images.get(match[1])
        return str(found.attrs["Id"])

    def tag(self, image_id: str, tag: str) -> None:
        """Name an image."""
        name, _, version = tag.rpartition(":")
        with _errors(self.address, "the engine did not tag the image"):
            self.client.images.get(image_id).tag(name, tag=version)

    def forget(self, image_id: str) -> None:
        """Remove an image unless it has a name; one that is in use or gone is left as it is."""
        with contextlib.suppress(*_FAILED):
            if not self.client.images.get(image_id).tags:
                self.client.images.remove(image_id)

    def start(self, confinement: Confinement) -> Container:
        """Create and start a confined container; removed again if it does not start."""
        with _errors(self.address, "the container cannot be created"):
            container = self.client.containers.create(**settings(confinement))
        try:
            container.start()
        except _FAILED as error:
            with contextlib.suppress(*_FAILED):
                container.remove(force=True)
            raise InfraError(
                "the container did not start", where=confinement.image, found=_words(error)
            ) from None
        return container

    def wait(self, container: Container, seconds: float) -> Exit:
        """Wait for the end; at the limit the container is killed and the exit says `timeout`."""
        timed_out = False
        try:
            container.wait(timeout=seconds)
        except requests.exceptions.ReadTimeout:
            timed_out = True
        except requests.exceptions.ConnectionError as error:
            # requests tells a read time-out while streaming as a broken connection.
            if "timed out" not in str(error).lower():
                raise InfraError(
                    "the engine went away", where=self.address, found=_words(error)
                ) from None
            timed_out = True
        if timed_out:
            with contextlib.suppress(docker.errors.APIError):
                container.kill()
            with _errors(self.address, "a container cannot be stopped"):
                container.wait(timeout=60)
        with _errors(self.address, "a container cannot be inspected"):
            container.reload()
        return classify(container.attrs["State"], timed_out=timed_out)

    def run(self, confinement: Confinement, seconds: float) -> tuple[Exit, bytes, bytes]:
        """Run to the end: (exit, stdout, stderr); the container is gone afterwards."""
        container = self.start(confinement)
        try:
            ended = self.wait(container, seconds)
            with _errors(self.address, "a container's output cannot be read"):
                out = container.logs(stdout=True, stderr=False)
                err = container.logs(stdout=False, stderr=True)
            return ended, bytes(out), bytes(err)
        finally:
            self.remove(container)

    def remove(self, container: Container) -> None:
        """Kill and remove; a container that is gone is fine."""
        with _errors(self.address, "a container cannot be removed"), contextlib.suppress(*_GONE):
            container.remove(force=True, v=True)

    def sweep(self, run: str | None = None) -> tuple[str, ...]:
        """Remove our containers: of one run, or of every run. The ids removed."""
        label = RUN_LABEL if run is None else f"{RUN_LABEL}={run}"
        with _errors(self.address, "the engine's containers cannot be listed"):
            found = self.client.containers.list(
                all=True, filters={"label": label}, ignore_removed=True
            )
        for container in found:
            self.remove(container)
        return tuple(str(c.id) for c in found)


@contextlib.contextmanager
def _errors(where: str, summary: str) -> Iterator[None]:
    try:
        yield
    except _FAILED as error:
        raise InfraError(
            summary, where=where, found=_words(error), do="run `clawpro doctor`"
        ) from None


def _words(error: BaseException) -> str:
    explanation = getattr(error, "explanation", None)
    return str(explanation or error)[:600]
