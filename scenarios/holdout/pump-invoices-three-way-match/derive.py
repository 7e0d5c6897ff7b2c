"""Inputs folder (argv[1]) -> expected.json on standard output: the policy, section by section."""

import csv
import json
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


orders = {(r["order"], r["line"]): r for r in rows("orders.csv")}
terms = {r["order"]: r["terms"] for r in orders.values()}
cent = Decimal("0.01")


def valid_price(order, line, date):
    price = Decimal(orders[order, line]["unit_price_eur"])
    for a in sorted(rows("amendments.csv"), key=lambda a: a["effective_from"]):
        if (a["order"], a["line"]) == (order, line) and a["status"] == "approved":
            if a["effective_from"] <= date:
                price = Decimal(a["new_unit_price_eur"])
    return price


def received(order, line, date):
    return sum(
        int(r["qty"]) * (1 if r["movement"] == "receipt" else -1)
        for r in rows("receipts.csv")
        if (r["order"], r["line"]) == (order, line) and r["posted"] <= date
    )


def reference(text):
    letters = "".join(c for c in text if c.isalpha())
    return letters, "".join(c for c in text if c.isdigit()).lstrip("0")


documents = {}
for row in rows("invoices.csv"):
    documents.setdefault(row["document"], []).append(row)

accepted = {}
seen = set()
result = []
for number, lines in sorted(documents.items(), key=lambda d: (d[1][0]["invoice_date"], d[0])):
    date = lines[0]["invoice_date"]
    gross = sum(int(r["qty"]) * Decimal(r["unit_price_eur"]) for r in lines)
    key = (reference(lines[0]["supplier_ref"]), gross)
    if key in seen:
        result.append({"document": number, "decision": "reject", "payable_eur": 0, "codes": ["DUP"]})
        continue
    seen.add(key)
    codes = set()
    goods = Decimal(0)
    tolerance = Decimal("1.010") if date >= "2026-10-10" else Decimal("1.015")
    for r in lines:
        if r["line"] == "FRT":
            continue
        at = (r["order"], r["line"])
        open_quantity = received(*at, date) - accepted.get(at, 0)
        quantity = min(int(r["qty"]), open_quantity)
        if quantity < int(r["qty"]):
            codes.add("QTY")
        accepted[at] = accepted.get(at, 0) + quantity
        price, valid = Decimal(r["unit_price_eur"]), valid_price(*at, date)
        if price > valid * tolerance:
            codes.add("PRICE")
            price = valid
        goods += quantity * price
    freight = Decimal(0)
    for r in lines:
        if r["line"] == "FRT":
            billed = Decimal(r["unit_price_eur"])
            cap = (goods * 3 / 100).quantize(cent, ROUND_HALF_UP)
            freight = min(billed, cap) if terms[r["order"]] == "EXW" else Decimal(0)
            if freight < billed:
                codes.add("FREIGHT")
    payable = goods + freight
    decision = "reject" if payable == 0 else "part" if codes else "approve"
    result.append(
        {
            "document": number,
            "decision": decision,
            "payable_eur": float(payable),
            "codes": sorted(codes),
        }
    )
total = sum(Decimal(str(r["payable_eur"])) for r in result)
print(json.dumps({"invoices": result, "total_payable_eur": float(total)}, indent=1))
