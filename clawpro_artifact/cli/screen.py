"""progress and results -> a terminal (rich), a pipe (plain lines) or a machine (JSON)."""

from __future__ import annotations

import json
import sys
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table


class Screen:
    """Where a verb reports. Progress goes to stderr, results to stdout."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self.as_json = as_json
        self.quiet = quiet
        self.console = Console(stderr=True, highlight=False)
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.end()

    def step(self, text: str) -> None:
        """One line: what is done now."""
        if not self.quiet:
            self.console.print(f"[bold]·[/bold] {text}" if self.console.is_terminal else text)

    def note(self, text: str) -> None:
        """A line that matters although all goes well (a label, a gap)."""
        self.console.print(f"[yellow]{text}[/yellow]" if self.console.is_terminal else text)

    def begin(self, what: str, total: int) -> None:
        """A counted piece of work starts."""
        if self.quiet or not self.console.is_terminal:
            return
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[tally]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self.console,
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(what, total=total, tally="")

    def advance(self, done: int, total: int, running: str, tally: str, line: str) -> None:
        """`done` of `total`; `line` is the plain form for a pipe."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, description=running, tally=tally)
        elif not self.quiet:
            print(line, file=sys.stderr, flush=True)

    def end(self) -> None:
        """The counted work is over."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def table(self, table: Table) -> None:
        """A table, on stdout."""
        self.end()
        width = None if sys.stdout.isatty() else 200
        Console(highlight=False, width=width).print(table)

    def result(self, value: Any, text: str) -> None:
        """The result: a JSON document with `--json`, else text."""
        self.end()
        print(json.dumps(value, ensure_ascii=False, sort_keys=True) if self.as_json else text)
