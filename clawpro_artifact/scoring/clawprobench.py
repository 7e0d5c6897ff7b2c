"""ClawProBench's own formulas (its README at 70f6015), a second view that enters no other number.

The 34 configurations of their open board recompute with these: tests/vectors/test_board.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

ZERO, ONE = Decimal(0), Decimal(1)
DIFFICULTY = {"easy": 1, "medium": 2, "hard": 4, "expert": 8}
DIMENSION = {"tool-use": Decimal("0.20"), "planning": Decimal("0.20")}
OTHER_DIMENSION = Decimal("0.15")
EXPONENTS = {  # of S, r_all and r_any, on either board
    "open": (Decimal("0.40"), Decimal("0.45"), Decimal("0.15")),
    "closed": (Decimal("0.40"), Decimal("0.25"), Decimal("0.35")),
}
Valued = tuple[str, str, Decimal, Decimal]  # dimension, difficulty, scenario's weight, value


def trial(gate: int, correctness: Decimal, process: Decimal, steps: int, optimum: int) -> Decimal:
    """G (0.65 C + 0.35 P)(1 - E), E = min(0.30, 0.15 (steps - optimum) / optimum) above it.

    Here G is 0 or 1: their 0.2 is a grader's opinion, not recorded. It earns for process alone.
    """
    penalty = min(Decimal("0.30"), Decimal("0.15") * max(0, steps - optimum) / optimum)
    return gate * (Decimal("0.65") * correctness + Decimal("0.35") * process) * (ONE - penalty)


def weighted(rows: Iterable[Valued]) -> Decimal:
    """Mean by difficulty times scenario weight in each dimension, then over those by their weight.

    A dimension in which nothing weighs anything does not count.
    """
    sums: dict[str, tuple[Decimal, Decimal]] = {}
    for dimension, difficulty, scenario_weight, value in rows:
        weight = scenario_weight * DIFFICULTY[difficulty]
        top, bottom = sums.get(dimension, (ZERO, ZERO))
        sums[dimension] = (top + weight * value, bottom + weight)
    shares = {name: DIMENSION.get(name, OTHER_DIMENSION) for name, (_, w) in sums.items() if w}
    earned = sum((w * sums[name][0] / sums[name][1] for name, w in shares.items()), ZERO)
    return earned / sum(shares.values()) if shares else ZERO


def final_score(views: tuple[Decimal, ...], exponents: tuple[Decimal, ...]) -> Decimal:
    """100 S^a r_all^b r_any^c out of S, strict and any; a, b and c are the declared formula.

    r_all = strict^(1/3), r_any = 1 - (1 - any)^(1/3): what one trial would need for three to give
    these shares.
    """
    (s, strict, some), found, third = views, Decimal(100), ONE / 3
    bases = (s, _power(strict, third), ONE - _power(ONE - some, third))
    for base, exponent in zip(bases, exponents, strict=True):
        found *= _power(base, exponent)
    return found


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    return base**exponent if base > 0 else ZERO
