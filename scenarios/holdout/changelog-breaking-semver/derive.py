"""Inputs folder (argv[1]) -> expected.json: interfaces compared name by name under the version policy."""

import json
import re
import sys
from pathlib import Path

inputs = Path(sys.argv[1])


def interface(name):
    packages, package, mark = {}, None, False
    for line in (inputs / name).read_text(encoding="utf-8").splitlines():
        if m := re.match(r"# (\S+)(?: (\d+\.\d+\.\d+))?  \(depends on (.*)\)", line):
            package = packages[m[1]] = {"version": m[2], "needs": m[3].split(", "), "names": {}}
        elif m := re.match(r"from (\S+) import (.*)", line):
            for n, v in packages[m[1]]["names"].items():
                if m[2] == "*" or n in m[2].split(", "):
                    package["names"][n] = v
        elif line == "@experimental":
            mark = True
        elif m := re.match(r"def (\w+)\((.*)\) -> (.*)", line):
            if not m[1].startswith("_"):
                package["names"][m[1]] = (m[2].split(", "), m[3], mark)
            mark = False
    return packages


def sort_of(old, new):
    if old is None:
        return "addition"
    if old[2]:
        return "addition" if new and not new[2] else "other"
    if new is None or new[1] != old[1] or new[0][: len(old[0])] != old[0]:
        return "breaking"
    extra = new[0][len(old[0]) :]
    if any("=" not in p for p in extra):
        return "breaking"
    return "addition" if extra else "other"


before, after = interface("before.txt"), interface("after.txt")
result, breaking, moved = [], [], set()
for name, package in before.items():
    old, new = package["names"], after[name]["names"]
    sorts = set()
    for n in sorted({*old, *new}):
        if old.get(n) != new.get(n):
            sorts.add(sort_of(old.get(n), new.get(n)))
            if sort_of(old.get(n), new.get(n)) == "breaking":
                breaking.append({"package": name, "name": n})
    if not sorts and moved & set(package["needs"]):
        sorts.add("other")
    major, minor, patch = map(int, package["version"].split("."))
    level = "none"
    if sorts:
        moved.add(name)
        level = "breaking" if "breaking" in sorts else "addition" if "addition" in sorts else "other"
        step = {"breaking": 0, "addition": 1, "other": 2}[level]
        if major == 0:
            step = 1 if level == "breaking" else 2
        major, minor, patch = [(major + 1, 0, 0), (major, minor + 1, 0), (major, minor, patch + 1)][step]
    result.append({"package": name, "version": f"{major}.{minor}.{patch}"})
print(json.dumps({"packages": result, "breaking": breaking}, indent=1))
