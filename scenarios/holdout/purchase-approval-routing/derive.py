"""Inputs folder (argv[1]) -> expected.json: stops, level, then people, in the order of the numbers."""
import csv
import datetime
import json
import sys
from decimal import Decimal
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


day = datetime.date.fromisoformat
LIMITS = [Decimal(5000), Decimal(25000), Decimal(100000)]
people = {r["person"]: r for r in rows("people.csv")}
centres = {r["cost_centre"]: r for r in rows("cost_centres.csv")}
top = {r["role"]: r["person"] for r in rows("company_roles.csv")}
suppliers = {r["supplier"]: r for r in rows("suppliers.csv")}


def level_of(amount):
    return 1 + sum(amount > limit for limit in LIMITS)


def holder(level, centre):
    return [centres[centre]["owner"], centres[centre]["head"], top["finance director"], top["managing director"]][level - 1]


def below(person, boss):
    while person := people[person]["reports_to"]:
        if person == boss:
            return True
    return False


def absence(person, date):
    for r in rows("absences.csv"):
        if r["person"] == person and r["from"] <= date <= r["to"]:
            return r
    return None


left = {}
for r in rows("frameworks.csv"):
    left[r["framework"]] = Decimal(r["ceiling_eur"]) - Decimal(r["drawn_eur"])
counted, chains, stopped = [], [], []
for r in rows("history.csv"):
    if r["status"] not in ("rejected", "cancelled"):
        counted.append(r)
for r in rows("requests.csv"):
    date, amount = r["date"], Decimal(r["amount_eur"])
    blocked = suppliers[r["supplier"]]["blocked_from"]
    rule = None
    if blocked and blocked <= date:
        rule = "S1"
    elif centres[r["cost_centre"]]["closed_on"] and centres[r["cost_centre"]]["closed_on"] <= date:
        rule = "S2"
    else:
        for e in counted:
            if e["requester"] == r["requester"] and e["supplier"] == r["supplier"]:
                apart = (day(date) - day(e["date"])).days
                both = level_of(amount + Decimal(e["amount_eur"]))
                if apart <= 3 and both > max(level_of(amount), level_of(Decimal(e["amount_eur"]))):
                    rule = "S3"
    if rule:
        stopped.append({"request": r["request"], "rule": rule})
        continue
    counted.append(r)
    total = sum(
        Decimal(e["amount_eur"])
        for e in counted
        if e["supplier"] == r["supplier"] and e["cost_centre"] == r["cost_centre"]
        and 0 <= (day(date) - day(e["date"])).days <= 30
    )
    level = level_of(total)
    for f in rows("frameworks.csv"):
        fits = (f["supplier"], f["category"]) == (r["supplier"], r["category"])
        if fits and f["valid_from"] <= date <= f["valid_to"] and left[f["framework"]] >= amount:
            left[f["framework"]] -= amount
            level = max(1, level - 1)
            break
    chain = []
    for step in range(1, level + 1):
        up = step
        while True:
            person = holder(up, r["cost_centre"])
            away = absence(person, date)
            if person != r["requester"] and away is None:
                break
            if person != r["requester"]:
                deputy = away["deputy"]
                if deputy and deputy != r["requester"] and not below(deputy, r["requester"]) and absence(deputy, date) is None:
                    person = deputy
                    break
            up += 1
        if person not in chain:
            chain.append(person)
    chains.append({"request": r["request"], "level": level, "approvers": chain})
print(json.dumps({"chains": chains, "stopped": stopped}, indent=1))
