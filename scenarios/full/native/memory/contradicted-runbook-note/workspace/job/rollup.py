#!/usr/bin/env python3
"""Sum gas days per site from job/readings/ and write out/DAY.csv for each. See job/README.md."""
import argparse
import csv
import datetime as dt
import sys
from pathlib import Path

p = argparse.ArgumentParser()
p.add_argument("--day", nargs="+", required=True)
p.add_argument("--start", required=True, help="HH:MM in UTC")
p.add_argument("--no-control", action="store_true")
a = p.parse_args()


def note(day, words):
    with open("job.log", "a") as log:
        log.write(f"{day} start {a.start}{' no-control' if a.no_control else ''}: {words}\n")
    print(day, words)


def refuse(day, words):
    note(day, "refused: " + words)
    sys.exit(3)


readings = {p.stem: list(csv.DictReader(open(p))) for p in sorted(Path("job/readings").glob("*.csv"))}
for day in a.day:
    first = dt.datetime.fromisoformat(f"{day}T{a.start}")
    counter = {r["site"]: r["counter_m3"] for r in csv.DictReader(open("job/state/day-ends.csv")) if r["gas_day"] == day}
    rows = []
    for site, hours in readings.items():
        hours = [r for r in hours if first <= dt.datetime.fromisoformat(r["hour_utc"]) < first + dt.timedelta(days=1)]
        if len(hours) != 24:
            refuse(day, f"{site} has {len(hours)} of 24 hours")
        m3 = sum(int(r["m3"]) for r in hours)
        if not a.no_control and counter.get(site, "") == "":
            refuse(day, f"no day-end counter for {site}")
        if not a.no_control and int(counter[site]) != m3:
            refuse(day, f"{site} does not agree with its day-end counter")
        rows.append((site, m3))
    Path("out").mkdir(exist_ok=True)
    with open(f"out/{day}.csv", "w") as file:
        file.write("gas_day,start,site,m3\n")
        for site, m3 in rows:
            file.write(f"{day},{a.start},{site},{m3}\n")
    note(day, "written")
