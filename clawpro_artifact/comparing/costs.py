"""usage of trials x a dated price table -> tokens by class, cost, latency; a view beside scores.

Prices change and are nobody's measurement: the table is an input with a date and a source, and its
digest stands by every amount. What was not reported or has no price is None, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from clawpro_artifact.formats import canonical, documents
from clawpro_artifact.model.base import Value

Amount = Annotated[str, StringConstraints(pattern=r"^(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,9})?$")]
CLASSES = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens")
_MILLION = 10**6
_CENT = Decimal("0.000001")


class Price(Value):
    """Of one model, per million tokens. None: not known, and so is every cost that needs it."""

    input: Amount | None = None
    cached_input: Amount | None = None
    output: Amount | None = None


class PriceTable(Value):
    """Prices of models by the name that a manifest gives them, as of `date`."""

    format: Literal["clawpro.prices.v1"]
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
    date: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    source: str = Field(min_length=1, description="where the prices were read")
    models: dict[str, Price]


def read_prices(path: Path) -> PriceTable:
    """InputError for a table that is none."""
    return documents.read(PriceTable, path)


def spending(
    records: Iterable[Mapping[str, Any]],
    tracks: Mapping[str, str],
    models: Mapping[str, str],
    prices: PriceTable | None,
) -> list[dict[str, Any]]:
    """Per configuration and track. `records`: lines of `records.jsonl`; `tracks`: of scenarios;
    `models`: of configurations. Trials that infrastructure ended were paid for and count.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in records:
        key = (record["configuration"], tracks[record["scenario"]])
        groups.setdefault(key, []).append(record)
    return [
        {
            "configuration": configuration,
            "track": track,
            "model": models[configuration],
            "trials": len(rows),
            "tokens": {name: _tokens(rows, name) for name in CLASSES},
            "cost": _cost(rows, models[configuration], prices),
            "latency": _latency(rows),
        }
        for (configuration, track), rows in sorted(groups.items())
    ]


def _count(record: Mapping[str, Any], name: str) -> int | None:
    usage: Mapping[str, int | None] = record["usage"] or {}
    return usage.get(name)


def _tokens(rows: Sequence[Mapping[str, Any]], name: str) -> dict[str, int | None]:
    """The sum, None unless every trial reported it; and how many did."""
    known = [v for row in rows if (v := _count(row, name)) is not None]
    return {"total": sum(known) if len(known) == len(rows) else None, "reported": len(known)}


def _cost(
    rows: Sequence[Mapping[str, Any]], model: str, prices: PriceTable | None
) -> dict[str, Any]:
    if prices is None:
        return {"total": None, "per_trial": None, "reason": "no price table was given"}
    about = {
        "currency": prices.currency,
        "date": prices.date,
        "source": prices.source,
        "table": canonical.digest(prices),
    }
    nothing = {"total": None, "per_trial": None, **about}
    price = prices.models.get(model)
    if price is None or price.input is None or price.output is None:
        return {**nothing, "reason": f"no price of {model} is known"}
    total, uncached = Decimal(0), 0
    for row in rows:
        given, cached, made = (_count(row, n) for n in CLASSES[:3])
        if given is None or made is None:
            trial = f"{row['configuration']}/{row['scenario']}/{row['index']}"
            return {**nothing, "reason": f"{trial} reported no tokens"}
        if cached and price.cached_input is None:
            return {**nothing, "reason": f"no price of cached input of {model} is known"}
        uncached += cached is None
        held = min(cached or 0, given)
        # Reasoning tokens are among the output tokens, and paid as these.
        total += (given - held) * Decimal(price.input) + made * Decimal(price.output)
        total += held * Decimal(price.cached_input or 0)
    total /= _MILLION
    note = f"{uncached} trials reported no cached tokens: priced as uncached" if uncached else None
    return {
        "total": format(total.quantize(_CENT), "f"),
        "per_trial": format((total / len(rows)).quantize(_CENT), "f"),
        **about,
        "reason": note,
    }


def _latency(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Milliseconds of trials that were decided; `p95` is the nearest rank."""
    times = sorted(r["duration_ms"] for r in rows if r["outcome"] != "infra_failed")
    if not times:
        return {"n": 0, "median_ms": None, "p95_ms": None, "total_ms": None}
    return {
        "n": len(times),
        "median_ms": median(times),
        "p95_ms": times[math.ceil(0.95 * len(times)) - 1],
        "total_ms": sum(times),
    }
