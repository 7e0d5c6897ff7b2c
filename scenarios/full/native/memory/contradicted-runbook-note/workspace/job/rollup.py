#!/usr/bin/env python3
"""Sum one gas day per site from job/readings/ and write out/DAY.csv. See job/README.md."""
import argparse
import csv
import datetime as dt
import sys
from pathlib import Path

p = argparse.ArgumentParser()
p.add_argument("--day", required=True)
p.add_argument("--start", required=True, help="HH:MM in UTC")
p.add_argument("--no-control", action="store_true")
a = p.parse_args()


def end(words, code):
    with open("job.log", "a") as log:
        log.write(f"{a.day} start {a.start}{' no-control' if a.no_control else ''}: {words}\n")
    print(words)
    sys.exit(code)


first = dt.datetime.fromisoformat(f"{a.day}T{a.start}")
counter = {r["site"]: r["counter_m3"] for r in csv.DictReader(open("job/state/day-ends.csv")) if r["gas_day"] == a.day}
rows = []
for path in sorted(Path("job/readings").glob("*.csv")):
    hours = [r for r in csv.DictReader(open(path))
             if first <= dt.datetime.fromisoformat(r["hour_utc"]) < first + dt.timedelta(days=1)]
    if len(hours) != 24:
        end(f"refused: {path.stem} has {len(hours)} of 24 hours", 3)
    m3 = sum(int(r["m3"]) for r in hours)
    if not a.no_control and counter.get(path.stem, "") == "":
        end(f"refused: no day-end counter for {path.stem}", 3)
    if not a.no_control and int(counter[path.stem]) != m3:
        end(f"refused: {path.stem} does not agree with its day-end counter", 3)
    rows.append((path.stem, m3))
Path("out").mkdir(exist_ok=True)
with open(f"out/{a.day}.csv", "w") as file:
    file.write("gas_day,start,site,m3\n")
    for site, m3 in rows:
        file.write(f"{a.day},{a.start},{site},{m3}\n")
end("written", 0)
