"""passed trials of a cell -> pass@k and pass^k, by counts."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from math import comb


@cache
def pass_at_k(n: int, c: int, k: int) -> Decimal | None:
    """Chance that at least one of k trials passes: 1 - C(n-c, k) / C(n, k); None for n < k.

    Unbiased (Chen et al. 2021, arXiv:2107.03374).
    """
    return 1 - Decimal(comb(n - c, k)) / comb(n, k) if n >= k else None


@cache
def pass_hat_k(n: int, c: int, k: int) -> Decimal | None:
    """Chance that all of k trials pass: C(c, k) / C(n, k); None for n < k.

    Unbiased (Yao et al. 2024, arXiv:2406.12045); the plug-in (c/n)^k is not.
    """
    return Decimal(comb(c, k)) / comb(n, k) if n >= k else None
