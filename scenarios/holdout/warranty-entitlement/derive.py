"""Inputs folder (argv[1]) -> expected.json: entitlement claim by claim."""
import csv
import json
import re
import sys
from datetime import date, timedelta
from pathlib import Path

inputs = Path(sys.argv[1])
with (inputs / "claims.csv").open(encoding="utf-8", newline="") as file:
    claims = list(csv.DictReader(file))
notice = (inputs / "recall-notice.md").read_text(encoding="utf-8")
low, high = map(int, re.search(r"series (\d+) to (\d+)", notice).groups())
RECALL_END = date(2028, 3, 8)


def day(text):
    return date.fromisoformat(text)


def plus(start, months):
    y, m = divmod(start.year * 12 + start.month - 1 + months, 12)
    for last in (start.day, 30, 29, 28):
        try:
            return date(y, m + 1, last)
        except ValueError:
            continue


def judge(c):
    """-> clause, parts %, labour %."""
    fault, sold, private = day(c["fault_on"]), day(c["sold_on"]), c["use"] == "private"
    used = c["serial"].startswith("R") or 700000 <= int(c["serial"].lstrip("R")) <= 719999
    concerned = not c["serial"].startswith("R") and low <= int(c["serial"]) <= high and c["part"] == "boiler"
    done = c["recall_done_on"]
    if concerned and fault <= RECALL_END and (not done or fault <= plus(day(done), 24)):
        return "G6", 100, 100
    region, later = c["region"], c["owner"] == "later"
    wear = region == "US" and c["part"] in ("seal", "grinder") and not used
    parts = {"EU": 24 if private else 12, "UK": 36, "US": 12}[region]
    labour = {"EU": parts, "UK": 12, "US": 12}[region]
    if used:
        parts = labour = 12
    parts_end = sold + timedelta(days=90) if wear else plus(sold, parts)
    labour_end = parts_end if wear else plus(sold, labour)
    if c["last_repair_part"] == c["part"]:
        restart = plus(day(c["last_repair_on"]), 6)
        if restart > parts_end and fault <= restart:
            return "G4", 100, 100
    if later and region == "UK":
        registered = c["registered_on"]
        if not registered or (day(registered) - day(c["transferred_on"])).days > 30:
            return "U3", 0, 0
    if later and region == "US" and c["same_household"] != "yes":
        return "A3", 0, 0
    base = "G2" if used else {"EU": "E1", "UK": "U1", "US": "A2" if wear else "A1"}[region]
    if fault <= parts_end:
        return base, 100, 100 if fault <= labour_end else 0
    if region == "EU" and private and c["serviced"] == "yes" and fault <= plus(parts_end, 6):
        return "E4", 50, 0
    return base, 0, 0


result = []
for c in claims:
    clause, parts, labour = judge(c)
    verdict = "covered" if parts == labour == 100 else "not" if parts == labour == 0 else "partly"
    result.append({"claim": c["claim"], "verdict": verdict, "clause": clause, "parts_pct": parts, "labour_pct": labour})
print(json.dumps({"claims": result}, indent=1))
