"""Inputs folder (argv[1]) -> expected.json: incidents by cause release and component."""
import csv
import json
import re
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def utc(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


parts = {r["detail"]: r["component"] for r in rows("component-map.csv")}
releases = rows("release-calendar.csv")
groups, duplicates, alone = {}, [], []
for line in (inputs / "tickets.txt").read_text(encoding="utf-8").splitlines():
    if not re.match(r"T\d\d \|", line):
        continue
    ticket, stamp, customer, region, text = (p.strip() for p in line.split("|", 4))
    day, clock, offset = stamp.split()
    sign = -1 if offset[0] == "-" else 1
    zone = timezone(sign * timedelta(hours=int(offset[1:3]), minutes=int(offset[4:])))
    dated = re.search(r"(\d+) October (\d\d:\d\d)", text)
    timed = re.search(r"(?:since|at|of|first at|,) (\d\d:\d\d)", text)
    if dated:
        day, clock = f"2026-10-{int(dated[1]):02d}", dated[2]
    elif timed:
        clock = timed[1]
        if "Repeats" in text:
            day = "2026-10-20"
    begin = datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=zone)
    component = next(c for d, c in parts.items() if d in text.lower())
    if "Repeats" in text:
        duplicates.append(ticket)
        continue
    live = [
        r
        for r in releases
        if r["component"] == component
        and r["region"] == region
        and utc(r["live_utc"]) <= begin
        and not (r["rolled_back_utc"] and utc(r["rolled_back_utc"]) <= begin)
    ]
    if not live:
        alone.append(ticket)
        continue
    last = max(live, key=lambda r: r["live_utc"])
    groups.setdefault((last["release"], component), []).append((ticket, customer, begin))
incidents = []
for (release, component), members in sorted(groups.items()):
    if len({m[1] for m in members}) < 2:
        alone += [m[0] for m in members]
        continue
    first = min(m[2] for m in members).astimezone(timezone.utc)
    incidents.append({
        "incident": f"{release}/{component}",
        "tickets": sorted(m[0] for m in members),
        "first_affected": first.strftime("%Y-%m-%dT%H:%MZ"),
    })
print(json.dumps({"incidents": incidents, "duplicates": duplicates, "no_incident": sorted(alone)}, indent=1))
