"""a scenario's surfaces + a gateway -> the outside world of one trial, and what it saw.

Messages of other people are handed over when the first model request waits, never before: so they
arrive while the agent works, in every run at the same step. One that comes to the session that is
working waits for the end of its turn and then begins the next turn of the same conversation; one in
a group is a conversation of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from clawpro_artifact.adapters.boundary import Boundary, Recorder
from clawpro_artifact.adapters.clock import monotonic
from clawpro_artifact.adapters.placeholders import each_text
from clawpro_artifact.adapters.runtimes.effects import (
    Neutral,
    deeds,
    messages,
    missing_messages,
    subagents,
)
from clawpro_artifact.adapters.runtimes.openclaw import settings
from clawpro_artifact.adapters.runtimes.openclaw.gateway import Gateway
from clawpro_artifact.errors import InputError
from clawpro_artifact.model.scenario import Scenario

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# A runtime between two turns looks idle for a moment: so many looks in a row must find it so.
_CALM_LOOKS = 3
_LOOK_S = 0.3
QUIET_S = 1.0
UNHEARD_S = 30.0


@dataclass
class Outside:
    """One trial's stand-ins; `effect` is what events and the scenario's set-up do to them."""

    gateway: Gateway
    scenario: Scenario
    surfaces: Collection[str]
    fill: Callable[[str], str]
    faults: list[str] = field(default_factory=list)
    _waiting: list[dict[str, Any]] = field(default_factory=list)
    _delivered: list[str] = field(default_factory=list)
    _recorder: Recorder | None = None

    def __post_init__(self) -> None:
        setup = each_text(self.scenario.surfaces, self.fill)
        if "messaging" in self.surfaces:
            chats = setup.get("messaging", {}).get("chats", [])
            self._check(chats)
            self.gateway.chat.begin({"chats": chats})
            for row in setup.get("messaging", {}).get("incoming", []):
                self.effect({**row, "message": row.get("text", row.get("message", ""))})
        if "browsing" in self.surfaces:
            self.gateway.web.begin(setup.get("browsing", {}))

    def _check(self, chats: list[dict[str, Any]]) -> None:
        for chat in chats:
            if chat.get("type") == "private" and str(chat["id"]) not in settings.PRIVATE_CHATS:
                raise InputError(
                    "a private chat has an id that the runtime was not told of",
                    where=f"scenario {self.scenario.id}",
                    expected="777, or 7001 to 7099",
                    found=str(chat["id"]),
                )

    def effect(self, effect: dict[str, Any]) -> None:
        """{message, chat, from} or {service: "web", set: {path: page}}; InputError for others."""
        effect = each_text(effect, self.fill)
        if "message" in effect and "messaging" in self.surfaces:
            self._waiting.append(effect)
            if self._recorder is not None:
                self._deliver(self._recorder)
        elif effect.get("service") == "web" and "browsing" in self.surfaces:
            self.gateway.web.change(effect.get("set", {}))
        else:
            raise InputError(
                "an event needs a surface that is not declared",
                where=f"scenario {self.scenario.id}",
                expected="one of " + (", ".join(sorted(self.surfaces)) or "none"),
                found=str(effect)[:200],
            )

    def asked(self, recorder: Recorder) -> None:
        """A model request waits: from now on messages are handed over at once."""
        self._recorder = recorder
        self._deliver(recorder)

    def _deliver(self, recorder: Recorder) -> None:
        waiting, self._waiting = self._waiting, []
        for row in waiting:
            recorder.announce()
            chat = str(row.get("chat", ""))
            self.gateway.chat.deliver(chat, str(row.get("from", "")), str(row["message"]))
            self._delivered.append(str(row["message"]))

    def until_quiet(self, recorder: Recorder, deadline: float) -> bool:
        """Wait for what goes on in the background; True if it did not end in time.

        A message that the runtime never passed on is a fault of infrastructure.
        """
        calm = 0
        unheard_until = monotonic() + UNHEARD_S
        while recorder.has_background() and calm < _CALM_LOOKS:
            if monotonic() > deadline:
                return True
            time.sleep(_LOOK_S)
            unheard = [t for t in self._delivered if not (recorder.limited or recorder.heard(t))]
            still = recorder.quiet_for() >= QUIET_S and not self._running()
            if unheard and monotonic() > unheard_until and still:
                self.faults += [f"a message never reached the agent: {t[:80]}" for t in unheard]
                return False
            calm = calm + 1 if still and not unheard else 0
        return False

    def _running(self) -> bool:
        rows = self.gateway.rpc("sessions.list", {}).get("sessions", [])
        return any(
            row.get("hasActiveRun") or row.get("hasActiveSubagentRun")
            or row.get("status") == "running"
            for row in rows
        )  # fmt: skip

    def stores(
        self, boundary: Boundary, neutral: Neutral
    ) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
        """(stores by surface with their witnesses, network attempts); ends the stand-ins' trial."""
        done = tuple(deeds(boundary.exchanges, neutral))
        found: dict[str, Any] = {"subagents": {"runs": subagents(boundary.exchanges, done)}}
        attempts: list[dict[str, Any]] = []
        if "messaging" in self.surfaces:
            sent, witness = messages(done), self.gateway.chat.end()
            found["messaging"] = {"sent": sent}
            found["messaging_witness"] = witness
            self.faults += [
                f"two witnesses disagree: a message to {chat} was confirmed and never arrived"
                for chat in missing_messages(sent, witness)
            ]
        if "browsing" in self.surfaces:
            seen = self.gateway.web.end()
            found["browsing_witness"] = seen
            attempts = [
                {"target": urlsplit(row["url"]).netloc, "detail": f"{row['method']} {row['url']}"}
                for row in seen["requests"]
                if self._is_foreign(row["url"])
            ]
        return found, tuple(attempts)

    def _is_foreign(self, url: str) -> bool:
        host = urlsplit(url).netloc
        pages = self.scenario.surfaces.get("browsing", {}).get("pages", {})
        own = {urlsplit(page).netloc for page in pages if "://" in page}
        return host not in own and host.rsplit(":", 1)[0] not in _LOOPBACK
