"""Inputs folder (argv[1]) -> expected.json: the wording in force for each case."""
import csv
import json
import re
import sys
from datetime import date, timedelta
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def day(text):
    return date.fromisoformat(text)


published = {}
for r in rows("bulletin.csv"):
    if "withdrawn" not in r["remark"]:  # 8(1): a withdrawn print was never published
        published.setdefault(r["document"], day(r["date"]))
text = (inputs / "amendments.md").read_text(encoding="utf-8")
base = (inputs / "policy-2024.md").read_text(encoding="utf-8")
MONTHS = "January February March April May June July August September October November December".split()


def named(pattern):
    d, m, y = re.search(pattern + r" (\d+) (\w+) (\d{4})", text).groups()
    return date(int(y), MONTHS.index(m) + 1, int(d))


a1 = (published["A1"].replace(day=1) + timedelta(days=32)).replace(day=1)
a2 = published["A3"]
a3_from = named("has effect from")
a4 = named("commences on")
suspended = max(named("is suspended from"), published["C-17"])
revoked = max(named("revoked as of"), published["C-19"])
grace = a4 + timedelta(days=int(re.search(r"later than (\d+) days", text).group(1)))
gift = {"base": int(re.search(r"of up to EUR (\d+) may be kept", base).group(1))}
meal = {"base": int(re.search(r"of up to EUR (\d+) per head", base).group(1))}
for clause, limits, names in (("5", gift, "A1 A4"), ("6", meal, "A2 A4")):
    found = re.findall(clause + r"\(1\)[^.]*? EUR \d+ becomes EUR (\d+)", text)
    limits.update(zip(names.split(), map(int, found)))


def gift_version(on, unit):
    if on >= a4 and not (suspended <= on < revoked and unit != "Singapore"):
        return "A4"
    return "A1" if on >= a1 else "base"


def meal_version(on):
    return "A4" if on >= a4 else "A2" if on >= a2 else "base"


result = []
for r in rows("cases.csv"):
    on, value = day(r["day"]), float(r["value_eur"])
    shift = 1 if on >= a1 else 0  # A1 moved the numbers by one
    if r["kind"] == "gift":
        number = 4 + shift
        saved = r["entered_on"] and day(r["entered_on"]) < published["A3"]
        if r["open_tender"] == "yes" and on >= a3_from and not saved:
            clause, version, outcome = f"{number}(2)", "A3", "hand-in"
        else:
            version = gift_version(on, r["unit"])
            clause, outcome = f"{number}(1)", "keep" if value <= gift[version] else "hand-in"
    else:
        accepted = day(r["accepted_on"])
        judged = accepted if accepted < a4 <= on <= grace else on
        version = meal_version(judged)
        clause, outcome = f"{5 + shift}(1)", "accept" if value <= meal[version] else "approval"
    result.append({"case": r["case"], "clause": clause, "wording": version, "outcome": outcome})
dates = {"A1": a1, "A2": a2, "C-19": revoked}
print(json.dumps({"cases": result, "effective": {k: v.isoformat() for k, v in dates.items()}}, indent=1))
