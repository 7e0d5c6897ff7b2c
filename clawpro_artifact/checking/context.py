"""CleanTrial + blob reader -> Context: evidence as checks look at it, read once.

Whatever an agent left is data here: a thing of the wrong kind raises InvalidOutputError, which the
judge records as `invalid_output`; only evidence that we cannot read ourselves is an EvidenceError.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from jsonschema import Draft202012Validator

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import jsonio
from clawpro_artifact.model.trace import Event
from clawpro_artifact.model.trial import CleanTrial, SnapshotEntry

WORKSPACE = "/work/space"
MAX_ANSWER_BYTES = 1_000_000
MAX_FILE_BYTES = 8_000_000
_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)
_ASCII_SPACE = " \t\r\n\f\v"


class InvalidOutputError(Exception):
    """The agent's output is not of the form that the check reads."""


class EvidenceError(Exception):
    """Evidence that must be there cannot be read: our failure, never the agent's."""


@dataclass(frozen=True)
class ProgramResult:
    """What a program did in a fresh container without network."""

    exit_code: int
    stdout: bytes
    timed_out: bool = False


class Executor(Protocol):
    """Runs a command over a copy of files, in a fresh place without network."""

    def __call__(
        self, files: Mapping[str, bytes], command: Sequence[str], stdin: bytes, timeout_s: int
    ) -> ProgramResult:
        """Raises InfraError when the place itself fails."""


class Context:
    """One trial's clean evidence. `schema` and `expected` are the holdout's, else None."""

    def __init__(
        self,
        trial: CleanTrial,
        read: Callable[[str], bytes],
        *,
        schema: dict[str, Any] | None = None,
        expected: Any = None,
        execute: Executor | None = None,
    ) -> None:
        self.trial = trial
        self.expected = expected
        self.execute = execute
        self._schema = schema
        self._read = read

    # -- the answer ---------------------------------------------------------------------------

    @cached_property
    def _answer(self) -> Any:
        try:
            value = parse_answer(self.trial.evidence.answer)
        except InvalidOutputError as error:
            return error
        if self._schema is not None:
            problems = Draft202012Validator(self._schema).iter_errors(value)
            if (problem := next(problems, None)) is not None:
                place = jsonio.pointer(tuple(problem.absolute_path))
                return InvalidOutputError(
                    f"the answer breaks its schema at '{place}' ({problem.validator})"
                )
        return value

    @property
    def answer(self) -> Any:
        """The answer as JSON that fits the schema; raises InvalidOutputError."""
        if isinstance(self._answer, InvalidOutputError):
            raise self._answer
        return self._answer

    @property
    def answer_text(self) -> str:
        """The final text, empty where there was none."""
        return self.trial.evidence.answer or ""

    # -- the workspace ------------------------------------------------------------------------

    @cached_property
    def before(self) -> dict[str, SnapshotEntry]:
        """Entries before the trial by path."""
        return {e.path: e for e in self.trial.evidence.before.entries}

    @cached_property
    def after(self) -> dict[str, SnapshotEntry]:
        """Entries after the trial by path."""
        return {e.path: e for e in self.trial.evidence.after.entries}

    def content(self, path: str, *, limit: int = MAX_FILE_BYTES) -> bytes:
        """Bytes of the regular file at `path` after the trial; raises InvalidOutputError."""
        entry = self.after.get(path)
        if entry is None:
            raise InvalidOutputError(f"{path} is missing")
        return self.entry_bytes(entry, limit=limit)

    def entry_bytes(self, entry: SnapshotEntry, *, limit: int = MAX_FILE_BYTES) -> bytes:
        """Bytes of a snapshot's regular file; raises InvalidOutputError."""
        if entry.kind != "file":
            raise InvalidOutputError(f"{entry.path} is a {entry.kind} and not a regular file")
        if entry.size > limit or entry.digest is None:
            raise InvalidOutputError(f"{entry.path} has {entry.size} bytes, more than {limit}")
        return self.blob(entry.digest)

    def blob(self, digest: str) -> bytes:
        """Bytes by digest; raises EvidenceError."""
        try:
            return self._read(digest)
        except Exception as error:
            raise EvidenceError(f"the blob {digest} cannot be read: {error}") from error

    def text(self, path: str) -> str:
        """The UTF-8 text of a file after the trial; raises InvalidOutputError."""
        data = self.content(path)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidOutputError(f"{path} is not UTF-8 at byte {error.start}") from None

    @cached_property
    def world_written(self) -> dict[str, set[str | None]]:
        """Path -> digests that declared events gave it (None: deleted, or content not recorded)."""
        written: dict[str, set[str | None]] = {}
        for event in self.events("world_event"):
            effect = event.data.get("effect")
            if isinstance(effect, dict):
                for verb in ("write", "append", "delete"):
                    if isinstance(path := effect.get(verb), str):
                        digest = effect.get("digest")
                        written.setdefault(path, set()).add(
                            digest if isinstance(digest, str) else None
                        )
        return written

    def changed_by_agent(self) -> dict[str, str]:
        """Path -> created | modified | deleted, declared events left out; directories ignored."""
        changes: dict[str, str] = {}
        for path in sorted(self.before.keys() | self.after.keys()):
            old, new = self.before.get(path), self.after.get(path)
            if "directory" in {e.kind for e in (old, new) if e is not None} and (
                old is None or new is None or old.kind == new.kind
            ):
                continue
            if _same(old, new):
                continue
            if path in self.world_written:
                given = self.world_written[path]
                if (new.digest if new is not None else None) in given or None in given:
                    continue
            changes[path] = "created" if old is None else "deleted" if new is None else "modified"
        return changes

    # -- stores and events --------------------------------------------------------------------

    def store(self, name: str) -> Any:
        """A store of the runtime or of a stand-in as plain JSON; None where it has none."""
        return self.trial.evidence.stores.get(name)

    def events(self, *kinds: str) -> list[Event]:
        """Events of these kinds in order."""
        return [e for e in self.trial.events if e.kind in kinds]


def parse_answer(text: str | None) -> Any:
    """One JSON document under the fence policy (the same in all scenarios).

    The whole text, ASCII white space stripped, or the content of exactly one ``` fence with an
    optional `json` tag when the text is nothing but that fence. Raises InvalidOutputError.
    """
    if text is None or not text.strip(_ASCII_SPACE):
        raise InvalidOutputError("there is no answer")
    stripped = text.strip(_ASCII_SPACE)
    try:
        data = stripped.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidOutputError("the answer holds a lone surrogate") from None
    if b"[[surrogate:" in data:  # what the record makes of one
        raise InvalidOutputError("the answer holds a lone surrogate")
    if len(data) > MAX_ANSWER_BYTES:
        raise InvalidOutputError(f"the answer has {len(data)} bytes, more than {MAX_ANSWER_BYTES}")
    if stripped.startswith("```"):
        fence = _FENCE.fullmatch(stripped)
        if fence is None or stripped.count("```") != 2:
            raise InvalidOutputError("the answer is not one JSON document in one fence")
        data = fence[1].strip(_ASCII_SPACE).encode("utf-8")
    try:
        return jsonio.parse(data, "answer", max_bytes=MAX_ANSWER_BYTES)
    except InputError as error:
        where = "" if error.where is None else f" ({error.where})"
        raise InvalidOutputError(f"{error.summary}{where}") from None


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether a path fits one of the globs; `*` also crosses folders, `dir/` means all below."""
    return any(fnmatch.fnmatchcase(path, p + "*" if p.endswith("/") else p) for p in patterns)


def workspace_path(path: str) -> str | None:
    """A tool's path as one relative to the workspace, or None when it leads outside."""
    full = posixpath.normpath(posixpath.join(WORKSPACE, path))
    if full == WORKSPACE:
        return ""
    return full[len(WORKSPACE) + 1 :] if full.startswith(WORKSPACE + "/") else None


def _same(old: SnapshotEntry | None, new: SnapshotEntry | None) -> bool:
    if old is None or new is None:
        return old is new
    return (old.kind, old.digest, old.target, old.executable) == (
        new.kind,
        new.digest,
        new.target,
        new.executable,
    )
