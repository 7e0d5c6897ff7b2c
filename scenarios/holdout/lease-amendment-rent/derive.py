"""Inputs folder (argv[1]) -> expected.json: rent of 14 months, arrears and the next review of unit 3."""
import calendar
import csv
import json
import re
import sys
from datetime import date
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal as D
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cent(value):
    return value.quantize(D("0.01"), ROUND_HALF_UP)


cpi = {r["month"]: r for r in rows("cpi.csv")}
used = {}


def figure(month, adjusted_on):
    """5(3): first published, or a revision before the adjustment; once used, for ever."""
    if month not in used:
        r = cpi[month]
        in_time = r["revised"] and r["revised_on"] < adjusted_on
        used[month] = D(r["revised"] if in_time else r["first_published"])
    return used[month]


def adjusted(rent, new, old, on, cap):
    increase = figure(new, on) / figure(old, on) - 1
    held = increase > cap
    factor = (1 + max(D("0.01"), min(cap, increase))).quantize(D("0.0001"), ROUND_HALF_UP)
    return cent(rent * factor), held


first = D("8400.00")
rent25, held25 = adjusted(first, "2025-01", "2024-01", "2025-04-01", D("0.04"))
rent26, held26 = adjusted(rent25, "2025-10", "2025-01", "2026-04-01", D("0.035") * 9 / 12)
text = (inputs / "amendments.md").read_text(encoding="utf-8")
assigned = date(2026, 6, int(re.search(r"effect on (\d+) June 2026", text).group(1)))
KEPT = D("0.88")  # the concession is 12 %
february = cent(rent25 * KEPT)
half1 = (february / 2).quantize(D("0.01"), ROUND_DOWN)
half2 = february - half1
bay = D("310.00")
schedule, owes = [], {"Marlow Prints": D(0), "Ferrow & Daughters": D(0)}
for n in range(14):
    year, month = divmod(2025 * 12 + 9 + n, 12)
    month += 1
    rent = rent25 if (year, month) < (2026, 4) else rent26
    conceded = cent(rent * KEPT)
    begins = date(year, month, 1)
    days = calendar.monthrange(year, month)[1]
    storage = D(0)
    if (year, month) == (2026, 1):
        storage = cent(bay * 16 / 30)  # 15 to 30
    elif year == 2026:
        storage = bay
    if (year, month) == (2026, 2):
        due = D(0)
    elif begins > assigned:
        due = rent
    elif begins <= assigned <= date(year, month, days):
        before = assigned.day - 1
        due = cent(conceded * before / days + rent * (days - before) / days)
    else:
        due = conceded
    deferred = half1 if (year, month) == (2026, 5) else half2 if (year, month) == (2026, 8) else D(0)
    owes["Marlow Prints"] += deferred
    if begins > assigned:
        owes["Ferrow & Daughters"] += due + storage
    elif (year, month) == (2026, 2):
        owes["Marlow Prints"] += storage
    else:
        owes["Marlow Prints"] += conceded + storage
        owes["Ferrow & Daughters"] += due - conceded
    schedule.append({"month": f"{year}-{month:02d}", "due_eur": float(due + storage + deferred)})
for p in rows("payments.csv"):
    owes[p["payer"]] += D("25.00") if p["status"] == "returned" else -D(p["amount_eur"])


def later(day, months):
    y, m = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(y, m + 1, day.day)


earliest = later(assigned, 6)
for on, held in ((date(2025, 4, 1), held25), (date(2026, 4, 1), held26)):
    if held:
        earliest = max(earliest, later(on, 18))
quarters = [date(y, m, 1) for y in range(2026, 2031) for m in (1, 4, 7, 10)]
review = min(date(2029, 1, 1), next(q for q in quarters if q >= earliest))
arrears = {"assignor_eur": float(owes["Marlow Prints"]), "assignee_eur": float(owes["Ferrow & Daughters"])}
print(json.dumps({"schedule": schedule, "arrears": arrears, "next_review": review.isoformat()}, indent=1))
