"""Inputs folder (argv[1]) -> expected.json: the best legal assignment of duties, by search over all of them."""
import csv
import json
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


offset = {r["station"]: int(r["utc_offset_h"]) for r in rows("stations.csv")}
EPOCH = datetime(2026, 11, 9)


def minute(text):
    return int((datetime.fromisoformat(text) - EPOCH).total_seconds() // 60)


def length(clock):
    return int(clock.split(":")[0]) * 60 + int(clock.split(":")[1])


duties = []
for r in rows("duties.csv"):
    begin = minute(r["begin_local"]) - 60 * offset[r["from"]]
    end = minute(r["end_local"]) - 60 * offset[r["to"]]
    pause = length(r["break"]) if r["break"] else 0
    local = minute(r["begin_local"])
    span = range(local, local + end - begin)
    night = any(m % 1440 >= 23 * 60 or m % 1440 < 5 * 60 for m in span)
    early_end = minute(r["end_local"]) % 1440 < 6 * 60
    duties.append({**r, "b": begin, "e": end, "night": night, "break_min": pause, "small_hours": early_end})
crew = rows("crew.csv")
medical = re.search(r"(\w+) \(crew (\w)\).*?from (\d+) November (\d\d:\d\d) UTC", (inputs / "notices.txt").read_text(encoding="utf-8"), re.S)
MEDICAL_CREW, MEDICAL_FROM = medical[2], minute(f"2026-11-{int(medical[3]):02d} {medical[4]}")
PLANNED = 20 * 60


def limit(duty):
    base = 11 * 60
    if duty["break_min"] >= 180:
        base += duty["break_min"] // 2
    return base


def credit(duty):
    """Paid minutes: the break of a split duty counts half."""
    whole = duty["e"] - duty["b"]
    return whole - duty["break_min"] // 2 if duty["break_min"] >= 180 else whole


def may(person, past, duty):
    if duty["type"] not in person["types"].split():
        return False
    if person["crew"] == MEDICAL_CREW and duty["night"] and duty["e"] > MEDICAL_FROM:
        return False
    last = past[-1] if past else None
    if duty["e"] - duty["b"] > limit(duty):
        return False
    if last is None:
        place, ready = person["place"], minute(person["ready_utc"])
        return duty["b"] >= ready and (duty["from"] == place or duty["b"] - ready >= 1200)
    rest = 12 * 60 if last["to"] == person["base"] else 10 * 60
    if last["small_hours"]:
        rest += 120
    gap = duty["b"] - last["e"]
    return gap >= rest and (duty["from"] == last["to"] or gap >= 1200)


order = sorted(duties, key=lambda d: (d["b"], d["duty"]))
ids = [d["duty"] for d in duties]
best = None


def search(at, past, taken, open_duties):
    """All assignments in the order of begin; the best by uncovered, overtime, then crew by duty."""
    global best
    over = sum(max(0, sum(map(credit, p)) - PLANNED) for p in past.values())
    if best and (open_duties, over) > best[0][:2]:
        return
    if at == len(order):
        key = (open_duties, over, [taken[i] or "~" for i in ids])
        if best is None or key < best[0]:
            best = (key, dict(taken), {c: list(p) for c, p in past.items()})
        return
    duty = order[at]
    for person in crew:
        name = person["crew"]
        if may(person, past[name], duty):
            past[name].append(duty)
            search(at + 1, past, {**taken, duty["duty"]: name}, open_duties)
            past[name].pop()
    search(at + 1, past, {**taken, duty["duty"]: None}, open_duties + 1)


search(0, {p["crew"]: [] for p in crew}, {}, 0)
(uncovered, overtime, _), taken, past = best
paid = {c: sum(map(credit, p)) for c, p in past.items()}
answer = {
    "assignment": [{"duty": i, "crew": taken[i] or "none"} for i in ids],
    "uncovered": [i for i in ids if taken[i] is None],
    "overtime": [{"crew": c, "minutes": max(0, m - PLANNED)} for c, m in paid.items()],
    "total_overtime_min": overtime,
}
print(json.dumps(answer, indent=1))
