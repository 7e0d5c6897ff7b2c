"""CSV or SQLite file + arguments -> Found: rows, columns and aggregates."""

from __future__ import annotations

import csv
import io
import math
import re
import sqlite3
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from clawpro_artifact.checking.context import Context, InvalidOutputError
from clawpro_artifact.checking.library import Found, failed, kind, verdict
from clawpro_artifact.checking.values import brief, fold, key_of
from clawpro_artifact.model.base import DecimalString, RelativePath, Value

_MAX_ROWS = 100_000
_NUMBER = re.compile(r"[-+]?[0-9]{1,24}(?:\.[0-9]{1,20})?")
_MAX_STEPS = 2_000  # progress callbacks of 10,000 virtual machine steps each


class Table(Value):
    """A CSV file with one header row. Numbers compare as numbers, other cells as stripped text."""

    path: RelativePath
    delimiter: str = Field(default=",", min_length=1, max_length=1)


class Rows(Table):
    """`rows` are the expected rows projected on `columns`; `ordered` compares them in order."""

    columns: tuple[str, ...] = Field(min_length=1)
    rows: list[list[Any]]
    ordered: bool = False
    exact_columns: bool = False
    tolerance: DecimalString = "0"


class Aggregate(Table):
    """An aggregate over `column` (for `count` over rows), of rows where `where` columns equal."""

    of: Literal["count", "sum", "min", "max", "distinct"]
    column: str | None = None
    where: dict[str, Any] = Field(default_factory=dict)
    value: DecimalString
    tolerance: DecimalString = "0"


class Query(Value):
    """One SELECT over a database file and the rows that it must give."""

    path: RelativePath
    query: str
    rows: list[list[Any]]
    ordered: bool = False
    tolerance: DecimalString = "0"


def cell(value: Any) -> Decimal | str | None:
    """A cell as a number where it reads as a plain one, else folded text; None for null."""
    if value is None:
        return None
    if isinstance(value, bytes):
        return "bytes:" + value[:100].hex()
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) and abs(value) < 1e24 else str(value)
    text = str(value).strip()
    return Decimal(text) if _NUMBER.fullmatch(text) else fold(text[:100_000])


def read_csv(c: Context, a: Table) -> tuple[list[str], list[dict[str, str]]]:
    """Header and rows; raises InvalidOutputError for text that is no such table."""
    text = c.text(a.path)
    try:
        raw = list(csv.reader(io.StringIO(text, newline=""), delimiter=a.delimiter, strict=True))
    except csv.Error as error:
        raise InvalidOutputError(f"{a.path} is no CSV table: {error}") from None
    raw = [row for row in raw if row]
    if not raw:
        raise InvalidOutputError(f"{a.path} is empty")
    header = [name.strip() for name in raw[0]]
    if len(set(header)) != len(header):
        raise InvalidOutputError(f"{a.path}: a column name stands twice")
    if len(raw) > _MAX_ROWS or any(len(row) != len(header) for row in raw[1:]):
        raise InvalidOutputError(f"{a.path}: rows do not all have {len(header)} cells")
    return header, [dict(zip(header, row, strict=True)) for row in raw[1:]]


@kind("csv-rows", Rows)
def csv_rows(a: Rows, c: Context) -> Found:
    """The table holds exactly these rows in these columns."""
    header, rows = read_csv(c, a)
    if lacks := [name for name in a.columns if name not in header]:
        return failed(f"columns of {a.path}", missing=lacks, found=header[:50])
    if a.exact_columns and list(a.columns) != header:
        return failed(f"columns of {a.path}", expected=list(a.columns), found=header[:50])
    got = [[row[name] for name in a.columns] for row in rows]
    return _compare(got, a.rows, a.ordered, a.tolerance, a.path)


@kind("csv-aggregate", Aggregate)
def csv_aggregate(a: Aggregate, c: Context) -> Found:
    """An aggregate over a column is the declared number."""
    header, rows = read_csv(c, a)
    names = [*a.where, *([] if a.column is None else [a.column])]
    if lacks := [name for name in names if name not in header]:
        return failed(f"columns of {a.path}", missing=lacks, found=header[:50])
    chosen = [r for r in rows if all(cell(r[k]) == cell(v) for k, v in a.where.items())]
    if a.of == "count" or a.column is None:
        got = Decimal(len(chosen))
    elif a.of == "distinct":
        got = Decimal(len({cell(r[a.column]) for r in chosen}))
    else:
        cells = [cell(r[a.column]) for r in chosen]
        numbers = [n for n in cells if isinstance(n, Decimal)]
        if len(numbers) != len(cells) or (not numbers and a.of != "sum"):
            return failed(f"column {a.column} of {a.path} is not all numbers")
        zero = Decimal(0)
        got = sum(numbers, zero) if a.of == "sum" else (min if a.of == "min" else max)(numbers)
    good = abs(got - Decimal(a.value)) <= Decimal(a.tolerance)
    return verdict(good, f"{a.of} of {a.path}", expected=a.value, found=str(got))


@kind("sqlite-query", Query)
def sqlite_query(a: Query, c: Context) -> Found:
    """One SELECT over the database gives exactly these rows."""
    data = c.content(a.path, limit=64_000_000)
    if not data.startswith(b"SQLite format 3\0"):
        raise InvalidOutputError(f"{a.path} is no SQLite database")
    with tempfile.TemporaryDirectory(prefix="clawpro-") as folder:
        copy = Path(folder) / "copy.db"
        copy.write_bytes(data)
        # Rows not yet checkpointed live in the write-ahead log beside the file.
        if (wal := c.after.get(a.path + "-wal")) is not None and wal.kind == "file":
            Path(str(copy) + "-wal").write_bytes(c.entry_bytes(wal, limit=64_000_000))
        try:
            got = _select(copy, a.query)
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
            raise InvalidOutputError(f"{a.path}: {error}") from None
    return _compare(got, a.rows, a.ordered, a.tolerance, a.path)


def _select(path: Path, query: str) -> list[list[Any]]:
    """Rows under guards: no attached files, no writes, no schema tricks, a bound on the work."""
    connection = sqlite3.connect(path, isolation_level=None)
    steps = 0

    def stop() -> int:
        nonlocal steps
        steps += 1
        return int(steps > _MAX_STEPS)

    def allow(action: int, *_: object) -> int:
        reads = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
        recursive = 33  # SQLITE_RECURSIVE, not named by the module
        return sqlite3.SQLITE_OK if action in (*reads, recursive) else sqlite3.SQLITE_DENY

    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 10_000_000)
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.set_progress_handler(stop, 10_000)
        connection.set_authorizer(allow)
        return [list(row) for row in connection.execute(query).fetchmany(_MAX_ROWS)]
    finally:
        connection.close()


def _compare(
    got: list[list[Any]], want: list[list[Any]], ordered: bool, tolerance: str, path: str
) -> Found:
    left = [[cell(v) for v in row] for row in got]
    right = [[cell(v) for v in row] for row in want]
    if not ordered:
        left.sort(key=_order)
        right.sort(key=_order)
    slack = Decimal(tolerance)
    good = len(left) == len(right) and all(
        len(a) == len(b) and all(_close(x, y, slack) for x, y in zip(a, b, strict=True))
        for a, b in zip(left, right, strict=True)
    )
    have, need = Counter(map(_order, left)), Counter(map(_order, right))
    return verdict(
        good,
        f"rows of {path}",
        expected=len(right),
        found=len(left),
        missing=brief(sorted((need - have).elements())[:5]),
        unexpected=brief(sorted((have - need).elements())[:5]),
    )


def _close(x: Decimal | str | None, y: Decimal | str | None, slack: Decimal) -> bool:
    if isinstance(x, Decimal) and isinstance(y, Decimal):
        return abs(x - y) <= slack
    return x == y


def _order(row: list[Decimal | str | None]) -> str:
    """One text per row; equal numbers give equal text (2.50 and 2.5)."""
    return key_of([str(v.normalize()) if isinstance(v, Decimal) else v for v in row])
