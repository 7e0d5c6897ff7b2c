"""one trial's requests + its model -> responses and Exchanges, within the trial's limits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from clawpro_artifact.adapters.boundary.conversations import Conversations, spoken, text_of
from clawpro_artifact.adapters.clock import monotonic
from clawpro_artifact.adapters.models.answer import Model, ModelAnswer, ModelFault
from clawpro_artifact.formats.portable import portable
from clawpro_artifact.model.manifest import Limits
from clawpro_artifact.model.trace import Exchange

# A request is held while the watch runs, so that what it does is done before the model answers.
Watch = Callable[[int, dict[str, Any], str], None]
LIMIT_TEXT = "[clawpro: the limit of this trial is reached]"


@dataclass(frozen=True)
class Boundary:
    """What one trial's boundary saw. `faults` are infrastructure, `limits` the trial's own."""

    exchanges: tuple[Exchange, ...]
    limits: tuple[dict[str, Any], ...]
    faults: tuple[str, ...]


@dataclass
class Recorder:
    """Serves one trial. `watch(number, request, conversation)` is told before each answer."""

    model: Model
    limits: Limits
    watch: Watch = lambda number, request, conversation: None
    _started: float = field(default_factory=monotonic)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _conversations: Conversations = field(default_factory=Conversations)
    _exchanges: dict[int, Exchange] = field(default_factory=dict)
    _limits: list[dict[str, Any]] = field(default_factory=list)
    _faults: list[str] = field(default_factory=list)
    _open: int = 0
    _numbers: int = 0
    _last: float = field(default_factory=monotonic)
    _output_tokens: int = 0

    def answer(self, request: dict[str, Any]) -> ModelAnswer:
        """The model's answer to one request; recorded before it is given."""
        begun = self._ms()
        with self._lock:
            number = self._numbers
            self._numbers += 1
            self._open += 1
            conversation, expected, again = self._conversations.place(request)
            position = conversation.answered - (1 if again and conversation.answered else 0)
        try:
            self.watch(number, request, conversation.name)
            limit = self._limit(number)
            if limit is not None:
                answer = ModelAnswer(text=LIMIT_TEXT, finish="stop", fault=None)
            else:
                answer = self.model.answer(request, conversation.name, position)
        except Exception as error:  # a bug of ours must not look like the agent's doing
            answer = ModelAnswer(fault=ModelFault(500, f"{type(error).__name__}: {error}", True))
        with self._lock:
            if answer.fault is None:
                conversation.answered = position + 1
                self._conversations.note_calls([c.name for c in answer.calls])
                self._output_tokens += _output_tokens(answer)
            elif answer.fault.infrastructure:
                self._faults.append(answer.fault.message)
            self._exchanges[number] = Exchange(
                number=number,
                conversation=conversation.name,
                request=portable(request),
                response=None if answer.fault else portable(answer.as_message()),
                status=answer.fault.status if answer.fault else 200,
                error=_error(answer),
                started_ms=begun,
                ended_ms=self._ms(),
                continues=expected,
            )
            self._open -= 1
            self._last = monotonic()
        return answer

    def dropped(self, number_text: str) -> None:
        """The runtime went away before it had its answer: a fact for the record."""
        with self._lock:
            self._faults.append(f"connection dropped: {number_text}")

    def quiet_for(self) -> float:
        """Seconds since the last answer; 0 while a request is open."""
        with self._lock:
            return 0.0 if self._open else monotonic() - self._last

    @property
    def requests(self) -> int:
        """How many requests came so far."""
        with self._lock:
            return self._numbers

    def tool_results(self, request: dict[str, Any], conversation: str) -> int:
        """Tool results so far, over all conversations, the waiting `request` included."""
        with self._lock:
            best: dict[str, int] = {conversation: _results(request)}
            for e in self._exchanges.values():
                best[e.conversation] = max(best.get(e.conversation, 0), _results(e.request))
            return sum(best.values())

    def announce(self) -> None:
        """A message from outside is on its way to the agent."""
        with self._lock:
            self._conversations.announce()

    def has_background(self) -> bool:
        """Whether something may go on after the turn (a child, a message from outside)."""
        with self._lock:
            return self._conversations.spawned + self._conversations.announced > 0

    @property
    def limited(self) -> bool:
        """Whether a limit was reached: then the model says nothing more."""
        with self._lock:
            return bool(self._limits)

    def heard(self, text: str) -> bool:
        """Whether some request so far held this text as a user's."""
        with self._lock:
            latest = {e.conversation: e.request for e in self._exchanges.values()}
        return any(
            text in text_of(m)
            for request in latest.values()
            for m in spoken(request)
            if m.get("role") == "user"
        )

    def close(self) -> Boundary:
        """The record."""
        with self._lock:
            rows = tuple(self._exchanges[n] for n in sorted(self._exchanges))
            return Boundary(rows, tuple(self._limits), tuple(self._faults))

    def _limit(self, number: int) -> dict[str, Any] | None:
        checks = (
            ("requests", number, self.limits.requests),
            ("output_tokens", self._output_tokens, self.limits.output_tokens),
            ("wall_seconds", int(monotonic() - self._started), self.limits.wall_seconds),
        )
        for name, value, most in checks:
            if value >= most:
                found = {"limit": name, "value": most}
                with self._lock:
                    if found not in self._limits:
                        self._limits.append(found)
                return found
        return None

    def _ms(self) -> int:
        return int(1000 * (monotonic() - self._started))


def _output_tokens(answer: ModelAnswer) -> int:
    value = (answer.usage or {}).get("completion_tokens")
    return value if isinstance(value, int) else 0


def _error(answer: ModelAnswer) -> str | None:
    if answer.fault is not None:
        return answer.fault.message
    return "limit" if limit_of(answer) else None


def limit_of(answer: ModelAnswer) -> bool:
    """Whether the answer is the boundary's own, given at a limit."""
    return answer.fault is None and answer.text == LIMIT_TEXT


def _results(request: dict[str, Any]) -> int:
    return sum(1 for m in spoken(request) if m.get("role") == "tool")
