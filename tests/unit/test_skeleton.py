"""`scenarios new`: the skeleton loads, and validation lists what is left to do."""

from __future__ import annotations

import pytest

from clawpro_artifact.errors import UsageError
from clawpro_artifact.formats import scenarios
from clawpro_artifact.validating import skeleton, wired


@pytest.mark.parametrize("surface", ["json", "workspace", "memory"])
def test_a_new_scenario_loads_where_it_belongs_and_is_not_done_yet(surface, tmp_path):
    folder = skeleton.write(tmp_path / "scenarios", "stock-count", surface)
    loaded = scenarios.load(folder)
    assert folder == tmp_path / "scenarios" / scenarios.home(loaded.scenario)
    (found,) = wired.validate_all([folder])
    assert any("near-misses" in f.detail for f in found.findings)
    assert not [f for f in found.findings if f.rule in ("malformed", "derivation", "schema")]


@pytest.mark.parametrize("wrong", ["Stock Count", "../x", ""])
def test_an_id_that_is_no_name_is_refused(wrong, tmp_path):
    with pytest.raises(UsageError):
        skeleton.write(tmp_path, wrong, "json")
    assert not list(tmp_path.iterdir())


def test_an_id_is_given_once(tmp_path):
    skeleton.write(tmp_path, "stock-count", "json")
    with pytest.raises(UsageError, match="taken"):
        skeleton.write(tmp_path, "stock-count", "workspace")
