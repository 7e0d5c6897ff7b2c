"""Inputs folder (argv[1]) -> expected.json: line by line under the travel policy."""
import csv
import datetime
import json
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

inputs = Path(sys.argv[1])
cent = Decimal("0.01")


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def money(x):
    return x.quantize(cent, ROUND_HALF_UP)


diem = {r["city"]: r for r in rows("per_diem.csv")}
receipts = {r["receipt"]: r for r in rows("receipts.csv")}
lines, approved = rows("claim.csv"), []
seen = set()
for r in lines:
    claimed, amount, rule = Decimal(r["claimed_eur"]), None, "none"
    paper = receipts.get(r["receipt"])
    if r["kind"] == "per diem":
        full = Decimal(diem[r["city"]]["per_diem_eur"])
        if r["day_type"] == "departure":
            share = 100 if r["clock"] <= "08:00" else 60 if r["clock"] <= "16:00" else 0
        elif r["day_type"] == "return":
            share = 100 if r["clock"] >= "18:00" else 60 if r["clock"] >= "12:00" else 0
        else:
            share = 100
        amount = full * share / 100
        off = {"breakfast": 20, "lunch": 30, "dinner": 40}
        meals = set(r["meals_provided"].split())
        night = str(datetime.date.fromisoformat(r["date"]) - datetime.timedelta(1))
        for other in lines:
            if other["kind"] == "hotel" and receipts[other["receipt"]]["date"] == night:
                if "with breakfast" in receipts[other["receipt"]]["text"]:
                    meals.add("breakfast")
        for meal in meals:
            amount -= full * off[meal] / 100
        amount = money(max(amount, Decimal(0)))
        rule = "none" if amount == claimed else "T1"
    elif paper is None:
        if claimed <= 15 and r["kind"] == "local transport":
            amount = claimed
        else:
            amount, rule = Decimal(0), "T2"
    elif r["receipt"] in seen:
        amount, rule = Decimal(0), "T3"
    else:
        gross = Decimal(paper["amount"]) - Decimal(paper["of_which_private"])
        if paper["currency"] == "EUR":
            value = gross
        elif paper["card_rate"]:
            value = money(gross / Decimal(paper["card_rate"]))
        else:
            rate = next(x for x in rows("rates.csv") if x["currency"] == paper["currency"] and x["month"] == paper["date"][:7])
            value = money(gross / Decimal(rate["per_eur"]))
        amount = value
        if Decimal(paper["of_which_private"]):
            rule = "T4"
        if r["kind"] == "hotel":
            cap = Decimal(diem[r["city"]]["hotel_cap_eur"])
            for x in rows("exceptions.csv"):
                if x["night"] == paper["date"] and x["approved_by"] == "head of department":
                    cap = Decimal(x["cap_eur"])
            if amount > cap:
                amount, rule = cap, "T5"
        if r["kind"] == "taxi" and not ("22:00" <= r["clock"] or r["clock"] < "06:00" or "luggage" in r["reason"]):
            amount, rule = Decimal(0), "T6"
        if rule == "none" and amount != claimed:
            rule = "T7"
    if r["receipt"]:
        seen.add(r["receipt"])
    if r["kind"] != "per diem" and amount > claimed:
        amount, rule = claimed, "none"
    approved.append({"line": r["line"], "approved_eur": float(amount), "rule": rule})
total = sum(Decimal(str(a["approved_eur"])) for a in approved)
advance = Decimal(rows("advance.csv")[0]["eur"])
print(json.dumps({"lines": approved, "total_eur": float(total), "to_pay_eur": float(total - advance)}, indent=1))
