"""docs/portfolio.toml -> counts: the portfolio has exactly the shape that was promised."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import pytest

from clawpro_artifact.model.base import NATIVE_SURFACES, Difficulty, Dimension, Domain

Row = dict[str, Any]

PORTFOLIO = Path(__file__).parents[2] / "docs" / "portfolio.toml"
ROWS: list[Row] = tomllib.loads(PORTFOLIO.read_text("utf-8"))["scenario"]
PARTS: dict[str, list[Row]] = {
    "holdout": [r for r in ROWS if r["surface"] == "json"],
    "workspace": [r for r in ROWS if r["surface"] == "workspace"],
    "native": [r for r in ROWS if r["surface"] in NATIVE_SURFACES],
}
BY_ID = {r["id"]: r for r in ROWS}
FLAGS = ("can_breach", "live", "many_end_states", "demo")
TEXTS = ("job", "task", "trap", "grader", "tests")
KEYS = {
    *("id", "track", "surface", "more_surfaces", "domain", "dimension", "difficulty", "language"),
    *FLAGS,
    *TEXTS,
    "steps",
}

# Issues 5, 6 and 7: the numbers promised for each part.
SIZES = {"holdout": 68, "workspace": 66, "native": 36}
DIMENSIONS = {
    "holdout": dict(zip(get_args(Dimension), (17, 13, 12, 10, 10, 6), strict=True)),
    "workspace": dict(zip(get_args(Dimension), (8, 12, 12, 11, 10, 13), strict=True)),
    "native": dict(zip(get_args(Dimension), (4, 7, 7, 5, 5, 8), strict=True)),
}
DIFFICULTIES = {"holdout": (8, 16, 28, 16), "workspace": (4, 10, 26, 26)}
WORKSPACE_DOMAINS = {
    "software": 16,
    "data-analysis": 12,
    "documents": 10,
    "operations": 10,
    "customer-communication": 8,
    "finance-compliance": 6,
    "security-privacy": 4,
}
MAIN_SURFACES = {
    "browsing": 6,
    "memory": 7,
    "messaging": 6,
    "scheduling": 6,
    "skills": 5,
    "subagents": 6,
}
CHINESE = {"holdout": 14, "workspace": 13, "native": 7}
CAN_BREACH = {"holdout": 24, "workspace": 16, "native": 12}
DEMONSTRATION = {"holdout": 6, "workspace": 4, "native": 2}

parts = pytest.mark.parametrize("part", list(SIZES))
rows = pytest.mark.parametrize("row", ROWS, ids=lambda r: r["id"])


def _count(part: str, key: str) -> dict[str, int]:
    return dict(Counter(r[key] for r in PARTS[part]))


def test_the_dimensions_named_here_are_in_the_order_of_the_model() -> None:
    assert get_args(Dimension) == (
        *("safety", "synthesis", "planning", "constraints", "tool-use", "error-recovery"),
    )


def test_every_id_is_used_once() -> None:
    assert [i for i, n in Counter(r["id"] for r in ROWS).items() if n > 1] == []


def test_every_scenario_tests_something_of_its_own() -> None:
    assert [t for t, n in Counter(r["tests"] for r in ROWS).items() if n > 1] == []


@parts
def test_a_part_has_its_promised_size(part: str) -> None:
    assert len(PARTS[part]) == SIZES[part]


def test_every_row_belongs_to_one_part() -> None:
    assert sum(map(len, PARTS.values())) == len(ROWS)


@parts
def test_a_part_has_its_promised_dimensions(part: str) -> None:
    assert _count(part, "dimension") == DIMENSIONS[part]


@pytest.mark.parametrize("part", list(DIFFICULTIES))
def test_a_part_has_its_promised_difficulties(part: str) -> None:
    found = _count(part, "difficulty")
    assert tuple(found[d] for d in get_args(Difficulty)) == DIFFICULTIES[part]


def test_native_is_mostly_hard_and_knows_every_difficulty() -> None:
    found = _count("native", "difficulty")
    assert set(found) == set(get_args(Difficulty))
    assert found["hard"] + found["expert"] >= 24


def test_no_domain_of_the_holdout_is_below_6_or_above_14() -> None:
    found = _count("holdout", "domain")
    assert set(found) == set(get_args(Domain))
    assert min(found.values()) >= 6 and max(found.values()) <= 14


def test_the_workspace_half_has_its_promised_domains() -> None:
    assert _count("workspace", "domain") == WORKSPACE_DOMAINS


def test_native_has_at_least_three_of_every_domain() -> None:
    found = _count("native", "domain")
    assert set(found) == set(get_args(Domain)) and min(found.values()) >= 3


def test_native_has_its_promised_main_surfaces() -> None:
    assert _count("native", "surface") == MAIN_SURFACES


def test_at_least_14_native_scenarios_need_two_surfaces() -> None:
    two = [r for r in PARTS["native"] if set(r["more_surfaces"]) - {r["surface"], "workspace"}]
    assert len(two) >= 14


@parts
def test_about_one_scenario_in_five_is_chinese(part: str) -> None:
    assert _count(part, "language")["zh"] == CHINESE[part]


@parts
def test_enough_scenarios_can_breach(part: str) -> None:
    assert sum(r["can_breach"] for r in PARTS[part]) >= CAN_BREACH[part]


@parts
def test_every_safety_scenario_can_breach(part: str) -> None:
    mute = [r["id"] for r in PARTS[part] if r["dimension"] == "safety" and not r["can_breach"]]
    assert mute == []


def test_at_least_24_workspace_scenarios_are_live() -> None:
    assert sum(r["live"] for r in PARTS["workspace"]) >= 24


def test_at_least_12_workspace_scenarios_have_many_right_end_states() -> None:
    assert sum(r["many_end_states"] for r in PARTS["workspace"]) >= 12


def test_at_least_18_native_scenarios_are_paired() -> None:
    assert sum("twin" in r for r in PARTS["native"]) >= 18


def test_only_native_scenarios_name_a_twin_and_no_twin_is_named_twice() -> None:
    named = [r["twin"] for r in ROWS if "twin" in r]
    assert len(named) == len(set(named))
    assert all(r in PARTS["native"] for r in ROWS if "twin" in r)


@pytest.mark.parametrize("row", [r for r in ROWS if "twin" in r], ids=lambda r: r["id"])
def test_a_twin_is_a_workspace_scenario_of_like_difficulty(row: Row) -> None:
    twin = BY_ID[row["twin"]]
    order = get_args(Difficulty)
    assert twin["surface"] == "workspace"
    assert abs(order.index(row["difficulty"]) - order.index(twin["difficulty"])) <= 1


@parts
def test_the_demonstration_has_its_promised_size(part: str) -> None:
    assert sum(r["demo"] for r in PARTS[part]) == DEMONSTRATION[part]


def test_the_native_demonstration_is_one_of_memory_and_one_of_scheduling() -> None:
    assert sorted(r["surface"] for r in PARTS["native"] if r["demo"]) == ["memory", "scheduling"]


@rows
def test_a_row_says_everything_that_an_author_needs(row: Row) -> None:
    optional = {"event"} if row["live"] else set()
    optional |= {"twin", "twin_decision"} if "twin" in row else set()
    assert set(row) == KEYS | optional
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", row["id"])
    assert row["track"] == ("holdout" if row["surface"] == "json" else "full")
    assert all(isinstance(row[f], bool) for f in FLAGS)
    assert all(len(row[t]) >= 20 for t in TEXTS if t != "job")
    assert row["job"]


@rows
def test_flags_agree_with_what_the_grader_says(row: Row) -> None:
    assert row["can_breach"] == ("Breach: " in row["grader"])
    assert not row["many_end_states"] or "ccepts " in row["grader"]


def test_no_two_scenarios_share_more_than_a_third_of_their_steps() -> None:
    clones = [
        (a["id"], b["id"], sorted(shared))
        for a, b in combinations(ROWS, 2)
        if (shared := set(a["steps"]) & set(b["steps"]))
        and Fraction(len(shared), min(len(a["steps"]), len(b["steps"]))) > _allowed(a, b)
    ]
    assert clones == []


def _allowed(a: Row, b: Row) -> Fraction:
    """Twins repeat one decision on purpose, so that half of their steps may be the same."""
    twins = a.get("twin") == b["id"] or b.get("twin") == a["id"]
    return Fraction(1, 2) if twins else Fraction(1, 3)


@rows
def test_a_row_names_at_least_six_different_steps(row: Row) -> None:
    assert len(set(row["steps"])) == len(row["steps"]) >= 6


def test_the_holdout_is_a_closed_world() -> None:
    assert [r["id"] for r in PARTS["holdout"] if r["live"] or r["more_surfaces"]] == []
