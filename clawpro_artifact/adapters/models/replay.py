"""a cassette + a request -> the recorded answer; no model is asked.

The names that a runtime gives (ids of automations, browser tabs) are others in every run, and an
agent passes them back. Where a recorded request and the live one show different names at the same
place, the recorded answer is given with the live name. Whether the replay went as recorded is
judged afterwards, on clean evidence (`replaying`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clawpro_artifact.adapters.boundary.conversations import spoken
from clawpro_artifact.adapters.models.answer import ModelAnswer, ModelCall
from clawpro_artifact.formats.normal import GIVEN
from clawpro_artifact.model import canary
from clawpro_artifact.model.trace import Exchange

_MARKER = re.compile(r"\[\[canary:([a-z0-9.-]+?)(?::([a-z0-9-]+))?\]\]")
_NO_TOKENS = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


@dataclass
class ReplayModel:
    """Answers from the record by conversation and position; past its end, an empty text.

    `values`: canary name -> value in this trial, put where the shipped cassette has a marker.
    `renamed`: recorded name -> live name, where it is known from the start.
    """

    exchanges: Iterable[Exchange]
    recorded_name: str
    values: Mapping[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    _by: dict[str, list[Exchange]] = field(default_factory=dict)

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
        """What the recorded responses say: the record is of that model."""
        return self.recorded_name

    @property
    def secrets(self) -> tuple[str, ...]:
        """None: there is no endpoint."""
        return ()

    def answer(self, request: dict[str, Any], conversation: str, position: int) -> ModelAnswer:
        """Answer `position` of the conversation as recorded."""
        rows = self._by.get(conversation, [])
        if position >= len(rows):
            return ModelAnswer(model=self.name, usage=dict(_NO_TOKENS))
        recorded = rows[position]
        self._learn(recorded.request, request)
        return self._recorded(recorded.response or {})

    def _learn(self, recorded: Mapping[str, Any], live: Mapping[str, Any]) -> None:
        """Names at the same place of the same message; where their number differs, nothing."""
        for old, new in zip(spoken(recorded), spoken(live), strict=False):
            before = GIVEN.findall(json.dumps(old, sort_keys=True))
            after = GIVEN.findall(json.dumps(new, sort_keys=True))
            if len(before) == len(after):
                for one, other in zip(before, after, strict=True):
                    if one != other:
                        self.renamed.setdefault(one, other)

    def _text(self, text: str) -> str:
        text = _MARKER.sub(self._value, text)
        return GIVEN.sub(lambda m: self.renamed.get(m[0], m[0]), text) if self.renamed else text

    def _value(self, match: re.Match[str]) -> str:
        name, encoding = match[1], match[2] or "plain"
        if name not in self.values:
            return match[0]
        try:
            return canary.encoded(self.values[name], encoding)
        except KeyError:
            return match[0]

    def _recorded(self, response: dict[str, Any]) -> ModelAnswer:
        return ModelAnswer(
            text=self._text(response["text"]),
            calls=tuple(
                ModelCall(c["id"], c["name"], self._text(c["arguments"])) for c in response["calls"]
            ),
            finish=response["finish"],
            usage=response["usage"],
            model=response["model"],
            refusal=response.get("refusal"),
            reasoning=self._text(response.get("reasoning", "")),
        )
