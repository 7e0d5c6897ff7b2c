"""Policy + request -> the next step of the policy: the scripted model, labelled as such."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from clawpro_artifact.adapters.boundary.conversations import spoken, text_of
from clawpro_artifact.adapters.models.answer import ModelAnswer, ModelCall, ModelFault, json_text
from clawpro_artifact.adapters.placeholders import each_text, with_references
from clawpro_artifact.model.scenario import Policy, PolicyStep

_OPENING = re.compile(r"[{\[]")
_RESULT = re.compile(r"\{\{result:(\d+)(?::(/[^}]*))?\}\}")
Names = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]


class ScriptedModel:
    """Plays one policy. It is no model: every output that shows it says `scripted`.

    `fill` puts canary values into a text; `names` maps a neutral tool call to the runtime's.
    `{{result:N}}` or `{{result:N:/json/pointer}}` in a string is the text (or a value in the JSON)
    of tool result N of this conversation, counted from 0; `{{ref:ROLE "NAME"}}` is an element of
    the latest page snapshot.
    """

    def __init__(self, name: str, policy: Policy, fill: Callable[[str], str], names: Names) -> None:
        self._name = name
        self._policy = policy
        self._fill = fill
        self._names = names
        self._children: dict[str, tuple[PolicyStep, ...]] = {}

    @property
    def name(self) -> str:
        """Begins with `scripted`."""
        return self._name

    @property
    def secrets(self) -> tuple[str, ...]:
        """None: there is no endpoint."""
        return ()

    def answer(self, request: dict[str, Any], conversation: str, position: int) -> ModelAnswer:
        """Step `position` of the conversation's steps; an empty text when they are used up."""
        steps = self._steps(request, conversation)
        if steps is None:
            return ModelAnswer(text="I have no part in this.", usage=_USAGE, model=self._name)
        if position >= len(steps):
            return ModelAnswer(usage=_USAGE, model=self._name)
        step = steps[position]
        results = [text_of(m) for m in spoken(request) if m.get("role") == "tool"]
        try:
            calls = tuple(
                self._call(call.tool, call.arguments, f"{conversation}-{position}-{i}", results)
                for i, call in enumerate(step.calls)
            )
        except LookupError as error:
            return ModelAnswer(fault=ModelFault(500, f"policy: {error}", True))
        return ModelAnswer(
            text=self._fill(step.text),
            calls=calls,
            finish="tool_calls" if calls else "stop",
            usage=_USAGE,
            model=self._name,
        )

    def _steps(self, request: dict[str, Any], conversation: str) -> tuple[PolicyStep, ...] | None:
        if conversation == "main":
            return self._policy.steps
        if conversation not in self._children:
            said = "\n".join(text_of(m) for m in spoken(request) if m.get("role") == "user")
            for marker, steps in self._policy.subagents.items():
                if marker in said:
                    self._children[conversation] = steps
                    break
            else:
                return None
        return self._children[conversation]

    def _call(
        self, tool: str, arguments: dict[str, Any], call_id: str, results: list[str]
    ) -> ModelCall:
        filled = {k: self._filled(v, results) for k, v in arguments.items()}
        name, mapped = self._names(tool, filled)
        safe = re.sub(r"[^a-zA-Z0-9]", "", call_id)
        return ModelCall(id=f"call{safe}", name=name, arguments=json_text(mapped))

    def _filled(self, value: Any, results: list[str]) -> Any:
        def one(text: str) -> str:
            text = _RESULT.sub(lambda m: _result(results, m), self._fill(text))
            return with_references(text, results)

        return each_text(value, one)


# A scripted model has no tokens; the numbers are what a runtime needs to go on, and are constant.
_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _result(results: list[str], match: re.Match[str]) -> str:
    number, pointer = int(match[1]), match[2]
    if number >= len(results):
        raise LookupError(f"result {number} is not there yet ({len(results)} are)")
    if pointer is None:
        return results[number]
    for value in _documents(results[number]):
        try:
            for part in pointer.split("/")[1:]:
                value = value[int(part)] if isinstance(value, list) else value[part]
        except (ValueError, KeyError, IndexError, TypeError):
            continue
        return value if isinstance(value, str) else json_text(value)
    raise LookupError(f"result {number} has nothing at {pointer}")


def _documents(text: str) -> Iterator[Any]:
    """JSON documents in a text from left to right; tools put words of their own around them."""
    at = 0
    while (match := _OPENING.search(text, at)) is not None:
        try:
            value, at = json.JSONDecoder().raw_decode(text, match.start())
        except ValueError:
            at = match.start() + 1
        else:
            yield value
