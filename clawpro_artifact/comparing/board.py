"""a published table, and its rows where there are any -> every figure that cannot be right.

Checked without trusting the publisher: figures of one line against each other (order, counts),
against the declared formula, against the rows, and against what must be there to read them at all.
Column names are those of ClawProBench's site; a column that is not there is not checked, and a rate
without its denominator is a finding.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from pathlib import Path

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import documents
from clawpro_artifact.scoring import clawprobench

_MOST = 1 << 28
_COUNTS = ("pass_0_of_3", "pass_1_of_3", "pass_2_of_3", "pass_3_of_3")
_RATES = ("strict_pass_rate", "unweighted_pass_at_k_all", "unweighted_pass_at_1",
          "unweighted_pass_at_k_any")  # fmt: skip
# OpenClaw's releases are YYYY.M.D; a patch may follow. Nothing was released before 2025.
_VERSION = re.compile(r"v?(\d{4})\.(\d{1,2})\.(\d{1,2})(?:[-.+]\S+)?")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True)
class Formula:
    """FinalScore = 100 * S^a * r_all^b * r_any^c, declared by its exponents (docs/comparing.md)."""

    name: str
    a: Decimal
    b: Decimal
    c: Decimal

    @classmethod
    def named(cls, text: str) -> Formula:
        """`open`, `closed`, or three exponents `a,b,c`."""
        try:
            given = clawprobench.EXPONENTS.get(text) or [Decimal(v) for v in text.split(",")]
            a, b, c = given
        except (InvalidOperation, ValueError):
            raise InputError("no such formula", expected="open, closed or a,b,c",
                             found=text) from None  # fmt: skip
        return cls(text, a, b, c)

    def final(self, s: Decimal, strict: Decimal, some: Decimal) -> Decimal:
        """The score from the weighted mean, strict and any rates, each in [0, 1]."""
        return clawprobench.final_score((s, strict, some), (self.a, self.b, self.c))


@dataclass(frozen=True)
class BoardFinding:
    """One figure that cannot be right: whose, which rule, what is said and what follows."""

    configuration: str
    rule: str
    detail: str


def check_board(
    published: Path, rows: Path | None, formula: Formula
) -> tuple[list[BoardFinding], int]:
    """All findings, and how many figures were compared. InputError for a table that is none."""
    table = _read(published)
    if "configuration" not in table[0]:
        raise InputError("the table has no column `configuration`", where=str(published),
                         found=", ".join(table[0]))  # fmt: skip
    detail = None if rows is None else _rows(_read(rows), str(rows))
    tally = Counter[str]()
    found = list(_twice(table)) + _columns(table[0])
    for line in table:
        found += _line(line, formula, tally)
        if detail is not None:
            found += _against_rows(line, detail, tally)
    if detail is not None:
        listed = {line["configuration"] for line in table}
        found += [
            BoardFinding(name, "not-published", "has rows and no line on the board")
            for name in sorted(set(detail) - listed)
        ]
    return found, tally.total()


def _read(path: Path) -> list[dict[str, str]]:
    data = documents.read_bytes(path, max_bytes=_MOST)
    try:
        reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig")), strict=True)
        table = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError("no CSV in UTF-8", where=str(path), found=str(error)) from None
    if not table:
        raise InputError("the table has no line", where=str(path), expected="a header and lines")
    for number, line in enumerate(table, 2):
        if None in line or None in line.values():
            raise InputError("a line has another number of cells",
                             where=f"{path}, line {number}")  # fmt: skip
    return table


def _number(text: str) -> Decimal | None:
    """None for what is no finite number from 0."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and value >= 0 else None


def _twice(table: Sequence[Mapping[str, str]]) -> Iterator[BoardFinding]:
    for name, count in Counter(line["configuration"] for line in table).items():
        if count > 1:
            yield BoardFinding(name, "listed-twice", f"{count} lines")


def _columns(header: Mapping[str, str]) -> list[BoardFinding]:
    rates = [name for name in _RATES if name in header]
    counted = all(name in header for name in _COUNTS) or "scenarios" in header
    if rates and not counted:
        detail = f"{', '.join(rates)} without counts or a number of scenarios"
        return [BoardFinding("(all)", "no-denominator", detail)]
    return []


def _line(line: Mapping[str, str], formula: Formula, tally: Counter[str]) -> Iterator[BoardFinding]:
    name = line["configuration"]
    numbers: dict[str, Decimal] = {}
    for key, text in line.items():
        if key in ("configuration", "runtime_version", "date"):
            continue
        if (number := _number(text)) is None:
            yield BoardFinding(name, "no-number", f"{key} is {text!r}")
        else:
            numbers[key] = number
    yield from _order(name, numbers, tally)
    yield from _counts(name, numbers, tally)
    if {"overall_score", "pass3", "pass_at_3", "final_score"} <= set(numbers):
        tally["formula"] += 1
        want = formula.final(numbers["overall_score"], numbers["pass3"], numbers["pass_at_3"])
        if abs(want - numbers["final_score"]) > Decimal("0.02"):
            yield BoardFinding(name, "formula", f"final_score is {numbers['final_score']}, "
                               f"the formula {formula.name} gives {want:.4f}")  # fmt: skip
    if "runtime_version" in line:
        tally["version"] += 1
        yield from _version(name, line["runtime_version"], line.get("date"))


def _order(name: str, v: Mapping[str, Decimal], tally: Counter[str]) -> Iterator[BoardFinding]:
    """strict <= pass@1 <= any, unweighted and weighted."""
    for trio in (
        ("unweighted_pass_at_k_all", "unweighted_pass_at_1", "unweighted_pass_at_k_any"),
        ("pass3", "pass_at_1", "pass_at_3"),
    ):
        for low, high in pairwise(trio):
            if low in v and high in v:
                tally["order"] += 1
                if v[low] > v[high]:
                    yield BoardFinding(name, "order", f"{low} {v[low]} is above {high} {v[high]}")
    for key in (*_RATES, "overall_score", "pass3", "pass_at_1", "pass_at_3"):
        if v.get(key, Decimal(0)) > 1:
            yield BoardFinding(name, "range", f"{key} is {v[key]}, above 1")


def _counts(name: str, v: Mapping[str, Decimal], tally: Counter[str]) -> Iterator[BoardFinding]:
    """Rates follow from how many scenarios passed 0, 1, 2 and 3 of 3."""
    if not set(_COUNTS) <= set(v):
        return
    none, one, two, three = (v[c] for c in _COUNTS)
    n = none + one + two + three
    if "scenarios" in v and v["scenarios"] != n:
        yield BoardFinding(name, "counts", f"counts add up to {n}, scenarios are {v['scenarios']}")
    if n == 0:
        yield BoardFinding(name, "no-denominator", "all counts are 0")
        return
    for key, want in (
        ("unweighted_pass_at_k_all", three / n),
        ("strict_pass_rate", three / n),
        ("unweighted_pass_at_k_any", (n - none) / n),
        ("unweighted_pass_at_1", (one + 2 * two + 3 * three) / (3 * n)),
    ):
        if key in v:
            tally["counts"] += 1
            if not _rounds_to(want, v[key]):
                yield BoardFinding(name, "counts", f"{key} is {v[key]}, the counts give {want:.4f}")


def _version(name: str, text: str, date: str | None) -> Iterator[BoardFinding]:
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        yield BoardFinding(name, "runtime-version", f"{text!r} is no exact version")
        return
    year, month, day = (int(g) for g in match.groups())
    if not (year >= 2025 and 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]):
        yield BoardFinding(name, "runtime-version", f"{text} is no day a version could be named by")
    elif date and f"{year:04}-{month:02}-{day:02}" > date[:10]:
        yield BoardFinding(name, "runtime-version", f"{text} is later than the result of {date}")


@dataclass(frozen=True)
class _Scenario:
    dimension: str
    difficulty: str
    weight: Decimal
    score: Decimal
    strict: int


def _rows(table: Sequence[Mapping[str, str]], where: str) -> dict[str, list[_Scenario]]:
    found: dict[str, list[_Scenario]] = defaultdict(list)
    seen: set[tuple[str, str]] = set()
    for number, row in enumerate(table, 2):
        at = f"{where}, line {number}"
        try:
            cell = (row["configuration"], row["scenario"])
            one = _Scenario(
                row["dimension"].replace("_", "-"),
                row["difficulty"],
                Decimal(row["scenario_weight"]),
                Decimal(row["avg_score_of_3"]),
                int(row["strict_pass_of_3"]),
            )
        except (KeyError, InvalidOperation, ValueError) as error:
            raise InputError("a row cannot be read", where=at, found=str(error)) from None
        if cell in seen:
            raise InputError("a scenario is there twice", where=at, found=" / ".join(cell))
        good = one.score.is_finite() and 0 <= one.score <= 1 and one.strict in (0, 1)
        if not (good and one.weight.is_finite() and one.weight >= 0):
            raise InputError("a score, flag or weight is out of range", where=at)
        if one.difficulty not in clawprobench.DIFFICULTY:
            raise InputError("a difficulty is unknown", where=at, found=one.difficulty,
                             expected=", ".join(clawprobench.DIFFICULTY))  # fmt: skip
        seen.add(cell)
        found[row["configuration"]].append(one)
    return found


def _against_rows(
    line: Mapping[str, str], detail: Mapping[str, list[_Scenario]], tally: Counter[str]
) -> Iterator[BoardFinding]:
    name = line["configuration"]
    rows = detail.get(name)
    if rows is None:
        yield BoardFinding(name, "no-rows", "published without rows")
        return
    strict = sum(r.strict for r in rows)
    wanted = {
        "overall_score": _weighted(rows, [r.score for r in rows]),
        "pass3": _weighted(rows, [Decimal(r.strict) for r in rows]),
        "strict_pass_rate": Decimal(strict) / len(rows),
        "unweighted_pass_at_k_all": Decimal(strict) / len(rows),
        "pass_3_of_3": Decimal(strict),
    }
    for key, want in wanted.items():
        if key in line:
            tally["rows"] += 1
            # Rows are rounded to four digits themselves, so their mean is off by up to that.
            # Rounding of a figure that is no number is nothing: `no-number` says so already.
            if (said := _number(line[key])) is None:
                continue
            if abs(said - want) > Decimal("0.00015"):
                yield BoardFinding(name, "not-from-rows",
                                   f"{key} is {line[key]}, the rows give {want:.4f}")  # fmt: skip


def _weighted(rows: Sequence[_Scenario], values: Sequence[Decimal]) -> Decimal:
    return clawprobench.weighted(
        (row.dimension, row.difficulty, row.weight, value)
        for row, value in zip(rows, values, strict=True)
    )


def _rounds_to(exact: Decimal, printed: Decimal) -> bool:
    exponent = printed.as_tuple().exponent
    assert isinstance(exponent, int)
    return abs(exact - printed) <= Decimal(6) * Decimal(10) ** (exponent - 1)
