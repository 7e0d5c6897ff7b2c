"""Inputs folder (argv[1]) -> expected.json on standard output: the notice rules, counted by calendar.

METHODS holds what a reader takes from each clause about form (after rule 4: two together, the slower).
"""

import calendar
import csv
import json
import re
import sys
from datetime import date, timedelta
from pathlib import Path

inputs = Path(sys.argv[1])
METHODS = {
    "LM-204": ("courier", "registered"),
    "CL-118": ("courier",),
    "HO-077": ("registered",),
    "PR-310": ("email", "courier"),
    "GU-052": ("courier", "registered"),
    "IB-021": ("registered",),
}
AFTER = {"email": 0, "courier": 1, "registered": 3}
DAY = timedelta(days=1)
with (inputs / "holidays.csv").open(encoding="utf-8", newline="") as file:
    off = {(r["place"], r["date"]) for r in csv.DictReader(file)}


def works(day, place):
    return day.weekday() < 5 and (place, day.isoformat()) not in off


def received(sent, days, place):
    """Day of deemed receipt, or None where it cannot be received."""
    if days == 0:
        return sent if works(sent, place) else None
    while days:
        sent += DAY
        days -= works(sent, place)
    return sent


def last_receipt(clause, place):
    target = date.fromisoformat(re.search(r"\d{4}-\d\d-\d\d", clause)[0])
    number, unit = re.search(r"(\d+) (months?|weeks|clear\s+business\s+days)", clause).groups()
    number = int(number)
    if unit.startswith("clear"):
        day, left = target, number
        while left:
            day -= DAY
            left -= works(day, place)
        day -= DAY
    elif unit == "weeks":
        day = target - 7 * number * DAY
    else:
        year, month = divmod(target.year * 12 + target.month - 1 - number, 12)
        last = calendar.monthrange(year, month + 1)[1]
        day = date(year, month + 1, min(target.day, last))
    while not works(day, place):
        day -= DAY
    return day


notices, excluded = [], []
text = (inputs / "contracts.md").read_text(encoding="utf-8")
for head, clause in re.findall(r"## (.*)\n((?:(?!##).*\n?)*)", text):
    contract = head.split()[0]
    place = re.search(r"recipient in (\w+)", head)[1]
    if re.search(r"ends\s+on\s+\S+\s+without\s+further\s+notice", clause):
        excluded.append(contract)
        continue
    limit = last_receipt(clause, place)
    best = None
    for method in ("email", "courier", "registered"):
        if method not in METHODS[contract]:
            continue
        sent = limit
        while True:
            got = received(sent, AFTER[method], place)
            if works(sent, "Hamburg") and got is not None and got <= limit:
                break
            sent -= DAY
        if best is None or sent > best[0]:
            best = (sent, method)
    notices.append(
        {
            "contract": contract,
            "receive_by": limit.isoformat(),
            "dispatch": best[0].isoformat(),
            "method": best[1],
        }
    )
week = [n for n in notices if n["dispatch"] <= "2026-11-22"]
week.sort(key=lambda n: (n["dispatch"], n["receive_by"]))
answer = {
    "notices": notices,
    "excluded": excluded,
    "this_week": [n["contract"] for n in week],
}
print(json.dumps(answer, indent=1))
