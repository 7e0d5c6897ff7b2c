"""workspace snapshot + arguments -> Found: files, text, scope and program output."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, model_validator

from clawpro_artifact.checking.context import Context, EvidenceError, InvalidOutputError, matches
from clawpro_artifact.checking.library import Found, failed, kind, passed, verdict
from clawpro_artifact.checking.values import compiled, fold
from clawpro_artifact.model.base import RelativePath, Value

Normalisation = Literal["exact", "lines", "folded"]
_SHOWN = 20


class PathArguments(Value):
    """One path of the workspace."""

    path: RelativePath


class Text(PathArguments):
    """`lines`: line ends unified, trailing white space and outer blank lines dropped."""

    text: str
    normal: Normalisation = "lines"


class Patterns(PathArguments):
    """Patterns searched with MULTILINE in the text of one file."""

    all: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _useful(self) -> Patterns:
        for pattern in self.all + self.none:
            compiled(pattern)
        if not self.all:
            raise ValueError("`all` holds at least one pattern: absence alone earns nothing")
        return self


class Globs(Value):
    """Globs of workspace paths; `dir/` means everything below it."""

    paths: tuple[str, ...] = Field(min_length=1)
    but: tuple[str, ...] = ()


class Program(Value):
    """A command over a copy of the final workspace (only `paths`), and what it must print."""

    command: tuple[str, ...] = Field(min_length=1)
    paths: tuple[str, ...] = Field(min_length=1)
    # Files of ours laid over the copy: the grader's tests, which the agent never saw.
    files: dict[RelativePath, str] = Field(default_factory=dict)
    stdin: str = ""
    stdout: str | None = None
    pattern: str | None = None
    exit_code: int = 0
    timeout_s: int = Field(default=30, ge=1, le=120)


def normal(text: str, how: Normalisation) -> str:
    """The text under a declared normalisation."""
    if how == "exact":
        return text
    if how == "folded":
        return fold(text)
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return "\n".join(lines).strip("\n")


@kind("file-exists", PathArguments)
def file_exists(a: PathArguments, c: Context) -> Found:
    """There is a regular file at `path`."""
    entry = c.after.get(a.path)
    if entry is not None and entry.kind != "file":
        raise InvalidOutputError(f"{a.path} is a {entry.kind} and not a regular file")
    return verdict(entry is not None, f"a file at {a.path}")


@kind("file-absent", PathArguments)
def file_absent(a: PathArguments, c: Context) -> Found:
    """There is nothing at `path` (give `requires` where it was absent before)."""
    return verdict(a.path not in c.after, f"nothing at {a.path}")


@kind("file-text", Text)
def file_text(a: Text, c: Context) -> Found:
    """The file's text equals `text` under the normalisation."""
    got = normal(c.text(a.path), a.normal)
    return verdict(
        got == normal(a.text, a.normal), f"text of {a.path} ({a.normal})", found=got[:400]
    )


@kind("file-regex", Patterns)
def file_regex(a: Patterns, c: Context) -> Found:
    """All of `all` and none of `none` are found in the file's text."""
    text = c.text(a.path)[:1_000_000]
    lacks = [p for p in a.all if re.search(p, text, re.MULTILINE) is None]
    extra = [p for p in a.none if re.search(p, text, re.MULTILINE) is not None]
    return verdict(not lacks and not extra, f"patterns in {a.path}", missing=lacks, forbidden=extra)


@kind("unchanged", Globs)
def unchanged(a: Globs, c: Context) -> Found:
    """The agent changed, made and deleted nothing under `paths` (give `requires`)."""
    changed = {
        p: how
        for p, how in c.changed_by_agent().items()
        if matches(p, a.paths) and not matches(p, a.but)
    }
    return verdict(
        not changed, "nothing changed under the paths", changed=dict(list(changed.items())[:_SHOWN])
    )


@kind("only-changed", Globs)
def only_changed(a: Globs, c: Context) -> Found:
    """Something changed, and nothing outside `paths`; `but` names paths that must not change."""
    changes = c.changed_by_agent()
    outside = [p for p in changes if not matches(p, a.paths) or matches(p, a.but)]
    if not changes:
        return failed("nothing was changed at all")
    return verdict(not outside, "changes stay within the paths", outside=outside[:_SHOWN])


@kind("program-output", Program)
def program_output(a: Program, c: Context) -> Found:
    """A command over the final files exits and prints as declared, in a fresh container."""
    if c.execute is None:
        raise EvidenceError("this check runs a program and there is no executor")
    files = {
        path: c.entry_bytes(entry)
        for path, entry in c.after.items()
        if entry.kind == "file" and matches(path, a.paths)
    }
    files.update({path: text.encode() for path, text in a.files.items()})
    try:
        result = c.execute(files, a.command, a.stdin.encode(), a.timeout_s)
    except Exception as error:
        raise EvidenceError(f"the program could not be run: {error}") from error
    if result.timed_out:
        return failed(f"no end within {a.timeout_s} s")
    shown = result.stdout[:2000].decode("utf-8", "replace")
    if result.exit_code != a.exit_code:
        return failed(f"exit code {result.exit_code}, expected {a.exit_code}", stdout=shown)
    if a.stdout is None and a.pattern is None:
        return passed(f"exit code {a.exit_code}")
    text = result.stdout[:1_000_000].decode("utf-8", "replace")
    good = a.stdout is None or normal(text, "lines") == normal(a.stdout, "lines")
    good = good and (a.pattern is None or re.search(a.pattern, text, re.MULTILINE) is not None)
    return verdict(good, "standard output", stdout=shown)
