"""freezing: an edit is named, and what was released is never edited."""

from __future__ import annotations

import hashlib
import re
import subprocess

import pytest

from clawpro_artifact.errors import InputError, PinError, UsageError
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.validating import freezing
from clawpro_artifact.validating.freezing import Release
from tests.unit import make


def put(root, name, text="Match it.\n", version=1):
    folder = root / name
    folder.mkdir(exist_ok=True)
    (folder / "prompt.md").write_text(text)
    return ScenarioFolder(make.scenario(name, version=version), folder)


def release(version, retire=None):
    return Release(version, "2026-12-01", "because of the test", retire or {})


def frozen(folders, version="0.1.0"):
    return freezing.freeze(None, folders, "holdout", release(version))


def test_the_root_is_the_digest_of_sha256sum_lines_that_sha256sum_itself_makes(tmp_path):
    one = put(tmp_path, "a")
    lines = subprocess.run(["sha256sum", "prompt.md"], cwd=one.folder, capture_output=True).stdout
    digest = hashlib.sha256(lines).hexdigest()
    root = hashlib.sha256(f"{digest}  a\n".encode()).hexdigest()
    assert frozen([one]).root == f"sha256:{root}"


def test_what_is_as_frozen_passes(tmp_path):
    folders = [put(tmp_path, "a"), put(tmp_path, "b")]
    freezing.check(frozen(folders), reversed(folders))


@pytest.mark.parametrize(
    ("change", "row"),
    [
        (lambda p: (p / "a/prompt.md").write_text("Match all.\n"), "~ a/prompt.md"),
        (lambda p: (p / "a/notes.md").write_text("x"), "+ a/notes.md"),
        (lambda p: (p / "a/prompt.md").rename(p / "a/ask.md"), "- a/prompt.md"),
    ],
)
def test_an_edit_is_named_by_file(change, row, tmp_path):
    folders = [put(tmp_path, "a"), put(tmp_path, "b")]
    lock = frozen(folders)
    change(tmp_path)
    with pytest.raises(PinError, match=re.escape(row)):
        freezing.check(lock, folders)


def test_a_new_or_missing_scenario_is_named(tmp_path):
    a, b, c = (put(tmp_path, n) for n in "abc")
    rows = freezing.differences(frozen([a, b]), [b, c])
    assert [r[:3] for r in rows] == ["- a", "+ c"]


def test_some_of_the_set_are_checked_without_missing_the_others(tmp_path):
    a, b = put(tmp_path, "a"), put(tmp_path, "b")
    lock = frozen([a, b])
    freezing.check(lock, [a], part=True)
    with pytest.raises(PinError, match="~ a"):
        freezing.check(lock, [put(tmp_path, "a", "New.\n")], part=True)


def test_an_edit_needs_a_new_version_of_the_scenario(tmp_path):
    lock = frozen([put(tmp_path, "a")])
    with pytest.raises(InputError, match="old version"):
        freezing.freeze(lock, [put(tmp_path, "a", "New.\n")], "holdout", release("0.2.0"))
    after = freezing.freeze(
        lock, [put(tmp_path, "a", "New.\n", version=2)], "holdout", release("0.2.0")
    )
    assert [c.version for c in after.changelog] == ["0.1.0", "0.2.0"]
    assert after.scenarios[0].since == "0.1.0"


def test_the_version_of_the_set_only_rises(tmp_path):
    lock = frozen([put(tmp_path, "a")], "0.10.0")
    with pytest.raises(UsageError, match="higher"):
        freezing.freeze(lock, [put(tmp_path, "a", version=2)], "holdout", release("0.9.0"))


def test_freezing_the_same_again_is_refused(tmp_path):
    lock = frozen([put(tmp_path, "a")])
    with pytest.raises(UsageError, match="nothing changed"):
        freezing.freeze(lock, [put(tmp_path, "a")], "holdout", release("0.2.0"))


def test_a_released_scenario_is_never_edited(tmp_path):
    lock = frozen([put(tmp_path, "a")], "1.0.0")
    with pytest.raises(InputError, match="released scenario a was edited"):
        freezing.freeze(
            lock, [put(tmp_path, "a", "New.\n", version=2)], "holdout", release("1.1.0")
        )


def test_a_released_scenario_is_retired_by_name_and_its_id_never_comes_back(tmp_path):
    lock = frozen([put(tmp_path, "a"), put(tmp_path, "b")], "1.0.0")
    left = [put(tmp_path, "b"), put(tmp_path, "c")]
    with pytest.raises(InputError, match="does not vanish"):
        freezing.freeze(lock, left, "holdout", release("1.1.0"))
    after = freezing.freeze(lock, left, "holdout", release("1.1.0", {"a": "c"}))
    assert [(r.id, r.retired, r.replaced_by) for r in after.retired] == [("a", "1.1.0", "c")]
    with pytest.raises(InputError, match="used again"):
        freezing.freeze(after, [*left, put(tmp_path, "a")], "holdout", release("1.2.0"))


def test_a_lock_whose_root_was_edited_says_so(tmp_path):
    one = put(tmp_path, "a")
    lock = frozen([one]).model_copy(update={"root": "sha256:" + "0" * 64})
    with pytest.raises(PinError, match="the lock itself"):
        freezing.check(lock, [one])
