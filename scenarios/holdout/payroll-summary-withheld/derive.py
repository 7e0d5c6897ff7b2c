"""Inputs folder (argv[1]) -> expected.json: each group under the access rule, in the order asked."""
import csv
import datetime
import json
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


FIRST, LAST = datetime.date(2026, 11, 1), datetime.date(2026, 11, 30)
DAYS = 30
cent = Decimal("0.01")
staff = {r["工号"]: r for r in rows("工资表.csv")}
units = {r["部门"]: r for r in rows("组织架构.csv")}
periods = rows("任职记录.csv")
given = [set(r["包含工号"].split()) for r in rows("已提供记录.csv")]
asked = rows("申请.csv")
asker = asked[0]["申请人"]


def below(unit):
    return {unit} | {b for u, r in units.items() if r["上级部门"] == unit for b in below(u)}


def leads(unit):
    while unit:
        if units[unit]["负责人"] == asker:
            return True
        unit = units[unit]["上级部门"]
    return False


def days_in(person, inside):
    total = 0
    for p in periods:
        if p["工号"] == person and p["部门"] in inside:
            start = max(FIRST, datetime.date.fromisoformat(p["起"]))
            end = min(LAST, datetime.date.fromisoformat(p["止"])) if p["止"] else LAST
            total += max(0, (end - start).days + 1)
    return total


result = []
for r in asked:
    inside = below(r["部门"])
    out = set(r["除去工号"].split())
    days = {s: days_in(s, inside) for s in staff if s not in out}
    group = {s for s, d in days.items() if d}
    rule = None
    if not leads(r["部门"]):
        rule = "Q1"
    elif len(group - {asker}) < 4:
        rule = "Q2"
    elif any(0 < len((group ^ g) - {asker}) < 4 for g in given):
        rule = "Q3"
    total = 0
    if rule is None:
        given.append(group)
        total = sum(
            (Decimal(staff[s]["应发工资"]) * days[s] / DAYS).quantize(cent, ROUND_HALF_UP) for s in group
        )
        total = float(total)
    result.append({"request": r["序号"], "rule": rule or "无", "headcount": len(group) if rule is None else 0, "total_yuan": total})
print(json.dumps({"replies": result}, ensure_ascii=False, indent=1))
