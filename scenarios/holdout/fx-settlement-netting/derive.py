"""Inputs folder (argv[1]) -> expected.json: positions per party, then calls of the payment tool."""
import csv
import datetime
import json
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


digits = {r["currency"]: int(r["minor_digits"]) for r in rows("currencies.csv")}
cut = {r["currency"]: (r["cut_off_cet"], r["lag_days"]) for r in rows("currencies.csv")}
holidays = {(r["currency"], r["date"]) for r in rows("holidays.csv")}
home = {r["entity"]: r["settles_in"] for r in rows("entities.csv")}
apart = {frozenset((r["a"], r["b"])) for r in rows("no_netting.csv")}
eur = {}
for r in rows("rates.csv"):
    # A quote is units of `quote` for one `base`.
    q = Decimal(r["rate"])
    eur[r["quote"] if r["base"] == "EUR" else r["base"]] = 1 / q if r["base"] == "EUR" else q
eur["EUR"] = Decimal(1)


def exact(amount, currency):
    return amount.quantize(Decimal(1).scaleb(-digits[currency]), ROUND_HALF_UP)


def minor(amount, currency):
    return int(amount.scaleb(digits[currency]))


def value_date(date, clock, currency):
    day = datetime.date.fromisoformat(date)
    limit, lag = cut[currency]
    steps = int(lag) + (clock > limit)
    while steps or day.weekday() > 4 or (currency, str(day)) in holidays:
        good = day.weekday() < 5 and (currency, str(day)) not in holidays
        day += datetime.timedelta(1)
        if good and steps:
            steps -= 1
    return str(day)


run = rows("run.csv")[0]
position, gross, out = {e: Decimal(0) for e in home}, [], []
for r in rows("payables.csv"):
    if r["status"] == "disputed" or r["due"] > run["due_until"]:
        out.append(r["item"])
        continue
    amount = Decimal(r["amount"])
    if frozenset((r["debtor"], r["creditor"])) in apart:
        gross.append(r)
        continue
    value = exact(amount * eur[r["currency"]], "EUR")
    position[r["debtor"]] -= value
    position[r["creditor"]] += value
calls = []
for entity in sorted(position):
    p, currency = position[entity], home[entity]
    if abs(p) < Decimal(run["threshold_eur"]):
        continue
    amount = exact(abs(p) / eur[currency], currency)
    calls.append({
        "from": entity if p < 0 else "TREASURY",
        "to": "TREASURY" if p < 0 else entity,
        "currency": currency,
        "amount_minor": minor(amount, currency),
        "value_date": value_date(run["date"], run["clock_cet"], currency),
        "purpose": "NET",
    })
for r in gross:
    calls.append({
        "from": r["debtor"],
        "to": r["creditor"],
        "currency": r["currency"],
        "amount_minor": minor(Decimal(r["amount"]), r["currency"]),
        "value_date": value_date(run["date"], run["clock_cet"], r["currency"]),
        "purpose": r["item"],
    })
print(json.dumps({
    "positions": [{"entity": e, "net_eur": float(position[e])} for e in sorted(position)],
    "calls": calls,
    "not_in_run": sorted(out),
}, indent=1))
