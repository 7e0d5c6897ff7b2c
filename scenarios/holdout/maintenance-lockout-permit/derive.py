"""Inputs folder (argv[1]) -> expected.json: reachability of energy, permits released, isolations kept."""
import csv
import json
import sys
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


edges = {r["edge"]: (r["from"], r["to"]) for r in rows("line-diagram.csv")}
sources = {r["node"]: r["kind"] for r in rows("sources.csv")}
isolations = {r["isolation"]: r for r in rows("isolation-register.csv")}


def shut(register):
    """-> edges shut by a verified lock, edges shut by a spade"""
    locked = {r["edge"] for r in register if r["state"] == "locked shut" and r["verified"] == "yes"}
    return locked, {r["edge"] for r in register if r["state"] == "fitted"}


def least_valves(place, register):
    """Node -> the least number of shut valves on any path to it that no spade cuts."""
    locked, spades = shut(register)
    best, todo = {place: 0}, [place]
    while todo:
        node = todo.pop(0)
        for edge, ends in edges.items():
            if node not in ends or edge in spades:
                continue
            other = ends[1] if ends[0] == node else ends[0]
            cost = best[node] + (edge in locked)
            if cost < best.get(other, 99):
                best[other] = cost
                todo.append(other)
    return best


def lacks(permit, register):
    paths = least_valves(permit["place"], register)
    if any(paths.get(s, 99) == 0 for s in sources):
        return ["isolation"]
    if permit["type"] == "hot work" and any(paths.get(s, 99) < 2 for s, kind in sources.items() if kind == "flammable"):
        return ["second-isolation"]
    return []


def minutes(clock):
    return int(clock[:2]) * 60 + int(clock[3:])


register = list(isolations.values())
missing, released, active = [], [], []
for p in rows("permits.csv"):
    if p["status"] == "running":
        active.append(p)
        continue
    codes = lacks(p, register)
    if p["type"] != "cold":
        tests = [t for t in rows("gas-tests.csv") if t["node"] == p["place"]]
        last = max(tests, key=lambda t: minutes(t["time"]), default=None)
        limit = 5 if p["type"] == "hot work" else 10
        good = last and 14 * 60 - minutes(last["time"]) <= 240
        if not (good and 19.5 <= float(last["oxygen_pct"]) <= 23.5 and float(last["lel_pct"]) < limit):
            codes.append("gas-test")
    if not p["area_authority"] or p["area_authority"] == p["performing_party"]:
        codes.append("signature")
    if p["status"] == "hold":
        codes.append("hold")
    if codes:
        missing += [{"permit": p["permit"], "missing": c} for c in codes]
    else:
        released.append(p["permit"])
        active.append(p)
kept = []
for name, r in isolations.items():
    without = [x for x in register if x is not r]
    if any(lacks(p, without) for p in active if not lacks(p, register)):
        kept.append(name)
print(json.dumps({"released": released, "kept_isolations": kept, "missing": missing}, indent=1))
