"""Inputs folder (argv[1]) -> expected.json: staleness over windows, one order, then nights."""

import csv
import json
import re
import sys
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

inputs = Path(sys.argv[1])
NEWEST, FIRST_NIGHT, BUDGET = date(2026, 11, 14), date(2026, 11, 15), 24
DAY = timedelta(days=1)


def text(name):
    return (inputs / name).read_text(encoding="utf-8")


reads, cost, order = {}, {}, []
for line in text("lineage.txt").splitlines()[1:]:
    table, _, rest = re.match(r"(\w+) +(\w+) +(.*)", line).groups()
    order.append(table)
    sources, price = re.match(r"(.*?)  +(.*)$", rest).groups()
    reads[table] = re.findall(r"(\w+) \(([^)]*)\)", sources)
    cost[table] = Fraction(price) if re.fullmatch(r"[\d.]+", price) else Fraction(0)
signed = {"2026-10"} if "October 2026 was signed" in text("rules.md") else set()


def days_reading(mapping, day):
    """The days of the reading table that read this day."""
    if mapping.startswith("trailing 7"):
        return [day + i * DAY for i in range(7)]
    if mapping == "day and day before":
        return [day, day + DAY]
    if mapping == "day before":
        return [day + DAY]
    return [day]


def held(table, day):
    if table == "month_close" or table.endswith("snapshot"):
        return True
    return table == "margin" and f"{day:%Y-%m}" in signed


stale, excluded, todo = {}, set(), []
for c in csv.DictReader(text("corrections.csv").splitlines()):
    if "withdrawn" not in c["reason"]:
        day, _, hour = c["partition"].partition("T")
        todo.append((c["table"], date.fromisoformat(day), hour))
while todo:
    table, day, hour = todo.pop()
    for reader in order:
        for source, mapping in reads[reader]:
            if source != table:
                continue
            for d in days_reading(mapping, day):
                h = hour if reader == "click_hours" else ""
                if d > NEWEST or (reader, d, h) in stale:
                    continue
                if held(reader, d):
                    name = f"{d:%Y-%m}" if reader == "month_close" else str(d)
                    excluded.add((reader, name))
                    continue
                stale[reader, d, h] = set()
                todo.append((reader, d, h))
for reader, d, h in stale:
    for source, mapping in reads[reader]:
        for other in stale:
            if other[0] == source and d in days_reading(mapping, other[1]) and (not h or h == other[2]):
                stale[reader, d, h].add(other)

plan, left = [], dict(stale)
while left:
    ready = [p for p, needs in left.items() if not needs & set(left)]
    take = min(ready, key=lambda p: (p[1], order.index(p[0]), p[2]))
    plan.append(take)
    del left[take]

board = {date.fromisoformat(d) - DAY for d in re.findall(r"Board days: (\S+)\.", text("rules.md"))}
night, room, aside, done = FIRST_NIGHT, Fraction(BUDGET), [], []


def run(partition):
    global night, room
    if cost[partition[0]] > room:
        night, room = night + DAY, Fraction(BUDGET)
        return False
    room -= cost[partition[0]]
    done.append((partition, night))
    return True


queue = list(plan)
while queue or aside:
    if aside and night not in board:
        queue, aside = aside + queue, []
    if not queue:
        night, room = night + DAY, Fraction(BUDGET)
        continue
    head = queue[0]
    if head[0] == "board_pack" and night in board:
        aside.append(queue.pop(0))
    elif run(head):
        queue.pop(0)


def name(p):
    return f"{p[0]}/{p[1]}" + (f"T{p[2]}" if p[2] else "")


print(
    json.dumps(
        {
            "order": [name(p) for p, _ in done],
            "nights": [
                {
                    "night": str(n),
                    "partitions": len(of),
                    "last": name(of[-1]),
                    "cost": float(sum(cost[p[0]] for p in of)),
                }
                for n in sorted({n for _, n in done})
                for of in [[p for p, m in done if m == n]]
            ],
            "excluded": [f"{t}/{d}" for t, d in sorted(excluded)],
            "total_cost": float(sum(cost[p[0]] for p, _ in done)),
        },
        indent=1,
    )
)
