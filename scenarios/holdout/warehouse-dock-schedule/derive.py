"""Inputs folder (argv[1]) -> expected.json: the dock board by the stated rule, minutes of the day."""
import csv
import json
import re
import sys
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def at(clock):
    return int(clock[:2]) * 60 + int(clock[3:])


def up(a, b):
    return -(-a // b)


products = {r["product"]: r for r in rows("products.csv")}
docks = {r["dock"]: {"feature": r["feature"], "free": 0, "chilled": False, "allergen": False, "closed": (at(r["closed_from"]), at(r["closed_to"])) if r["closed_from"] else None} for r in rows("docks.csv")}
placed, refused, first_dock, busy = [], [], {}, []
waiting = 0


def minutes(load):
    p = products[load["product"]]
    layers = up(int(load["cartons"]), int(p["cartons_per_layer"]))
    return 8 + up(layers, int(p["layers_per_pallet"])) * int(p["minutes_per_pallet"])


def team_free(begin, end):
    """Is a team free from begin to end?  Two until 10:00, three for loads that begin later."""
    teams = 2 if begin < 600 else 3
    points = [begin] + [b for b, _ in busy if begin < b < end]
    return all(sum(b <= m < e for b, e in busy) < teams for m in points)


def earliest(load, name):
    dock, p, need = docks[name], products[load["product"]], minutes(load)
    gap = 0
    if dock["chilled"] and p["chilled"] == "no":
        gap = 20
    if dock["allergen"]:
        gap = 30
    begin = max(at(load["arrival"]), dock["free"] + gap)
    while True:
        closed = dock["closed"]
        if closed and begin < closed[1] and begin + need > closed[0]:
            begin = closed[1]
        elif not team_free(begin, begin + need):
            begin += 1
        else:
            return begin


for load in sorted(rows("trucks.csv"), key=lambda r: (at(r["arrival"]), r["truck"])):
    name = f"{load['truck']}/{load['part']}"
    p = products[load["product"]]
    if load["part"] == "2" and load["truck"] not in first_dock:
        refused.append(name)
        continue
    fits = [
        d
        for d, dock in docks.items()
        if (p["chilled"] == "no" or dock["feature"] == "cold") and (float(load["height_m"]) <= 3.90 or dock["feature"] == "tall")
    ]
    if load["part"] == "2":
        fits = [first_dock[load["truck"]]]
    options = sorted((earliest(load, d), docks[d]["feature"] != "", d) for d in fits)
    begin, _, dock = options[0]
    if begin > at(load["window_to"]):
        refused.append(name)
        continue
    end = begin + minutes(load)
    first_dock.setdefault(load["truck"], dock)
    busy.append((begin, end))
    docks[dock].update(free=end, chilled=p["chilled"] == "yes", allergen=p["allergen"] == "yes")
    waiting += begin - at(load["arrival"])
    placed.append({"load": name, "dock": dock, "begin": f"{begin // 60:02d}:{begin % 60:02d}", "end": f"{end // 60:02d}:{end % 60:02d}"})
print(json.dumps({"placed": placed, "refused": refused, "waiting_min": waiting}, indent=1))
