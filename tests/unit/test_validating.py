"""Validation of scenarios: a good one has no finding, and each broken promise is found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.scenarios import choose_policy, discover, load
from clawpro_artifact.validating import validate, validate_suite
from clawpro_artifact.validating.answers import malformed
from clawpro_artifact.validating.holdout import Desk, reference_text
from clawpro_artifact.validating.wired import TOOLS

SCENARIOS = Path(__file__).parents[2] / "scenarios"
HOLDOUT = SCENARIOS / "holdout/pump-invoices-three-way-match"
TRIAGE = SCENARIOS / "holdout/clinic-ticket-triage"
LIVE = SCENARIOS / "full/workspace/ledger-export-behind-lock"


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[Path], Path]:
    """Makes a copy of a scenario that a test may break."""

    def copy(folder: Path) -> Path:
        place = tmp_path / folder.name
        shutil.copytree(folder, place)
        return place

    return copy


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def details(folder: Path) -> str:
    return "\n".join(f"{f.rule}: {f.detail}" for f in validate(load(folder), TOOLS))


@pytest.mark.parametrize("folder", [HOLDOUT, TRIAGE, LIVE], ids=lambda f: f.name)
def test_a_good_scenario_has_no_finding(folder: Path) -> None:
    assert details(folder) == ""


def test_a_wrong_expected_value_is_found_by_the_derivation(copied: Callable[[Path], Path]) -> None:
    folder = copied(HOLDOUT)
    change(folder / "expected.json", "16229.4", "16229.5")
    assert "derivation: scenario: derived" in details(folder)


def test_a_near_miss_that_fails_other_checks_is_found(copied: Callable[[Path], Path]) -> None:
    folder = copied(HOLDOUT)
    change(folder / "scenario.toml", '"amount-90211", "codes-90211"]', '"amount-90211"]')
    assert "policy freight-by-mail: checks failed: declared" in details(folder)


def test_a_twin_without_a_changed_input_is_found(copied: Callable[[Path], Path]) -> None:
    folder = copied(HOLDOUT)
    shutil.rmtree(folder / "sensitivity/return-cancelled/inputs")
    assert "the overlay changes no input" in details(folder)


def test_a_leaked_answer_is_found(copied: Callable[[Path], Path]) -> None:
    folder = copied(HOLDOUT)
    with (folder / "inputs/mail-thread.txt").open("a", encoding="utf-8") as file:
        file.write((folder / "expected.json").read_text("utf-8"))
    assert "leak: the expected value at '/invoices/0' stands in the prompt" in details(folder)


def test_a_check_that_pays_for_doing_nothing_is_found(copied: Callable[[Path], Path]) -> None:
    folder = copied(LIVE)
    idle = '[[checks]]\nid = "idle"\nkind = "unchanged"\ngroup = "export"\n'
    idle += 'with = { paths = ["vouchers/"] }\n\n[[checks]]\nid = "export-total"'
    change(folder / "scenario.toml", '[[checks]]\nid = "export-total"', idle)
    assert "doing nothing: it earns" in details(folder)


def test_a_detector_that_misses_a_breach_is_found(copied: Callable[[Path], Path]) -> None:
    folder = copied(LIVE)
    change(folder / "scenario.toml", 'paths = ["data/ledger/", ', 'paths = ["elsewhere/", ')
    found = details(folder)
    assert (
        "policy ledger-edited-by-script: rules breached: declared ['ledger-is-not-edited']" in found
    )


def test_an_event_that_never_happens_is_found(copied: Callable[[Path], Path]) -> None:
    folder = copied(LIVE)
    change(
        folder / "scenario.toml",
        'id = "control-total"\ntrigger = { after_path_exists = "state/queue/export-3" }',
        'id = "control-total"\ntrigger = { after_path_exists = "never" }',
    )
    assert "events: never triggered by the reference: {'control-total'}" in details(folder)


def test_a_missing_file_is_an_input_error_that_names_it(copied: Callable[[Path], Path]) -> None:
    folder = copied(HOLDOUT)
    (folder / "near-misses/careless.json").unlink()
    with pytest.raises(InputError, match=r"near-misses/careless\.json"):
        load(folder)


def test_a_folder_of_another_name_is_an_input_error(copied: Callable[[Path], Path]) -> None:
    folder = copied(HOLDOUT)
    with pytest.raises(InputError, match="not the name of its folder"):
        load(folder.rename(folder.with_name("other")))


def test_more_than_forty_kinds_of_malformed_answers_are_all_invalid_output_and_worth_nothing() -> (
    None
):
    desk = Desk(load(HOLDOUT), TOOLS)
    spoiled = malformed(reference_text(desk))
    assert len(spoiled) >= 40
    for name, text in spoiled.items():
        got = desk.judge(text)
        assert got.correctness == 0, name
        assert got.errors == (), name


@pytest.mark.parametrize("marker", ["{{canary:relay-token}}", "{{canary:relay-token:base64}}"])
def test_a_canary_in_any_field_closes_the_gate(marker: str) -> None:
    desk = Desk(load(TRIAGE), TOOLS)
    answer = json.loads(reference_text(desk))
    answer["tickets"][0]["handover"] = marker
    got = desk.judge(json.dumps(answer))
    assert got.breaches == {"token-stays-inside"}
    assert (got.correctness, got.score, got.passes) == (1, 0, False)


def test_a_scenario_without_the_policy_is_played_by_its_reference() -> None:
    scenario = load(HOLDOUT).scenario
    assert choose_policy(scenario, "careless").name == "careless"
    assert choose_policy(scenario, "reckless").name == "reference"


def test_a_twin_is_the_folder_with_the_overlay_and_its_arguments() -> None:
    folder = load(LIVE)
    twin = folder.twin(folder.scenario.sensitivity[0])
    check = next(c for c in twin.scenario.checks if c.id == "export-total")
    assert check.arguments["value"] == "8656.59"
    assert "490.00" in twin.text("workspace/vouchers/2026110311.txt")
    assert twin.text("prompt.md") == folder.text("prompt.md")


def test_scenarios_in_the_wrong_place_or_under_one_title_are_found(
    copied: Callable[[Path], Path],
) -> None:
    twice = [load(HOLDOUT), load(copied(HOLDOUT))]
    found = {f.detail for f in validate_suite(twice, TOOLS)}
    assert "same title as pump-invoices-three-way-match" in found
    assert "it belongs in holdout/pump-invoices-three-way-match" in found


def test_every_scenario_of_the_repository_loads() -> None:
    for folder in discover(SCENARIOS):
        load(folder)
