"""Inputs folder (argv[1]) -> expected.json: deadlines with pauses, and the day's placing."""
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


def when(text):
    return datetime.fromisoformat(text)


NOW = when("2026-11-16 09:00")
MINUTE = timedelta(minutes=1)
HOURS = {"1": 4, "2": 10, "3": 20}
tickets = rows("tickets.csv")
pauses = {}
for r in rows("pauses.csv"):
    pauses.setdefault(r["ticket"], []).append((when(r["from"]), when(r["to"]) if r["to"] else None))
waiting = {t for t, p in pauses.items() if any(end is None for _, end in p)}


def deadline(t):
    """Minute by minute: the moment at which the time is used up."""
    left, at = HOURS[t["priority"]] * 60, when(t["opened"])
    first = t["priority"] == "1"
    while left:
        runs = first or t["contract"] == "sun" or (at.weekday() < 5 and 8 <= at.hour < 18)
        held = not first and any(a <= at and (b is None or at < b) for a, b in pauses.get(t["ticket"], []))
        left -= runs and not held
        at += MINUTE
    return at


agents = {r["agent"]: {**r, "begin": when("2026-11-16 " + r["begin"]), "end": when("2026-11-16 " + r["end"]), "busy": 0} for r in rows("roster.csv")}
notes = (inputs / "board-notes.txt").read_text(encoding="utf-8")
for name, clock in re.findall(r"(\w+) has to leave at (\d\d:\d\d)", notes):
    agents[name]["end"] = when("2026-11-16 " + clock)
for name, clock in re.findall(r"(\w+): training until (\d\d:\d\d)", notes):
    agents[name]["begin"] = when("2026-11-16 " + clock)
for a in agents.values():
    a["free"] = max(NOW, a["begin"])


def fitting(t, free):
    """Those who fit, as (start, minutes so far, place in the roster, name)."""
    able = [
        (place, n)
        for place, (n, a) in enumerate(agents.items())
        if t["skill"] in a["skills"].split()
        and t["language"] in a["languages"].split()
        and (t["priority"] != "1" or a["level"] == "2")
    ]
    if t["priority"] == "3" and any(agents[n]["level"] == "1" for _, n in able):
        able = [(p, n) for p, n in able if agents[n]["level"] == "1"]
    start = {n: (agents[n]["free"] if free is None else max(NOW, agents[n]["begin"])) for _, n in able}
    need = timedelta(minutes=int(t["minutes"]))
    return sorted((start[n], agents[n]["busy"], p, n) for p, n in able if start[n] + need <= agents[n]["end"])


due = {t["ticket"]: deadline(t) for t in tickets if t["ticket"] not in waiting or t["priority"] == "1"}
queue = sorted((t for t in tickets if t["ticket"] in due), key=lambda t: (due[t["ticket"]], t["priority"], t["ticket"]))
placed, unplaced, back, misses = {}, [], [], []
for late in (False, True):
    for t in back if late else queue:
        fits = fitting(t, None)
        if not fits:
            unplaced.append(t["ticket"])
            if due[t["ticket"]] <= NOW + timedelta(days=1):
                misses.append(t)
            continue
        start, _, _, name = fits[0]
        done = start + timedelta(minutes=int(t["minutes"]))
        if done > due[t["ticket"]]:
            if not late:
                back.append(t)
                continue
            misses.append(t)
        placed[t["ticket"]] = (name, start, done)
        agents[name]["free"] = done
        agents[name]["busy"] += int(t["minutes"])
unavoidable = []
for t in misses:
    fits = fitting(t, "all")
    if not fits or fits[0][0] + timedelta(minutes=int(t["minutes"])) > due[t["ticket"]]:
        unavoidable.append(t["ticket"])
escalate = {t["ticket"] for t in misses if t["priority"] in "12"} | set(unavoidable)
for t in tickets:
    if t["contract"] == "sun" and t["ticket"] in placed:
        slack = due[t["ticket"]] - placed[t["ticket"]][2]
        if timedelta(0) <= slack < timedelta(minutes=30):
            escalate.add(t["ticket"])
show = lambda moment: moment.strftime("%Y-%m-%d %H:%M")
answer = {
    "deadlines": [{"ticket": k, "due": show(v)} for k, v in sorted(due.items())],
    "placed": [{"ticket": k, "agent": v[0], "start": v[1].strftime("%H:%M")} for k, v in sorted(placed.items())],
    "unplaced": sorted(unplaced),
    "misses": sorted(t["ticket"] for t in misses),
    "unavoidable": sorted(unavoidable),
    "escalations": sorted(escalate),
}
print(json.dumps(answer, indent=1))
