"""value at a pointer + arguments -> Found: the assertions about values, shared by all formats."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from typing import Any

from pydantic import Field, model_validator

from clawpro_artifact.checking.library import Found, failed, verdict
from clawpro_artifact.checking.values import (
    MISSING,
    TextRule,
    brief,
    compiled,
    equal,
    get,
    key_of,
    number,
)
from clawpro_artifact.model.base import DecimalString, Value


class Assertion(Value):
    """Something said of the value at `pointer`.

    Where `value` is left out, a holdout scenario's expected.json gives it at the same pointer.
    """

    pointer: str = ""

    def judge(self, root: Any, expected_root: Any) -> Found:
        """Never raises on any plain JSON `root`."""
        raise NotImplementedError

    def _wanted(self, expected_root: Any) -> Any:
        if "value" in self.model_fields_set:
            return getattr(self, "value", None)
        return get(expected_root, self.pointer)


class Equals(Assertion):
    """The value equals the expected one, arrays in order."""

    value: Any = None
    text: TextRule = "exact"

    def judge(self, root: Any, expected_root: Any) -> Found:
        got, want = get(root, self.pointer), self._wanted(expected_root)
        good = got is not MISSING and equal(got, want, self.text)
        return verdict(good, f"value at '{self.pointer}'", expected=brief(want), found=brief(got))


class Number(Assertion):
    """The value is a number within `tolerance` (absolute) of the expected one."""

    value: float | None = None
    tolerance: DecimalString = "0"

    def judge(self, root: Any, expected_root: Any) -> Found:
        got, want = get(root, self.pointer), self._wanted(expected_root)
        a, b = number(got), number(want)
        good = a is not None and b is not None and abs(a - b) <= Decimal(self.tolerance)
        return verdict(
            good,
            f"number at '{self.pointer}' within {self.tolerance}",
            expected=brief(want),
            found=brief(got),
        )


class SetOf(Assertion):
    """The array holds the same elements in any order, each as often.

    `fields` compares objects by these fields alone.
    """

    value: list[Any] | None = None
    fields: list[str] | None = None
    text: TextRule = "exact"

    def judge(self, root: Any, expected_root: Any) -> Found:
        got, want = get(root, self.pointer), self._wanted(expected_root)
        if not isinstance(got, list) or not isinstance(want, list):
            return failed(f"no array at '{self.pointer}'", expected=brief(want), found=brief(got))
        have = Counter(self._key(e) for e in got)
        need = Counter(self._key(e) for e in want)
        lacks, extra = sorted((need - have).elements()), sorted((have - need).elements())
        return verdict(
            not lacks and not extra,
            f"elements at '{self.pointer}'",
            missing=brief(lacks),
            unexpected=brief(extra),
        )

    def _key(self, element: Any) -> str:
        if self.fields is None:
            return key_of(element, self.text)
        if not isinstance(element, dict):
            return "not an object: " + key_of(element)
        return key_of([element.get(f, "(missing)") for f in self.fields], self.text)


class OneOf(Assertion):
    """The value equals one of several right ones (a declared tie)."""

    values: list[Any]
    text: TextRule = "exact"

    def judge(self, root: Any, expected_root: Any) -> Found:
        got = get(root, self.pointer)
        good = got is not MISSING and any(equal(got, v, self.text) for v in self.values)
        return verdict(
            good, f"value at '{self.pointer}'", expected=brief(self.values), found=brief(got)
        )


class Absent(Assertion):
    """There is nothing at `pointer`."""

    def judge(self, root: Any, expected_root: Any) -> Found:
        got = get(root, self.pointer)
        return verdict(got is MISSING, f"nothing at '{self.pointer}'", found=brief(got))


class Keys(Assertion):
    """The object has exactly these keys (`value`, or the keys expected there)."""

    value: list[str] | None = None

    def judge(self, root: Any, expected_root: Any) -> Found:
        got, want = get(root, self.pointer), self._wanted(expected_root)
        if not isinstance(got, dict) or not isinstance(want, dict | list):
            return failed(f"no object at '{self.pointer}'", found=brief(got))
        lacks, extra = sorted(set(want) - set(got)), sorted(set(got) - set(want))
        return verdict(
            not lacks and not extra,
            f"keys at '{self.pointer}'",
            missing=brief(lacks),
            unexpected=brief(extra),
        )


class Matches(Assertion):
    """The string fits the whole pattern (identifiers and forms, never prose)."""

    pattern: str

    @model_validator(mode="after")
    def _compiles(self) -> Matches:
        compiled(self.pattern)
        return self

    def judge(self, root: Any, expected_root: Any) -> Found:
        got = get(root, self.pointer)
        good = isinstance(got, str) and re.fullmatch(self.pattern, got[:100_000]) is not None
        return verdict(good, f"string at '{self.pointer}'", expected=self.pattern, found=brief(got))


class Contains(Assertion):
    """The array (or the object's keys) holds `all` of these, `none` of those, at most `most`."""

    all: list[Any] = Field(default_factory=list)
    none: list[Any] = Field(default_factory=list)
    most: int | None = None
    text: TextRule = "exact"

    def judge(self, root: Any, expected_root: Any) -> Found:
        got = get(root, self.pointer)
        if not isinstance(got, list | dict):
            return failed(f"no array or object at '{self.pointer}'", found=brief(got))
        have = {key_of(e, self.text) for e in got}
        lacks = [v for v in self.all if key_of(v, self.text) not in have]
        extra = [v for v in self.none if key_of(v, self.text) in have]
        too_many = self.most is not None and len(got) > self.most
        return verdict(
            not lacks and not extra and not too_many,
            f"elements at '{self.pointer}'",
            missing=brief(lacks),
            forbidden=brief(extra),
            count=len(got),
        )


class Order(Assertion):
    """Each first element of a pair in `before` stands ahead of its second (many right orders)."""

    before: list[tuple[Any, Any]]
    key: str | None = None

    def judge(self, root: Any, expected_root: Any) -> Found:
        got = get(root, self.pointer)
        if not isinstance(got, list):
            return failed(f"no array at '{self.pointer}'", found=brief(got))
        if self.key is not None:
            got = [e.get(self.key) if isinstance(e, dict) else None for e in got]
        places = {key_of(e): i for i, e in reversed(list(enumerate(got)))}
        wrong = [
            [a, b]
            for a, b in self.before
            if key_of(a) not in places
            or key_of(b) not in places
            or places[key_of(a)] >= places[key_of(b)]
        ]
        if len(places) != len(got):
            return failed(f"an element stands twice at '{self.pointer}'")
        return verdict(not wrong, f"order at '{self.pointer}'", violated=brief(wrong))


ASSERTIONS: dict[str, type[Assertion]] = {
    "equals": Equals,
    "number": Number,
    "set": SetOf,
    "one-of": OneOf,
    "absent": Absent,
    "keys": Keys,
    "matches": Matches,
    "contains": Contains,
    "order": Order,
}
