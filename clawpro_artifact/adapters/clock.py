"""the machine's clock -> times; the only place that reads it."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

from clawpro_artifact.errors import UsageError


def now() -> datetime:
    """The present moment, UTC."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Seconds since some fixed point, for durations; never goes back."""
    return time.monotonic()


def release_time() -> datetime:
    """The time written into a release: SOURCE_DATE_EPOCH (seconds) if set, else now; whole seconds.

    Raises UsageError if the variable is set and is not a count of seconds.
    """
    text = os.environ.get("SOURCE_DATE_EPOCH")
    if text is None:
        return now().replace(microsecond=0)
    if not (text.isascii() and text.isdigit() and len(text) <= 11):
        raise UsageError(
            "SOURCE_DATE_EPOCH is not a time",
            where="environment",
            expected="whole seconds since 1970-01-01 UTC",
            found=text,
        )
    return datetime.fromtimestamp(int(text), UTC)


def timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC with whole seconds: `2026-01-31T12:00:00Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
