"""Inputs folder (argv[1]) -> expected.json: every set in the order of rule 8, every active schedule of it."""

import csv
import json
import math
import re
import sys
from fractions import Fraction
from itertools import combinations
from pathlib import Path

inputs = Path(sys.argv[1])
WINDOW, HOLD, WORKERS = 90, 3, 2


def table(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


rows = {r["table"]: int(r["rows"]) for r in table("row-counts.csv")}
keys = re.findall(r"(\w+)\.\w+ +-> (\w+)\.", (inputs / "foreign-keys.txt").read_text(encoding="utf-8"))
applied = set(re.findall(r"(M\d\d) applied", (inputs / "log.txt").read_text(encoding="utf-8")))
all_of, long, locks, hold, after, prio, kind = [], {}, {}, {}, {}, {}, {}
for m in table("migrations.csv"):
    i = m["id"]
    all_of.append(i)
    kind[i], prio[i] = m["kind"], int(m["priority"])
    tables = m["tables"].split("|")
    if m["minutes"]:
        long[i] = int(m["minutes"])
    else:
        seconds = Fraction(rows[tables[0]], 1_000_000) * int(m["seconds_per_million"])
        long[i] = math.ceil(seconds / 60)
    offline = m["mode"] == "offline"
    locks[i] = set(tables)
    if offline:
        locks[i] |= {child for child, parent in keys if parent in tables}
    hold[i] = HOLD if offline else 0
    after[i] = [a for a in m["after"].split("|") if a and a not in applied]


def clash(a, b):
    return bool(locks[a] & locks[b]) and (hold[a] or hold[b])


def open_start(i, placed):
    """The earliest start beside what is placed; starts are tried where something ends."""
    ready = max((placed[a] + long[a] + hold[a] for a in after[i]), default=0)
    ends = {ready} | {s + long[j] + h for j, s in placed.items() for h in (0, hold[j])}
    for t in sorted(e for e in ends if e >= ready):
        end = t + long[i]
        if end + hold[i] > WINDOW:
            return None
        if any(clash(i, j) and t < s + long[j] + hold[j] and s < end + hold[i] for j, s in placed.items()):
            continue
        beside = [(s, s + long[j]) for j, s in placed.items() if s < end and t < s + long[j]]
        if all(sum(s <= x < e for s, e in beside) < WORKERS for x in [t, *(s for s, _ in beside if s > t)]):
            return t
    return None


def best_schedule(chosen):
    """The schedule of rule 9: it is active, and placing in all orders makes every active schedule."""
    best, seen = None, set()

    def place(placed):
        nonlocal best
        state = frozenset(placed.items())
        if state in seen:
            return
        seen.add(state)
        if len(placed) == len(chosen):
            vector = [placed[i] for i in chosen]
            if best is None or vector < best:
                best = vector
            return
        for i in chosen:
            if i not in placed and all(a in placed for a in after[i]):
                start = open_start(i, placed)
                if start is not None:
                    place({**placed, i: start})

    place({})
    return best


sets = []
for size in range(len(all_of) + 1):
    for chosen in combinations(all_of, size):
        closed = all(set(after[i]) <= set(chosen) for i in chosen)
        contract = any(kind[i] == "contract" and set(after[i]) & set(chosen) for i in chosen)
        work = sum(long[i] for i in chosen)
        if closed and not contract and work <= WORKERS * WINDOW:
            sets.append((-sum(prio[i] for i in chosen), work, chosen))
for value, work, chosen in sorted(sets):
    starts = best_schedule(chosen)
    if starts is not None:
        break
deferred = []
left = [i for i in all_of if i not in chosen]
for i in left:
    if kind[i] == "contract" and set(after[i]) & set(chosen):
        why = "contract"
    else:
        why = "dependency" if set(after[i]) & set(left) else "room"
    deferred.append({"id": i, "reason": why})
print(
    json.dumps(
        {
            "schedule": [{"id": i, "start": s, "minutes": long[i]} for i, s in zip(chosen, starts)],
            "priority_sum": -value,
            "over_at": max(s + long[i] + hold[i] for i, s in zip(chosen, starts)),
            "deferred": deferred,
        },
        indent=1,
    )
)
