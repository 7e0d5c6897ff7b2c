"""Inputs folder (argv[1]) -> expected.json: item by item under the guide, then the clock."""
import csv
import datetime
import json
import sys
from pathlib import Path

inputs = Path(sys.argv[1])
day = datetime.date.fromisoformat
one = datetime.timedelta(1)


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


case = {r["what"]: r["value"] for r in rows("case.csv")}
items = {}
for block in (inputs / "extracts.txt").read_text(encoding="utf-8").split("=== ")[1:]:
    head, _, body = block.partition("\n")
    items[head.split()[0]] = dict(line.split(": ", 1) for line in body.strip().splitlines())
earlier = {r["item"]: r["provided_on"] for r in rows("provided_before.csv")}
consents = {(r["person"], r["item"]) for r in rows("consents.csv") if r["answer"] == "yes" and r["answered_on"] <= case["decision day"]}
received = case["request received"]


def months_after(date, n):
    d = day(date)
    month = d.month - 1 + n
    year, month = d.year + month // 12, month % 12 + 1
    last = (datetime.date(year + month // 12, month % 12 + 1, 1) - one).day
    return datetime.date(year, month, min(d.day, last))


def is_subject(item):
    marks = [("customer", "customer number"), ("born", "date of birth"), ("street", "street")]
    given = [(item[k], case[w]) for k, w in marks if k in item]
    if any(k in item and item[k] != case[w] for k, w in marks[:2]):
        return False
    return sum(a == b for a, b in given) >= 1


out, extract = [], []
for name, item in items.items():
    decision, rule, hide = "disclose", "none", []
    fresh = name in earlier and day(earlier[name]) >= months_after(received, -6)
    if not is_subject(item):
        decision, rule = "withhold", "X4"
    elif fresh and item["changed"] <= earlier[name]:
        decision, rule = "withhold", "X7"
    elif item["kind"] == "legal advice" and item["passed_on_to"] == "nobody":
        decision, rule = "withhold", "X1"
    elif item["kind"] == "investigation" and (item["state"] == "open" or item["closed"] > case["decision day"]):
        decision, rule = "withhold", "X5"
    elif (
        item["kind"] == "opinion" and item["given"] == "in confidence" and item["capacity"] == "private"
        and (item["author"], name) not in consents
    ):
        decision, rule = "withhold", "X2"
    else:
        for field in item:
            if field.startswith("other_") and item.get("supplied_by") != "subject":
                if (item[field], name) in consents or (item.get("other_name", ""), name) in consents:
                    continue
                hide.append(field)
            if field == "author" and item["kind"] == "opinion" and item["given"] == "in confidence" and item["capacity"] == "professional":
                hide.append(field)
            if field == "staff_phone":
                hide.append(field)
            if field == "weights":
                hide.append(field)
        if hide:
            decision = "redact"
            rule = "X6" if hide == ["weights"] else "X3"
        for field in ("text", "other_name", "other_phone", "author", "staff", "staff_phone", "weights"):
            if field in item and field not in hide:
                extract.append({"item": name, "field": field, "value": item[field]})
    out.append({"item": name, "decision": decision, "exemption": rule, "redact": sorted(hide)})
due = months_after(received, 1)
asked, proof = day(case["proof of identity asked"]), day(case["proof of identity received"])
due += proof - asked
if case["extension announced"]:
    first = months_after(received, 1) + (proof - asked)
    if day(case["extension announced"]) <= first:
        due = months_after(received, 1 + 2) + (proof - asked)
holidays = {r["date"] for r in rows("holidays.csv")}
while due.weekday() > 4 or str(due) in holidays:
    due += one
print(json.dumps({"items": out, "extract": extract, "due_date": str(due)}, indent=1))
