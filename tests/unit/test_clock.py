from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from clawpro_artifact.adapters import clock
from clawpro_artifact.errors import UsageError


def test_a_release_carries_the_time_of_source_date_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    # date -u -d @1000000000
    assert clock.timestamp(clock.release_time()) == "2001-09-09T01:46:40Z"


@pytest.mark.parametrize("text", ["", "-1", "1.5", "now", "9" * 12])
def test_a_source_date_epoch_that_is_no_time_is_refused(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH is not a time"):
        clock.release_time()


def test_a_time_is_written_in_utc() -> None:
    east = datetime(2026, 1, 2, 1, 0, 0, tzinfo=timezone(timedelta(hours=2)))
    assert clock.timestamp(east) == "2026-01-01T23:00:00Z"


def test_now_is_aware_of_utc() -> None:
    assert clock.now().tzinfo is UTC
