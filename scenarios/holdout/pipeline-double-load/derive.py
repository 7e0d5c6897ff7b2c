"""Inputs folder (argv[1]) -> expected.json on standard output: the runbook, rule by rule."""

import csv
import json
import sys
from decimal import Decimal
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


manifest = {r["batch"]: r for r in rows("manifest.csv")}
ledger = rows("ledger.csv")
taken_back = {r["ref"] for r in ledger if r["kind"] == "reversal"}
standing, reverse = {}, []
for load in sorted((r for r in ledger if r["kind"] == "load"), key=lambda r: r["load"]):
    batch = load["batch"].split("-r")[0]
    want = manifest[batch]
    complete = (load["rows"], load["checksum"]) == (want["rows"], want["checksum"])
    if load["load"] in taken_back:
        continue
    if complete and batch not in standing:
        standing[batch] = load["load"]
    else:
        reverse.append(load["load"])
reload = sorted(set(manifest) - set(standing))
days = {}
for r in manifest.values():
    day = days.setdefault(r["business_date"], {"posted": Decimal(0), "correct": Decimal(0)})
    day["correct"] += Decimal(r["amount_eur"])
for r in ledger:
    date = manifest[r["batch"].split("-r")[0]]["business_date"]
    days[date]["posted"] += Decimal(r["amount_eur"])
print(
    json.dumps(
        {
            "reverse": sorted(reverse),
            "reload": reload,
            "stays": sorted(standing.values()),
            "days": [
                {"date": d, "posted_eur": float(v["posted"]), "correct_eur": float(v["correct"])}
                for d, v in sorted(days.items())
            ],
        },
        indent=1,
    )
)
