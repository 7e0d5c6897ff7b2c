"""A part of the random edits that `nox -s mutate` runs in full."""

from __future__ import annotations

from pathlib import Path

from tests.tampered.mutate import accepted


def test_no_random_edit_is_accepted(tmp_path: Path) -> None:
    assert accepted(300, 2, tmp_path) == []
