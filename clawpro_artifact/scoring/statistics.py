"""values -> means, errors and intervals; Decimal throughout, so that every machine agrees."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import cache

DIGITS = 10
CONTEXT = Context(prec=50, rounding=ROUND_HALF_EVEN)
PI = Decimal("3.1415926535897932384626433832795028841971693993751")
Z95 = Decimal("1.959963984540054235524594430520551527955550")  # normal quantile of 0.975
Ends = tuple[Decimal, Decimal]
_LAST = Decimal(1).scaleb(-DIGITS)


def shown(value: Decimal | None) -> str | None:
    """The printed form: a decimal string with DIGITS digits after the point; None stays None."""
    if value is None:
        return None
    text = format(value.quantize(_LAST, context=CONTEXT), "f")
    return text.removeprefix("-") if not value else text


def mean(values: Sequence[Decimal]) -> Decimal | None:
    """Arithmetic mean; None of nothing."""
    return sum(values, Decimal(0)) / len(values) if values else None


def standard_error(values: Sequence[Decimal]) -> Decimal | None:
    """sd (n - 1) / sqrt(n) over independent units; None for fewer than two."""
    n, middle = len(values), mean(values)
    if n < 2 or middle is None:
        return None
    return (sum(((v - middle) ** 2 for v in values), Decimal(0)) / (n - 1) / n).sqrt()


def student(values: Sequence[Decimal], lowest: int) -> Ends | None:
    """95 % t interval of the mean, within [lowest, 1]; None where nothing varies (prints as 0)."""
    middle, error = mean(values), standard_error(values)
    if middle is None or error is None or error <= _LAST / 2:
        return None
    half = error * t95(len(values) - 1)
    return max(Decimal(lowest), middle - half), min(Decimal(1), middle + half)


def wilson(count: int, n: int, z: Decimal = Z95) -> Ends | None:
    """Wilson score interval (Wilson 1927) of count / n; None for n = 0."""
    if n == 0:
        return None
    p, z2 = Decimal(count) / n, z * z
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * (p * (1 - p) / n + z2 / (4 * n * n)).sqrt()
    low, high = middle - half, middle + half
    return (low if count else Decimal(0)), (high if count < n else Decimal(1))


@cache
def t95(df: int) -> Decimal:
    """0.975 quantile of Student's t with `df` degrees of freedom, by halving [1, 13]."""
    low, high = Decimal(1), Decimal(13)
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (middle, high) if central(middle, df) < Decimal("0.95") else (low, middle)
    return low


def central(t: Decimal, df: int) -> Decimal:
    """P(-t < T < t): a finite sum for whole df (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    cosine2, odd = df / (df + t * t), df % 2
    sine, cosine = (1 - cosine2).sqrt(), cosine2.sqrt()
    term = total = (Decimal(0) if df == 1 else cosine) if odd else Decimal(1)
    for j in range(2 + odd, df - 1, 2):
        term *= cosine2 * (j - 1) / j
        total += term
    return 2 * (arctan(sine / cosine) + sine * total) / PI if odd else sine * total


def arctan(x: Decimal) -> Decimal:
    """By its series, after six halvings of the angle."""
    for _ in range(6):
        x /= 1 + (1 + x * x).sqrt()
    terms = ((-1) ** i * x ** (2 * i + 1) / (2 * i + 1) for i in range(20))
    return 64 * sum(terms, Decimal(0))
