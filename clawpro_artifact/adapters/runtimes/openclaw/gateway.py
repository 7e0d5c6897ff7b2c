"""image + folders -> a confined container with a running gateway, asked over its control socket."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters import unixhttp
from clawpro_artifact.adapters.boundary import BoundaryServer
from clawpro_artifact.adapters.clock import monotonic
from clawpro_artifact.adapters.engine import Bind, Confinement, Engine, with_init
from clawpro_artifact.adapters.runtimes.openclaw import settings
from clawpro_artifact.adapters.surfaces.browsing import WebService
from clawpro_artifact.adapters.surfaces.messaging import ChatService
from clawpro_artifact.adapters.surfaces.server import SurfaceServer
from clawpro_artifact.errors import InfraError
from clawpro_artifact.model.image import HARNESS, SPACE

OWNER = 10001
READY_SECONDS = 180
_BOUNDARY = "/clawpro/boundary"
# Where building.layers puts them.
_NODE = "/usr/local/bin/node"
_OPENCLAW = "/opt/openclaw/node_modules/openclaw/openclaw.mjs"


class Gateway:
    """One container and its folders below `root` (a short path: sockets live there)."""

    def __init__(
        self,
        engine: Engine,
        image: str,
        version: str,
        surfaces: Collection[str],
        run: str,
        root: Path,
        *,
        as_it_comes: bool = False,
    ) -> None:
        self.root = root
        self.space = root / "work" / "space"
        self.state = root / "work" / "state"
        self.home = root / "work" / "home"
        self.tmp = root / "work" / "tmp"
        self.token = secrets.token_hex(16)
        self._engine = engine
        for folder in (self.space, self.state, self.home, self.tmp):
            folder.mkdir(parents=True)
            os.chown(folder, OWNER, OWNER)
        self.tmp.chmod(0o1777)
        os.chown(root / "work", OWNER, OWNER)
        document = settings.document(version, surfaces, self.token, as_it_comes=as_it_comes)
        config = self.state / "openclaw.json"
        config.write_text(json.dumps(document, indent=1))
        config.chmod(0o600)
        os.chown(config, OWNER, OWNER)
        boundary, control = root / "b", root / "c"
        boundary.mkdir(mode=0o755)
        control.mkdir(mode=0o777)
        control.chmod(0o777)
        self.boundary = BoundaryServer(boundary / "m.sock")
        self.chat, self.web = ChatService(), WebService()
        relays = {settings.MODEL_PORT: f"{_BOUNDARY}/m.sock"}
        self._surfaces: list[SurfaceServer] = []
        if "messaging" in surfaces:
            self._surfaces.append(SurfaceServer(boundary / "t.sock", self.chat.answer))
            relays[settings.CHAT_PORT] = f"{_BOUNDARY}/t.sock"
        if "browsing" in surfaces:
            self._surfaces.append(SurfaceServer(boundary / "w.sock", self.web.answer))
            relays[settings.WEB_PORT] = f"{_BOUNDARY}/w.sock"
        self._control = control / "c.sock"
        command = with_init(
            (_NODE, f"{HARNESS}/host.mjs", _NODE, _OPENCLAW,
             "gateway", "run", "--port", str(settings.GATEWAY_PORT), "--bind", "loopback")
        )  # fmt: skip
        browser = "browsing" in surfaces
        self._container = engine.start(
            Confinement(
                image=image,
                run=run,
                command=command,
                binds=(
                    Bind(root / "work", "/work", writable=True),
                    Bind(self.tmp, "/tmp", writable=True),
                    Bind(boundary, _BOUNDARY),
                    Bind(control, "/clawpro/control", writable=True),
                ),
                environment=settings.environment(
                    self.token, relays, "/clawpro/control/c.sock", surfaces
                ),
                working_dir=SPACE,
                memory="4g" if browser else "2g",
                pids=512 if browser else 256,
                tmpfs=(),
            )
        )

    @property
    def image_id(self) -> str:
        """The ID of the image that the container really runs."""
        return str(self._container.attrs["Image"])

    def wait_ready(self) -> None:
        """Until the gateway says that it is ready; InfraError with its last words otherwise."""
        end = monotonic() + READY_SECONDS
        while monotonic() < end:
            if not self.alive():
                break
            try:
                self.rpc("sessions.list", {})
                return
            except InfraError:
                time.sleep(0.3)
        raise InfraError(
            "the gateway did not become ready",
            where=f"container {self._container.short_id}",
            expected=f"an answer within {READY_SECONDS} s",
            found=self.logs(1200) or "no output",
        )

    def alive(self) -> bool:
        """Whether the container runs."""
        try:
            self._container.reload()
        except Exception:
            return False
        return bool(self._container.status == "running")

    def logs(self, most: int) -> str:
        """The last characters of what the gateway printed."""
        try:
            return bytes(self._container.logs(tail=60)).decode("utf-8", "replace")[-most:]
        except Exception:
            return ""

    def pids(self) -> dict[int, str]:
        """Processes in the container by pid on this machine, with their start time (ps)."""
        table = self._container.top(ps_args="-eo pid,lstart,cmd")
        # Docker splits a row into words, Podman 4.3 leaves it whole.
        rows = (" ".join(row).split() for row in table["Processes"])
        return {int(row[0]): " ".join(row[1:6]) for row in rows}

    def turn(self, session: str, prompt: str, seconds: float) -> tuple[int, Any]:
        """One user message in a session: (HTTP status, document). InfraError without an answer."""
        body = {
            "model": "openclaw/main",
            "messages": [{"role": "user", "content": prompt}],
        }
        headers = {"x-openclaw-agent-id": "main", "x-openclaw-session-key": session}
        return self._post("/v1/chat/completions", body, headers, seconds)

    def rpc(self, method: str, params: dict[str, Any]) -> Any:
        """The payload of one gateway RPC."""
        status, value = self._post("/clawpro/rpc", {"method": method, "params": params}, {}, 40)
        if status != 200 or not isinstance(value, dict) or "payload" not in value:
            raise InfraError(f"the gateway refused {method}", found=str(value)[:300])
        return value["payload"]

    def _post(
        self, path: str, body: dict[str, Any], headers: dict[str, str], seconds: float
    ) -> tuple[int, Any]:
        auth = {"authorization": f"Bearer {self.token}"}
        return unixhttp.post(self._control, path, body, {**auth, **headers}, seconds)

    def close(self) -> None:
        """Remove the container and stop the boundary."""
        try:
            self._engine.remove(self._container)
        finally:
            self.boundary.close()
            for server in self._surfaces:
                server.close()
