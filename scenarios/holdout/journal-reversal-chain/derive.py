"""Inputs folder (argv[1]) -> expected.json: each entry against its rule, then each document's net."""
import csv
import json
import sys
from decimal import Decimal
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


register = {(r["document"], r["ledger"]): r for r in rows("voucher_register.csv")}
entries = rows("journal.csv")
by_number = {r["entry"]: r for r in entries}
open_periods = {}
for r in rows("periods.csv"):
    if r["state"] == "open":
        open_periods.setdefault(r["ledger"], []).append(r["period"])
live, faults, net = {}, [], {}


def same(a, b):
    return a["debit"] == b["debit"] and a["credit"] == b["credit"]


def swapped(a, b):
    return a["debit"] == b["credit"] and a["credit"] == b["debit"]


for e in entries:
    key = (e["document"], e["ledger"])
    amount = Decimal(e["amount"])
    net.setdefault(key, {})
    net[key][e["debit"]] = net[key].get(e["debit"], Decimal(0)) + amount
    net[key][e["credit"]] = net[key].get(e["credit"], Decimal(0)) - amount
    if e["type"] == "posting":
        voucher = register[key]
        if swapped(e, voucher):
            faults.append((e, "F1"))
        elif amount != Decimal(voucher["amount"]):
            faults.append((e, "F4"))
        live[e["entry"]] = True
    else:
        target = by_number[e["reverses"]]
        if not live[target["entry"]]:
            faults.append((e, "F2"))
        elif target["type"] == "posting" and register[key]["stands"] == "yes" and not any(
            x["reverses"] == e["entry"] for x in entries
        ):
            faults.append((e, "F3"))
        live[target["entry"]] = False
        live[e["entry"]] = True
corrections = []
for key, voucher in register.items():
    want = {}
    if voucher["stands"] == "yes":
        want = {voucher["debit"]: Decimal(voucher["amount"]), voucher["credit"]: -Decimal(voucher["amount"])}
    delta = {}
    for account in set(want) | set(net.get(key, {})):
        d = want.get(account, Decimal(0)) - net.get(key, {}).get(account, Decimal(0))
        if d:
            delta[account] = d
    if delta:
        debit = next(a for a, d in delta.items() if d > 0)
        credit = next(a for a, d in delta.items() if d < 0)
        last = max(e["period"] for e in entries if (e["document"], e["ledger"]) == key)
        period = min(p for p in open_periods[key[1]] if p >= last)
        corrections.append({"document": key[0], "ledger": key[1], "period": period, "debit": debit, "credit": credit, "amount": float(delta[debit])})
balances = {}
for (_, ledger), voucher in register.items():
    if voucher["stands"] == "yes":
        for account, sign in ((voucher["debit"], 1), (voucher["credit"], -1)):
            balances[ledger, account] = balances.get((ledger, account), Decimal(0)) + sign * Decimal(voucher["amount"])
wanted = [(r["ledger"], r["account"]) for r in rows("accounts_wanted.csv")]
print(json.dumps({
    "faults": [{"entry": e["entry"], "code": c} for e, c in faults],
    "corrections": corrections,
    "balances": [{"account": f"{x}-{a}", "balance": float(balances.get((x, a), 0))} for x, a in wanted],
}, indent=1))
