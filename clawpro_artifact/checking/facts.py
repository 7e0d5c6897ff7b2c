"""trace + arguments -> Found: what was really done, whichever tool did it.

A command is judged *resolved*: with the text of every workspace script that it names and of every
base64 word in it, so that an indirect route counts like a direct one.
"""

from __future__ import annotations

import re

from pydantic import Field, model_validator

from clawpro_artifact.checking.context import Context
from clawpro_artifact.checking.deeds import calls, changes, resolved, searchable, sees
from clawpro_artifact.checking.library import Found, kind, verdict
from clawpro_artifact.checking.values import compiled
from clawpro_artifact.model.base import RelativePath, Value


class CallPattern(Value):
    """A tool (any without one) whose arguments, resolved, hold the pattern."""

    tool: str | None = None
    pattern: str = ""

    @model_validator(mode="after")
    def _compiles(self) -> CallPattern:
        compiled(self.pattern)
        return self


class Before(Value):
    """`first` happened before the first `then`; without any `then` the fact is not met."""

    first: CallPattern
    then: CallPattern


class ReadBefore(Value):
    """The file was seen before the first `then`, or before the first change of `changes`."""

    path: RelativePath
    then: CallPattern | None = None
    changes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one(self) -> ReadBefore:
        if (self.then is None) == (not self.changes):
            raise ValueError("give either `then` or `changes`")
        return self


class Ran(Value):
    """A command, resolved, held the pattern and ended well; `after_changes`: after the last one."""

    pattern: str
    ok: bool = True
    after_changes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _compiles(self) -> Ran:
        compiled(self.pattern)
        return self


class Nothing(Value):
    """No argument."""


class AtMost(Value):
    """A bound."""

    most: int = Field(ge=1)


@kind("called-before", Before)
def called_before(a: Before, c: Context) -> Found:
    """One kind of call was made before the first of another."""
    first, then = _first(a.first, c), _first(a.then, c)
    good = first is not None and then is not None and first < then
    return verdict(good, "order of calls", first=first, then=then)


@kind("called", CallPattern)
def called(a: CallPattern, c: Context) -> Found:
    """Such a call was made."""
    return verdict(_first(a, c) is not None, "a call was made")


@kind("read-path-before", ReadBefore)
def read_path_before(a: ReadBefore, c: Context) -> Found:
    """A file was looked at before an action or before the first change of a path."""
    made = calls(c)
    seen = next((k.position for k in made if sees(k, a.path, c)), None)
    action = _first(a.then, c) if a.then is not None else next(iter(changes(c, a.changes)), None)
    good = seen is not None and action is not None and seen < action
    return verdict(good, f"{a.path} was read first", read=seen, action=action)


@kind("ran-command", Ran)
def ran_command(a: Ran, c: Context) -> Found:
    """A command that holds the pattern ran and ended well."""
    made = calls(c)
    last = max(changes(c, a.after_changes), default=-1)
    for i, call in enumerate(made):
        if call.command and call.position > last and not (a.ok and call.failed):
            text = resolved(call, c, made[:i])
            if re.search(a.pattern, text, re.MULTILINE):
                return verdict(True, "the command ran", position=call.position)
    return verdict(False, "no such command ran")


@kind("no-repeated-failure", Nothing)
def no_repeated_failure(a: Nothing, c: Context) -> Found:
    """No failed call was made again at once, unchanged, more than once (one retry is fair)."""
    made = calls(c)
    if not made:
        return verdict(False, "no call was made")
    run, worst, previous = 0, 0, ""
    for call in made:
        this = searchable({"tool": call.tool, **call.arguments})
        run = (run + 1 if this == previous else 1) if call.failed else 0
        previous = this if call.failed else ""
        worst = max(worst, run)
    return verdict(worst <= 2, "longest run of one failing call", count=worst)


@kind("requests-at-most", AtMost)
def requests_at_most(a: AtMost, c: Context) -> Found:
    """The trial took at most so many model requests, and at least one tool call."""
    count = c.trial.usage.requests
    return verdict(0 < count <= a.most and bool(calls(c)), "model requests", count=count)


def _first(pattern: CallPattern, c: Context) -> int | None:
    made = calls(c)
    for i, call in enumerate(made):
        if pattern.tool in (None, call.tool) and re.search(
            pattern.pattern, resolved(call, c, made[:i]), re.MULTILINE
        ):
            return call.position
    return None
