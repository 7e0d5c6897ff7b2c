"""check-board: the published board recomputes, and every kind of error is found."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from clawpro_artifact.cli import main
from clawpro_artifact.comparing import Formula, check_board
from clawpro_artifact.errors import InputError

VECTORS = Path(__file__).parents[1] / "vectors"
PUBLISHED = VECTORS / "clawprobench-open-published.csv"
ROWS = VECTORS / "clawprobench-open-rows.csv"
OPEN = Formula.named("open")


def test_all_34_published_configurations_recompute():
    found, compared = check_board(PUBLISHED, ROWS, OPEN)
    assert found == []
    # Order 4, counts 4, formula 1, rows 5 for each of 34.
    assert compared == 34 * 14


def test_the_formula_of_the_other_board_is_told_from_this_one():
    found, _ = check_board(PUBLISHED, ROWS, Formula.named("closed"))
    assert {f.rule for f in found} == {"formula"}
    assert len(found) == 34


def test_a_formula_may_be_given_by_its_exponents():
    assert check_board(PUBLISHED, ROWS, Formula.named("0.40,0.45,0.15"))[0] == []
    with pytest.raises(InputError, match="no such formula"):
        Formula.named("1,2")


def edited(tmp_path, edit, header=None):
    """The published table with `edit` done to its third line (a dict)."""
    with PUBLISHED.open() as file:
        table = list(csv.DictReader(file))
    edit(table[2])
    out = tmp_path / "board.csv"
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, header or list(table[0]), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(table)
    return out, table[2]["configuration"]


@pytest.mark.parametrize(
    ("key", "value", "rules"),
    [
        ("pass3", "0.95", {"order", "formula", "not-from-rows"}),
        ("pass_at_1", "0.4", {"order"}),
        ("unweighted_pass_at_1", "0.9", {"order", "counts"}),
        ("unweighted_pass_at_k_any", "0.2", {"order", "counts"}),
        ("overall_score", "0.5841", {"not-from-rows", "formula"}),
        ("overall_score", "1.2", {"range", "not-from-rows", "formula"}),
        ("final_score", "52.4", {"formula"}),
        ("strict_pass_rate", "0.2000", {"counts", "not-from-rows"}),
        ("pass_3_of_3", "16", {"counts", "not-from-rows"}),
        ("final_score", "nan", {"no-number"}),
        ("final_score", "", {"no-number"}),
        ("pass3", "-0.1", {"no-number"}),
        ("overall_score", "NaN", {"no-number"}),
        ("pass_3_of_3", "many", {"no-number"}),
    ],
)
def test_a_wrong_figure_is_found_by_its_rules_alone(key, value, rules, tmp_path):
    def edit(line):
        line[key] = value

    board, name = edited(tmp_path, edit)
    found, _ = check_board(board, ROWS, OPEN)
    assert {f.configuration for f in found} == {name}
    assert {f.rule for f in found} == rules


def test_rates_without_a_denominator_are_found(tmp_path):
    keep = ["configuration", "strict_pass_rate", "unweighted_pass_at_1"]
    board, _ = edited(tmp_path, lambda line: None, keep)
    found, _ = check_board(board, None, OPEN)
    assert [f.rule for f in found] == ["no-denominator"]


@pytest.mark.parametrize(
    ("version", "date", "good"),
    [
        ("2026.6.11", "2026-06-20", True),
        ("2026.13.1", "2026-12-01", False),
        ("2026.2.31", "2026-12-01", False),
        ("2019.1.1", "2026-12-01", False),
        ("latest", "2026-12-01", False),
        ("2026.9.6", "2026-06-20", False),
    ],
)
def test_an_impossible_runtime_version_is_found(version, date, good, tmp_path):
    board = tmp_path / "board.csv"
    board.write_text(f"configuration,runtime_version,date\na,{version},{date}\n")
    found, _ = check_board(board, None, OPEN)
    assert [f.rule for f in found] == ([] if good else ["runtime-version"])


def test_a_line_without_rows_rows_without_a_line_and_a_double_are_found(tmp_path):
    with PUBLISHED.open() as file:
        lines = file.read().splitlines()
    board = tmp_path / "board.csv"
    other = lines[2].replace(lines[2].split(",")[0], "nobody__model")
    board.write_text("\n".join([lines[0], lines[1], lines[1], other, *lines[3:]]))
    found, _ = check_board(board, ROWS, OPEN)
    assert {f.rule for f in found} == {"listed-twice", "no-rows", "not-published"}


def test_a_cell_too_many_and_a_row_twice_are_malformed(tmp_path):
    board = tmp_path / "board.csv"
    board.write_text("configuration,pass3\na,0.1,0.2\n")
    with pytest.raises(InputError, match="another number of cells"):
        check_board(board, None, OPEN)
    rows = tmp_path / "rows.csv"
    lines = ROWS.read_text().splitlines()
    rows.write_text("\n".join([*lines[:5], lines[4]]))
    with pytest.raises(InputError, match="there twice"):
        check_board(PUBLISHED, rows, OPEN)


def test_the_verb_says_yes_for_the_board_and_no_for_an_edited_one(tmp_path, capsys):
    assert main(["check-board", str(PUBLISHED), "--rows", str(ROWS)]) == 0
    assert "476 figures compared, 0 findings" in capsys.readouterr().out
    board, name = edited(tmp_path, lambda line: line.update(final_score="90"))
    assert main(["check-board", str(board)]) == 1
    assert name in capsys.readouterr().out
