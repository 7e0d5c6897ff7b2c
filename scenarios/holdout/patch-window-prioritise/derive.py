"""Inputs folder (argv[1]) -> expected.json: scores, exclusions, then the best plan over the windows."""
import csv
import itertools
import json
import sys
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


systems = {r["system"]: r for r in rows("systems.csv")}
exploited = {r["cve"]: r["state"] for r in rows("exploits.csv")}
controls = {(r["system"], r["cve"]) for r in rows("controls.csv") if r["verified_on"] >= "2026-08-18"}
freezes = rows("freezes.csv")
windows = {r["window"]: r for r in rows("windows.csv")}


def score(f):
    s = systems[f["system"]]
    points = int(f["base"])
    points += {"in the wild": 30, "proof of concept": 10}.get(exploited.get(f["cve"], ""), 0)
    points += {"internet": 20, "partner": 10, "internal": 0}[s["exposure"]]
    points += {"vital": 20, "high": 10, "normal": 0}[s["criticality"]]
    if (f["system"], f["cve"]) in controls:
        points = points // 2
    return points


def frozen(system, window):
    day = windows[window]["date"]
    return any(
        z["system"] in (system, systems[system]["cluster"]) and z["from"] <= day <= z["to"] and z["lifted_on"] == ""
        or z["system"] in (system, systems[system]["cluster"]) and z["from"] <= day <= z["to"] and z["lifted_on"] > day
        for z in freezes
    )


findings = {f["finding"]: f for f in rows("findings.csv")}
points = {n: score(f) for n, f in findings.items()}
after = [(r["finding"], r["needs"]) for r in rows("prerequisites.csv")]
apart = [(r["a"], r["b"]) for r in rows("conflicts.csv")]
options = []
for n, f in findings.items():
    allowed = [""] + [
        w for w in windows if not frozen(f["system"], w) and windows[w]["site"] in (systems[f["system"]]["site"], "all")
    ]
    options.append(allowed)
best, count = None, 0
names = list(findings)
minutes = {n: int(f["minutes"]) for n, f in findings.items()}
capacity = {w: int(windows[w]["minutes"]) for w in windows}
rank = {w: i for i, w in enumerate(windows)}


def search(i, load, plan, value):
    global best, count
    if best is not None and value + sum(points[n] for n in names[i:]) < best[0]:
        return
    if i == len(names):
        for a, b in after:
            if plan[a] and (not plan[b] or rank[plan[b]] >= rank[plan[a]]):
                return
        for a, b in apart:
            if plan[a] and plan[a] == plan[b]:
                return
        used = sum(minutes[n] for n in names if plan[n])
        key = (value, -used)
        early = tuple(rank[plan[n]] if plan[n] else 9 for n in names)
        if best is None or key > best[:2] or (key == best[:2] and early < best[2]):
            best = (*key, early, dict(plan))
        return
    n = names[i]
    for w in options[i]:
        if w:
            if load[w] + minutes[n] > capacity[w]:
                continue
            load[w] += minutes[n]
        plan[n] = w
        search(i + 1, load, plan, value + (points[n] if w else 0))
        if w:
            load[w] -= minutes[n]


search(0, {w: 0 for w in windows}, {}, 0)
plan = best[3]
left = []
for n in sorted(findings):
    if not plan[n]:
        open_windows = [w for w in windows if not frozen(findings[n]["system"], w)]
        reason = "freeze" if not open_windows else "capacity"
        left.append({"finding": n, "reason": reason})
print(json.dumps({
    "scores": [{"finding": n, "score": points[n]} for n in sorted(findings)],
    "windows": [{"window": w, "findings": sorted(n for n in names if plan[n] == w)} for w in windows],
    "exceptions": left,
    "value": best[0],
}, indent=1))
