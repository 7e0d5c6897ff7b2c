"""Recipes, locks and what is derived from them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clawpro_artifact import building
from clawpro_artifact.adapters import npm
from clawpro_artifact.adapters.debian import machine_sources
from clawpro_artifact.building.describing import provenance, sbom
from clawpro_artifact.building.differing import diff
from clawpro_artifact.building.locks import lock_bytes
from clawpro_artifact.building.resolving import satisfies
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical, documents
from clawpro_artifact.model.image import ImageLock, Recipe

IMAGES = Path(__file__).parents[2] / "images"
ZEROS = "sha512-" + "A" * 86 + "=="
NAMES = sorted(path.parent.name for path in IMAGES.glob("*/lock.json"))


@pytest.mark.parametrize("name", NAMES)
def test_every_lock_of_the_repository_agrees_with_its_files(name: str) -> None:
    assert building.check(IMAGES / name).name == name


@pytest.mark.parametrize("name", NAMES)
def test_a_lock_is_written_as_it_is_read(name: str) -> None:
    data = (IMAGES / name / "lock.json").read_bytes()
    lock = documents.load_json(ImageLock, data, name)
    assert lock_bytes(lock) == data


@pytest.mark.parametrize("name", NAMES)
def test_no_lock_holds_an_address(name: str) -> None:
    for file in ("lock.json", "package-lock.json", "package.json", "recipe.toml"):
        lines = (IMAGES / name / file).read_text().splitlines()
        assert [
            n for n in lines if '"resolved"' in n or "registry." in n or ".debian.org" in n
        ] == []


def test_images_of_one_kind_share_their_base_layer() -> None:
    locks = [k.lock for k in building.read_all(IMAGES) if k.lock.inputs.recipe.flavour == "plain"]
    assert len({k.layers.base.diff_id for k in locks}) == 1


# Expected values: `semver.satisfies` of npm's semver 7.
@pytest.mark.parametrize(
    ("version", "wanted", "expected"),
    [
        ("22.19.0", ">=22.19.0", True),
        ("22.18.9", ">=22.19.0", False),
        ("24.22.3", ">=24.16.0 <25 || >=26.1.0", True),
        ("25.0.0", ">=24.16.0 <25 || >=26.1.0", False),
        ("26.1.0", ">=24.16.0 <25 || >=26.1.0", True),
        ("23.0.0", ">=22.22.3 <23 || >=24.15.0 <25 || >=25.9.0", False),
        ("20.18.0", "^20.17.0 || >=22.9.0", True),
        ("21.0.0", "^20.17.0 || >=22.9.0", False),
    ],
)
def test_a_node_version_is_checked_against_engines(
    version: str, wanted: str, expected: bool
) -> None:
    assert satisfies(version, wanted) is expected


@pytest.mark.parametrize("pin", ["openclaw@latest", "openclaw@^2026.9.0", "openclaw"])
def test_a_tag_or_range_is_refused_with_the_pin_to_write(
    pin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npm, "exact_version", lambda *_: "2026.9.6")
    with pytest.raises(InputError, match=r"do: +write openclaw@2026\.9\.6"):
        building.new_recipe(pin, [])


def test_a_recipe_names_the_runtime_that_it_holds() -> None:
    text = (IMAGES / "openclaw-2026.9.6" / "recipe.toml").read_bytes()
    with pytest.raises(InputError, match="name of this image is 'openclaw-2026"):
        documents.load_toml(Recipe, text.replace(b"openclaw@2026.9.6", b"openclaw@2026.8.2"), "r")


@pytest.mark.parametrize(
    "entry",
    [
        '{"version": "1.0.0"}',
        '{"version": "1.0.0", "integrity": "sha1-AAAA"}',
        f'{{"version": "1.0.0", "integrity": "{ZEROS}", "resolved": "x"}}',
        f'{{"version": "1.0.0", "integrity": "{ZEROS}", "link": true}}',
    ],
)
def test_an_npm_entry_that_is_not_pinned_by_hash_alone_is_refused(entry: str) -> None:
    text = f'{{"lockfileVersion": 3, "packages": {{"": {{}}, "node_modules/a": {entry}}}}}'
    with pytest.raises(InputError, match="not pinned by hash alone"):
        npm.packages_of(text.encode(), "package-lock.json")


def test_an_optional_npm_package_is_left_out() -> None:
    text = '{"lockfileVersion": 3, "packages": {"": {}, "node_modules/a": {"optional": true}}}'
    assert npm.packages_of(text.encode(), "package-lock.json") == ()


def test_package_urls_are_spelled_as_the_purl_specification_does() -> None:
    refs = {c["purl"] for c in sbom(building.read(IMAGES / "openclaw-2026.9.6"))["components"]}
    # Forms of the specification's examples `pkg:npm/%40angular/animation@12.3.1` and
    # `pkg:deb/debian/curl@7.50.3-1?arch=i386&distro=jessie`.
    assert any(r.startswith("pkg:npm/%40agentclientprotocol/sdk@") for r in refs)
    # As `packageurl-python` writes it: `+` encoded, the colon of the epoch not.
    assert any(r.startswith("pkg:deb/debian/git@1:2.39.5-0%2Bdeb12u") for r in refs)
    assert any(
        r.startswith("pkg:deb/debian/curl@7.88.1-") and r.endswith("?arch=amd64&distro=bookworm")
        for r in refs
    )


def test_the_sbom_names_each_package_once() -> None:
    refs = [c["bom-ref"] for c in sbom(building.read(IMAGES / "openclaw-2026.9.6"))["components"]]
    assert len(refs) == len(set(refs))


def test_provenance_has_the_image_as_subject_and_every_input_by_digest() -> None:
    locked = building.read(IMAGES / "openclaw-2026.9.6")
    statement = provenance(locked)
    assert statement["subject"][0]["digest"]["sha256"] == locked.lock.config[7:]
    dependencies = statement["predicate"]["buildDefinition"]["resolvedDependencies"]
    digests = {d["digest"].get("sha256") for d in dependencies}
    assert {p.sha256[7:] for p in locked.lock.inputs.debian} <= digests


def test_sbom_and_provenance_have_canonical_json() -> None:
    locked = building.read(IMAGES / "openclaw-2026.9.6")
    assert canonical.encode(sbom(locked)) == canonical.encode(sbom(locked))
    assert canonical.encode(provenance(locked))


def test_equal_locks_have_no_difference() -> None:
    locked = building.read(IMAGES / "openclaw-2026.9.6")
    assert diff(locked, locked) == ()


def test_a_package_with_the_same_version_and_other_bytes_shows_both_hashes() -> None:
    old = building.read(IMAGES / "openclaw-2026.9.6")
    inputs = old.lock.inputs
    pin = inputs.debian[0].model_copy(update={"sha256": "sha256:" + "0" * 64})
    changed = inputs.model_copy(update={"debian": (pin, *inputs.debian[1:])})
    new = building.LockedImage(
        old.lock.model_copy(update={"inputs": changed}), old.package_json, old.package_lock
    )
    first = inputs.debian[0]
    assert [str(c) for c in diff(old, new)] == [
        f"~ debian {first.name} {first.version} {first.sha256} -> {first.version} {pin.sha256}"
    ]


def test_only_the_entries_of_the_suite_are_taken_from_apt(tmp_path: Path) -> None:
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text(
        "deb [signed-by=/k] http://mirror.invalid/debian bookworm main\n"
        "deb http://other.invalid/x nodistro main\n"
        "# deb http://mirror.invalid/debian bookworm-security main\n"
    )
    found = machine_sources("bookworm", tmp_path)
    assert found == "deb [signed-by=/k] http://mirror.invalid/debian bookworm main\n"


def test_a_reason_moves_the_lock_and_not_the_image(tmp_path: Path) -> None:
    folder = tmp_path / "openclaw-2026.9.6"
    shutil.copytree(IMAGES / folder.name, folder)
    before = building.read(folder)
    with (folder / "recipe.toml").open("a") as recipe:
        recipe.write('\n[unsupported]\nmemory = "it forgets"\n')
    after, changes = building.update_reasons(tmp_path, folder.name)
    assert building.read(folder).pin == after.pin
    assert [str(c) for c in changes] == ["+ recipe unsupported memory it forgets"]
    assert after.pin.unsupported == {"memory": "it forgets"}
    assert (after.pin.config, after.pin.lock == before.pin.lock) == (before.pin.config, False)


def test_a_recipe_that_differs_in_more_than_a_reason_is_not_taken_over(tmp_path: Path) -> None:
    folder = tmp_path / "openclaw-2026.9.6"
    shutil.copytree(IMAGES / folder.name, folder)
    text = (folder / "recipe.toml").read_text().replace('"24.22.3"', '"24.22.4"')
    (folder / "recipe.toml").write_text(text)
    with pytest.raises(InputError, match="in more than what it does not support"):
        building.update_reasons(tmp_path, folder.name)
