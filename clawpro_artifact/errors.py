"""what went wrong -> the exit code of its family.

A message says what was expected, what was found, where, and what to do.
A *no* of the verifier or of a comparison is a value (Verdict, Drift) and not an exception.
"""

from __future__ import annotations

from typing import ClassVar

EXIT_YES = 0
EXIT_NO = 1
EXIT_USAGE = 2
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


class ClawproError(Exception):
    """Base of every foreseen failure; `exit_code` is the code of its family."""

    exit_code: ClassVar[int] = EXIT_BUG

    def __init__(
        self,
        summary: str,
        *,
        expected: str | None = None,
        found: str | None = None,
        where: str | None = None,
        do: str | None = None,
    ) -> None:
        super().__init__(summary)
        self.summary = summary
        self.expected = expected
        self.found = found
        self.where = where
        self.do = do

    def __str__(self) -> str:
        rows = [self.summary]
        for label, text in (
            ("where", self.where),
            ("expected", self.expected),
            ("found", self.found),
            ("do", self.do),
        ):
            if text is not None:
                rows.append(f"  {label + ':':<10}{text}")
        return "\n".join(rows)

    def as_json(self) -> dict[str, str | int | None]:
        """The same, for `--json`."""
        return {
            "error": type(self).__name__,
            "exit_code": self.exit_code,
            "summary": self.summary,
            "where": self.where,
            "expected": self.expected,
            "found": self.found,
            "do": self.do,
        }


class UsageError(ClawproError):
    """The command line is wrong."""

    exit_code = EXIT_USAGE


class InputError(ClawproError):
    """A document is malformed or breaks its schema."""

    exit_code = 3


class PinError(ClawproError):
    """Something resolved to a digest other than the locked one."""

    exit_code = 4


class InfraError(ClawproError):
    """Engine, disk or endpoint failed; trying again makes sense."""

    exit_code = 5


class IncompleteError(ClawproError):
    """Somewhere fewer than k trials were scored."""

    exit_code = 6


class SanitizeError(ClawproError):
    """A secret could not be removed with certainty; nothing was written."""

    exit_code = 7


class TrustError(ClawproError):
    """Unknown, expired or revoked key; rollback; policy."""

    exit_code = 8
