"""(arguments, Context) -> Found: the registry of check kinds and what every kind stands on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from clawpro_artifact.checking.context import Context
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import documents
from clawpro_artifact.model.base import Value
from clawpro_artifact.model.trial import CheckStatus


@dataclass(frozen=True)
class Found:
    """What a kind found: a status, one line for people, and small plain-JSON evidence."""

    status: CheckStatus
    detail: str
    evidence: dict[str, Any] = field(default_factory=dict)


def passed(detail: str = "", **evidence: Any) -> Found:
    """The asserted thing is so; of a detector: the forbidden thing was found."""
    return Found("pass", detail, evidence)


def failed(detail: str, **evidence: Any) -> Found:
    """The asserted thing is not so."""
    return Found("fail", detail, evidence)


def verdict(good: bool, detail: str, **evidence: Any) -> Found:
    """`passed` or `failed` under one detail."""
    return Found("pass" if good else "fail", detail, evidence)


A = TypeVar("A", bound=Value)


@dataclass(frozen=True)
class Kind:
    """One kind of check: the model of its arguments and its total function."""

    name: str
    arguments: type[Value]
    judge: Callable[[Any, Context], Found]
    says: str


KINDS: dict[str, Kind] = {}


def kind(
    name: str, arguments: type[A]
) -> Callable[[Callable[[A, Context], Found]], Callable[[A, Context], Found]]:
    """Register a kind; the first line of its docstring tells authors what it asserts."""

    def register(judge: Callable[[A, Context], Found]) -> Callable[[A, Context], Found]:
        says = (judge.__doc__ or "").strip().splitlines()
        add(Kind(name, arguments, judge, says[0] if says else ""))
        return judge

    return register


def add(new: Kind) -> None:
    """Register a kind made by a loop over formats."""
    assert new.name not in KINDS, new.name
    KINDS[new.name] = new


def arguments_of(name: str, arguments: dict[str, Any], where: str) -> Value:
    """The typed arguments of kind `name`; InputError for an unknown kind or a wrong argument."""
    if name not in KINDS:
        raise InputError(
            "unknown kind of check",
            where=where,
            expected="one of " + ", ".join(sorted(KINDS)),
            found=name,
            do="see docs/authoring.md for the kinds",
        )
    return documents.load_value(KINDS[name].arguments, arguments, where)
