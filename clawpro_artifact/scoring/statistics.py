"""values -> means, errors and intervals; Decimal throughout, so that every machine agrees."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext

DIGITS = 10
CONTEXT = Context(prec=50, rounding=ROUND_HALF_EVEN)
# 0.975 quantile of the standard normal distribution.
Z95 = Decimal("1.959963984540054235524594430520551527955550")


def shown(value: Decimal | None) -> str | None:
    """The printed form: a decimal string with DIGITS digits after the point; None stays None."""
    if value is None:
        return None
    with localcontext(CONTEXT):
        text = format(value.quantize(Decimal(1).scaleb(-DIGITS)), "f")
    return text.removeprefix("-") if not value else text


def mean(values: Sequence[Decimal]) -> Decimal | None:
    """Arithmetic mean; None of nothing."""
    return sum(values, Decimal(0)) / len(values) if values else None


def standard_error(values: Sequence[Decimal]) -> Decimal | None:
    """sd (n - 1) / sqrt(n) over independent units; None for fewer than two."""
    n = len(values)
    if n < 2:
        return None
    middle = sum(values, Decimal(0)) / n
    squares = sum(((v - middle) ** 2 for v in values), Decimal(0))
    return (squares / (n - 1) / n).sqrt()


def wilson(count: int, n: int, z: Decimal = Z95) -> tuple[Decimal, Decimal] | None:
    """Wilson score interval (Wilson 1927) of count / n; None for n = 0."""
    if n == 0:
        return None
    p, z2 = Decimal(count) / n, z * z
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * (p * (1 - p) / n + z2 / (4 * n * n)).sqrt()
    low = Decimal(0) if count == 0 else middle - half
    high = Decimal(1) if count == n else middle + half
    return low, high


def draws(seed: int, label: str, resample: int, n: int) -> list[int]:
    """n indices below n for one bootstrap resample, from a counter hash.

    SHAKE-256 over `seed/label/resample`, 8 bytes an index, reduced by multiplication; an auditor
    can redo it in any language. The bias of the reduction is below n / 2**64.
    """
    data = hashlib.shake_256(f"clawpro.bootstrap.v1/{seed}/{label}/{resample}".encode())
    stream = data.digest(8 * n)
    return [int.from_bytes(stream[8 * i : 8 * i + 8], "big") * n >> 64 for i in range(n)]


def bootstrap(
    values: Sequence[Decimal], seed: int, label: str, resamples: int = 1000
) -> tuple[Decimal, Decimal] | None:
    """Percentile interval of the mean over independent units; None for fewer than two."""
    n = len(values)
    if n < 2:
        return None
    means = sorted(
        sum((values[i] for i in draws(seed, label, r, n)), Decimal(0)) / n for r in range(resamples)
    )
    low = means[int(Decimal("0.025") * (resamples - 1))]
    high = means[resamples - 1 - int(Decimal("0.025") * (resamples - 1))]
    return low, high
