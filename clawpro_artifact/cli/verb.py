"""what one verb of the command line is."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clawpro_artifact.cli.screen import Screen

Call = Callable[[argparse.Namespace, Screen], int]


@dataclass(frozen=True)
class Argument:
    """One argument of a verb, as argparse takes it."""

    names: tuple[str, ...]
    options: dict[str, Any]


@dataclass(frozen=True)
class Verb:
    """A call of the API and how its result is shown; returns the exit code."""

    path: str
    help: str
    call: Call
    arguments: tuple[Argument, ...] = ()
    about: str = ""


def arg(*names: str, **options: Any) -> Argument:
    """Short for Argument."""
    return Argument(names, options)
