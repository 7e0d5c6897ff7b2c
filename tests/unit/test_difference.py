"""A diff of two bundles names the axes that moved, and refuses scores that two axes moved."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clawpro_artifact.errors import InputError, UsageError
from clawpro_artifact.formats import canonical
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.formats.shipped import Shipped
from clawpro_artifact.verifying.difference import AXES, Difference, difference
from tests import bundles
from tests.tampered.kit import edit_json

LOCK = "data/lock.json"
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return bundles.files(tmp_path_factory.mktemp("d"))


@contextlib.contextmanager
def shipped(files: Files, out: Path) -> Iterator[Shipped]:
    result = bundles.sign(files, out)
    with open_bundle(out) as container:
        yield Shipped(container, result.bundle_id)


def moved(files: Files, edit: Callable[[Files], Files], folder: Path) -> Difference:
    with shipped(files, folder / "a") as a, shipped(edit(dict(files)), folder / "b") as b:
        return difference(a, b)


def lock(edit: Callable[[Any], Any]) -> Callable[[Files], Files]:
    return lambda files: edit_json(files, LOCK, edit)


def test_a_bundle_does_not_differ_from_itself(files: Files, tmp_path: Path) -> None:
    found = moved(files, lambda f: f, tmp_path)
    assert (found.moves, found.exit_code) == ((), 0)


def first(value: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = value["manifest"]["configurations"][0]
    return found


@pytest.mark.parametrize(
    ("axis", "edit"),
    [
        ("weights", lambda v: v["manifest"]["weights"].update(alpha="0.6")),
        ("trials", lambda v: v["manifest"].update(seed=9)),
        ("limits", lambda v: v["manifest"]["limits"].update(requests=11)),
        ("runtime", lambda v: v["images"][0].update(config="sha256:" + "1" * 64)),
        ("model", lambda v: first(v)["base_model"].update(name="scripted")),
        ("decoding", lambda v: v["manifest"]["configurations"][0]["decoding"].update(top_p="0.9")),
        ("configuration", lambda v: v["manifest"]["configurations"][0].update(transport="stdio")),
        ("scenarios", lambda v: v["scenarios"].pop()),
    ],
)  # fmt: skip
def test_a_moved_value_is_named_by_its_axis(
    files: Files, tmp_path: Path, axis: str, edit: Callable[[Any], Any]
) -> None:
    assert moved(files, lock(edit), tmp_path).axes == (axis,)


@pytest.mark.parametrize(
    ("axis", "part"), [("checks", "checking"), ("scoring", "scoring"), ("sanitizer", "sanitizing")]
)
def test_moved_code_is_shown_line_by_line(
    files: Files, tmp_path: Path, axis: str, part: str
) -> None:
    path = f"data/{part}/__init__.py"

    def edit(files: Files) -> Files:
        files[path] += b"MOVED = True\n"
        return edit_json(files, LOCK, lambda v: v.update({part: "sha256:" + "1" * 64}))

    found = moved(files, edit, tmp_path)
    assert found.axes == (axis,)
    assert "+MOVED = True" in found.moves[0].diff


def test_a_moved_prompt_is_shown_line_by_line(files: Files, tmp_path: Path) -> None:
    def edit(files: Files) -> Files:
        files["data/definitions/tidy-notes/prompt.md"] += b"And smile.\n"
        return edit_json(
            files, LOCK, lambda v: v["scenarios"][1].update(digest="sha256:" + "1" * 64)
            if v["scenarios"][1]["id"] == "tidy-notes"
            else v["scenarios"][0].update(digest="sha256:" + "1" * 64),
        )  # fmt: skip

    found = moved(files, edit, tmp_path)
    assert [m.at for m in found.moves] == ["data/definitions/tidy-notes/prompt.md"]
    assert "+And smile." in found.moves[0].diff


def test_scores_are_comparable_along_the_one_axis_that_moved(files: Files, tmp_path: Path) -> None:
    edit = lock(lambda v: v["images"][0].update(config="sha256:" + "1" * 64))
    moved(files, edit, tmp_path).comparable("runtime")


def test_scores_are_refused_when_another_axis_moved_too(files: Files, tmp_path: Path) -> None:
    def edit(value: Any) -> None:
        value["images"][0].update(config="sha256:" + "1" * 64)
        value["manifest"]["weights"].update(alpha="0.6")
        value["manifest"]["limits"].update(requests=11)

    with pytest.raises(InputError, match="also moved: weights, limits"):
        moved(files, lock(edit), tmp_path).comparable("runtime")


def test_an_unknown_axis_is_a_usage_error(files: Files, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such axis"):
        moved(files, lambda f: f, tmp_path).comparable("luck")  # type: ignore[arg-type]


def test_every_field_of_the_lock_belongs_to_some_axis(files: Files, tmp_path: Path) -> None:
    """Any changed leaf of the lock moves an axis, save names that change no result."""
    value = json.loads(files[LOCK])
    silent = {"/version", "/manifest/name", "/manifest/version", "/manifest/notes",
              "/manifest/demonstration", "/format", "/manifest/format", "/schemas",
              "/holdout_root", "/checking", "/scoring", "/sanitizing"}  # fmt: skip
    fields = {f"/{k}" for k in value} | {f"/manifest/{k}" for k in value["manifest"]}
    handled = {"/manifest", "/images", "/scenarios", "/runtime_code"} | {
        f"/manifest/{k}"
        for k in ("trials", "seed", "weights", "limits", "attempts", "tracks", "configurations")
    }
    assert fields - silent == handled and len(AXES) == 11
    assert canonical.digest(value) == canonical.bytes_digest(files[LOCK])
