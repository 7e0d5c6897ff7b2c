"""Inputs folder (argv[1]) -> expected.json: identities, counted events, chains and credit by the definition."""

import csv
import json
import sys
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path

inputs = Path(sys.argv[1])
STEPS = ("view", "cart", "checkout", "purchase")
WINDOW = timedelta(hours=72)


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def moment(text):
    return datetime.fromisoformat(text.removesuffix("Z"))


bots = {r["visitor"] for r in rows("bots.csv")}
pairs = set()
for r in sorted(rows("links.csv"), key=lambda r: r["at"]):
    pair = frozenset((r["one"], r["other"]))
    if r["state"] == "retracted":
        pairs.discard(pair)
    elif not pair & bots:
        pairs.add(pair)

events, seen = [], set()
for r in sorted(rows("events.csv"), key=lambda r: r["received"]):
    if r["event"] in seen or r["visitor"] in bots:
        continue
    seen.add(r["event"])
    if moment(r["received"]) - moment(r["time"]) <= timedelta(hours=72):
        events.append(r)

group = {v: {v} for v in {r["visitor"] for r in events} | {v for p in pairs for v in p}}
for pair in pairs:
    one, other = pair
    joined = group[one] | group[other]
    for v in joined:
        group[v] = joined

users = {}
for r in events:
    users.setdefault(min(group[r["visitor"]]), []).append(r)


def week_of(mine):
    first = min(mine, key=lambda r: (moment(r["time"])))
    hours = int(first["offset"][:3])
    begin = datetime(2026, 11, 1) - timedelta(hours=hours)
    return begin, begin + timedelta(days=7)


reached = {s: [] for s in STEPS}
credit = {}
for user, mine in users.items():
    begin, end = week_of(mine)
    at = {s: sorted(moment(r["time"]) for r in mine if r["type"] == s and begin <= moment(r["time"]) < end) for s in STEPS}
    # chains as (time of the view, time of the last event)
    chains = [(t, t) for t in at["view"]]
    for step in STEPS:
        if step != "view":
            chains = [(v, t) for v, last in chains for t in at[step] if t > last]
        ended = [t for v, t in chains if t - v <= WINDOW]
        if ended:
            reached[step].append(user)
    if user in reached["purchase"]:
        bought = min(ended)
        touches = sorted(
            (moment(r["time"]), r["channel"])
            for r in mine
            if r["type"] == "touch" and bought - timedelta(days=7) <= moment(r["time"]) <= bought
        )
        path = [c for _, c in touches if c != "direct"] or [c for _, c in touches]
        path = [c for i, c in enumerate(path) if i == 0 or path[i - 1] != c] or ["none"]
        n = len(path)
        for i, channel in enumerate(path):
            share = Fraction(1, n) if n < 3 else Fraction(2, 5) if i in (0, n - 1) else Fraction(1, 5 * (n - 2))
            credit[channel] = credit.get(channel, 0) + share
print(
    json.dumps(
        {
            "steps": [{"step": s, "users": len(u)} for s, u in reached.items()],
            "purchasers": sorted(reached["purchase"]),
            "conversion": round(len(reached["purchase"]) / len(reached["view"]), 4),
            "credit": [{"channel": c, "value": round(float(v), 4)} for c, v in sorted(credit.items())],
        },
        indent=1,
    )
)
