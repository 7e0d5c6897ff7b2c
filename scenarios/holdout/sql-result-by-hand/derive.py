"""Inputs folder (argv[1]) -> expected.json: the question answered twice, in Python and by the queries.

CAUSE holds what a reader sees in the text of each query; the rest is computed.
"""

import csv
import json
import re
import sqlite3
import sys
from pathlib import Path

inputs = Path(sys.argv[1])
CAUSE = {"Q1": "null-in-not-in", "Q2": "outer-join-lost", "Q3": "date-bound", "Q4": "fan-out"}
COLUMNS = ("customers", "idle", "value_eur")


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


customers, orders, items = rows("customers.csv"), rows("orders.csv"), rows("items.csv")

# The question, without SQL.
region = {c["id"]: c["region"] for c in customers}
right = {}
for c in customers:
    right.setdefault(c["region"], [0, 0, 0.0])[0] += 1
busy = set()
for o in orders:
    if o["status"] == "done" and "2026-07-01" <= o["ordered_on"][:10] <= "2026-09-30":
        if o["customer_id"]:
            busy.add(o["customer_id"])
            worth = sum(int(i["qty"]) * float(i["unit_eur"]) for i in items if i["order_id"] == o["id"])
            right[region[o["customer_id"]]][2] += worth - float(o["voucher_eur"])
for c in customers:
    right[c["region"]][1] += c["id"] not in busy

db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE customers(id INTEGER, name TEXT, region TEXT)")
db.execute("CREATE TABLE orders(id INTEGER, customer_id INTEGER, ordered_on TEXT, status TEXT, voucher_eur REAL)")
db.execute("CREATE TABLE items(order_id INTEGER, sku TEXT, qty INTEGER, unit_eur REAL)")
for name, table in (("customers", customers), ("orders", orders), ("items", items)):
    for r in table:
        marks = ", ".join("?" * len(r))
        db.execute(f"INSERT INTO {name} VALUES ({marks})", [v if v != "" else None for v in r.values()])

text = (inputs / "candidates.sql").read_text(encoding="utf-8")
choice, wrong = None, []
for query, sql in re.findall(r"-- (Q\d)\n(.*?;)", text, re.DOTALL):
    got = {r[0]: list(r[1:]) for r in db.execute(sql)}
    if got == right:
        choice = query
        continue
    for name in sorted(right):
        if name not in got:
            wrong.append({"query": query, "region": name, "column": "customers", "returns": None})
            break
        column = next((i for i in range(3) if got[name][i] != right[name][i]), None)
        if column is not None:
            wrong.append(
                {"query": query, "region": name, "column": COLUMNS[column], "returns": got[name][column]}
            )
            break
for w in wrong:
    w["cause"] = CAUSE[w["query"]]
table = [{"region": r, **dict(zip(COLUMNS, right[r]))} for r in sorted(right)]
print(json.dumps({"choice": choice, "rows": table, "wrong": wrong}, indent=1))
