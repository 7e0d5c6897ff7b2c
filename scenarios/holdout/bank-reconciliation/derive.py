"""Inputs folder (argv[1]) -> expected.json: the passes of the reconciliation guide, one after the other."""
import csv
import datetime
import itertools
import json
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

inputs = Path(sys.argv[1])
CUT_OFF = "2026-10-31"


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def plain(reference):
    return "".join(c for c in reference.upper() if c.isalnum())


def days(a, b):
    return (datetime.date.fromisoformat(b) - datetime.date.fromisoformat(a)).days


bank, ledger = rows("statement.csv"), rows("ledger.csv")
balances = {r["what"]: Decimal(r["eur"]) for r in rows("balances.csv")}
for r in bank + ledger:
    r["amount"] = Decimal(r["amount_eur"])
done = {}  # bank line -> (kind, ledger entries)
used = set()
corrections = Decimal(0)


def match(kind, lines, entries):
    for line in lines:
        done[line["line"]] = (kind, sorted(e["entry"] for e in entries))
    used.update(e["entry"] for e in entries)


def open_bank():
    return [b for b in bank if b["line"] not in done]


def open_ledger():
    return [e for e in ledger if e["entry"] not in used]


# 1 value date
for b in bank:
    if b["value_date"] > CUT_OFF:
        match("next", [b], [])
# 2 returned cheques
for b in open_bank():
    if b["text"].startswith("RETURNED"):
        earlier = [c for c in open_bank() if c["reference"] == b["reference"] and c["amount"] == -b["amount"] and c["booked"] <= b["booked"]]
        match("returned", [b, max(earlier, key=lambda c: (c["booked"], c["line"]))], [])
# 3 reference and amount
for b in open_bank():
    for e in open_ledger():
        if b["reference"] and plain(e["reference"]) == plain(b["reference"]) and e["amount"] == b["amount"]:
            match("single", [b], [e])
            break
# 4 digit slips
for b in open_bank():
    for e in open_ledger():
        if b["reference"] and plain(e["reference"]) == plain(b["reference"]):
            x, y = str(b["amount"]), str(e["amount"])
            x, y = x.replace(".", ""), y.replace(".", "")
            odd = [i for i in range(min(len(x), len(y))) if x[i] != y[i]]
            if len(x) == len(y) and len(odd) == 2 and odd[1] == odd[0] + 1 and x[odd[0]] == y[odd[1]] and x[odd[1]] == y[odd[0]]:
                match("slip", [b], [e])
                corrections += b["amount"] - e["amount"]
                break
# 5 card settlements
for b in open_bank():
    if b["text"].startswith("CARD"):
        day = b["text"].split()[1]
        sales = [e for e in open_ledger() if e["party"] == "CARD" and e["date"] == day]
        gross = sum(e["amount"] for e in sales)
        rule = [f for f in rows("card_fees.csv") if f["from"] <= day][-1]
        fee = (gross * Decimal(rule["percent"]) / 100).quantize(Decimal("0.01"), ROUND_HALF_UP)
        fee += Decimal(rule["per_sale_eur"]) * sum(e["amount"] > 0 for e in sales)
        if sales and gross - fee == b["amount"]:
            match("card", [b], sales)
            corrections -= fee


def subsets(items, total):
    return [s for n in range(2, len(items) + 1) for s in itertools.combinations(items, n) if sum(i["amount"] for i in s) == total]


# 6 several receipts in one credit
for b in open_bank():
    if b["amount"] > 0 and b["party"]:
        items = [e for e in open_ledger() if e["party"] == b["party"] and e["amount"] > 0 and 0 <= days(e["date"], b["booked"]) <= 10]
        found = subsets(items, b["amount"])
        named = [e["entry"] for e in items if plain(e["reference"]) in plain(b["text"])]
        found = [s for s in found if set(named) <= {e["entry"] for e in s}]
        if found:
            match("collected", [b], min(found, key=lambda s: (len(s), sorted(e["entry"] for e in s))))
# 7 one payment in several debits
for e in open_ledger():
    if e["amount"] < 0 and e["party"]:
        items = [b for b in open_bank() if b["party"] == e["party"] and b["amount"] < 0 and 0 <= days(e["date"], b["booked"]) <= 5]
        found = subsets(items, e["amount"])
        if found:
            match("split", min(found, key=lambda s: (len(s), sorted(b["line"] for b in s))), [e])
# 8 party and amount
for b in open_bank():
    for e in open_ledger():
        if b["party"] and e["party"] == b["party"] and e["amount"] == b["amount"] and -3 <= days(e["date"], b["booked"]) <= 10:
            match("by-party", [b], [e])
            break
# 9 what is left
lines = []
adjusted = balances["closing balance of the statement"] - sum(b["amount"] for b in bank if b["value_date"] > CUT_OFF)
for b in bank:
    if b["line"] not in done:
        done[b["line"]] = ("fee" if b["text"].startswith("FEE") else "unbooked", [])
        corrections += b["amount"]
    kind, entries = done[b["line"]]
    lines.append({"line": b["line"], "kind": kind, "entries": entries})
left = []
for e in open_ledger():
    if e["amount"] > 0:
        kind = "in-transit"
    elif e["method"] == "cheque" and days(e["date"], CUT_OFF) > 180:
        kind = "stale"
    else:
        kind = "outstanding"
    if kind == "stale":
        corrections -= e["amount"]
    else:
        adjusted += e["amount"]
    left.append({"entry": e["entry"], "kind": kind})
if adjusted != balances["balance of the ledger account"] + corrections:
    raise SystemExit(f"{adjusted} is not {balances['balance of the ledger account']} + {corrections}: off by {adjusted - corrections - balances['balance of the ledger account']}")
print(json.dumps({"lines": lines, "open_entries": left, "ledger_correction_eur": float(corrections), "adjusted_balance_eur": float(adjusted)}, indent=1))
