"""a cassette + a request -> the recorded answer; where the request is another one, a Departure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from clawpro_artifact.adapters.boundary.conversations import spoken
from clawpro_artifact.adapters.models.answer import ModelAnswer, ModelCall
from clawpro_artifact.adapters.models.normal import first_difference, normal
from clawpro_artifact.model.trace import Exchange


@dataclass(frozen=True)
class Departure:
    """The first place where a replayed request is not the recorded one; values are shortened.

    `kind`: `differs` (pointer, recorded, live), `more` (the live run asks on), and, told at the
    end of a trial, `fewer` (recorded requests were never made).
    """

    kind: str
    conversation: str
    position: int
    pointer: str = ""
    recorded: str = ""
    live: str = ""


@dataclass
class ReplayModel:
    """Answers from the record, never from a model. After a departure it goes on as recorded.

    `fill` puts a trial's values where the shipped cassette has markers (`[[canary:...]]`).
    """

    exchanges: Iterable[Exchange]
    recorded_name: str
    fill: Callable[[str], str] = lambda text: text
    departures: list[Departure] = field(default_factory=list)
    _by: dict[str, list[Exchange]] = field(default_factory=dict)
    _asked: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        last: dict[str, str] = {}
        for exchange in self.exchanges:
            if exchange.response is None:
                continue
            rows = self._by.setdefault(exchange.conversation, [])
            body = json.dumps(spoken(exchange.request), sort_keys=True)
            if last.get(exchange.conversation) == body and rows:
                rows.pop()  # a request asked again is answered as it was the last time
            rows.append(exchange)
            last[exchange.conversation] = body

    @property
    def name(self) -> str:
        """Says that nothing was asked anew."""
        return f"replay:{self.recorded_name}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """None: there is no endpoint."""
        return ()

    @property
    def departure(self) -> Departure | None:
        """The first one."""
        return self.departures[0] if self.departures else None

    def answer(self, request: dict[str, Any], conversation: str, position: int) -> ModelAnswer:
        """Answer `position` of the conversation as recorded; an empty text past its end."""
        rows = self._by.get(conversation, [])
        self._asked[conversation] = max(self._asked.get(conversation, 0), position + 1)
        if position >= len(rows):
            self.departures.append(Departure("more", conversation, position))
            return ModelAnswer(model=self.name, usage=dict(_NO_TOKENS))
        recorded = rows[position]
        found = first_difference(normal(self._filled(recorded.request)), normal(request))
        if found is not None:
            pointer, old, new = found
            row = Departure("differs", conversation, position, pointer, *_around(old, new))
            self.departures.append(row)
        return self._recorded(recorded.response or {})

    def finish(self) -> Departure | None:
        """After the trial: the first departure, requests that were never made included."""
        for conversation, rows in self._by.items():
            asked = self._asked.get(conversation, 0)
            if asked < len(rows):
                self.departures.append(Departure("fewer", conversation, asked))
        return self.departure

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.fill(value)
        if isinstance(value, list):
            return [self._filled(v) for v in value]
        if isinstance(value, dict):
            return {k: self._filled(v) for k, v in value.items()}
        return value

    def _recorded(self, response: dict[str, Any]) -> ModelAnswer:
        return ModelAnswer(
            text=self.fill(response["text"]),
            calls=tuple(
                ModelCall(c["id"], c["name"], self.fill(c["arguments"])) for c in response["calls"]
            ),
            finish=response["finish"],
            usage=response["usage"],
            model=response["model"],
            refusal=response.get("refusal"),
            reasoning=self.fill(response.get("reasoning", "")),
        )


_NO_TOKENS = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
_SHOWN = 300


def _around(old: Any, new: Any) -> tuple[str, str]:
    """Both sides as text, from a little before the first character that differs."""
    a, b = (v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in (old, new))
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y),
                min(len(a), len(b)))  # fmt: skip
    start = max(0, same - 60)
    return a[start : start + _SHOWN], b[start : start + _SHOWN]
