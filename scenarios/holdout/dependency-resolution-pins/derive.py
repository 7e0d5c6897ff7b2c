"""Inputs folder (argv[1]) -> expected.json: every combination of pins under P1 to P6, the best one by P7."""

import csv
import itertools
import json
import re
import sys
from functools import lru_cache
from pathlib import Path

inputs = Path(sys.argv[1])
PLATFORMS, PYTHON = ("linux", "windows"), (3, 11)


def number(version):
    main, pre = re.fullmatch(r"([\d.]+?)((?:a|b|rc)\d+)?", version).groups()
    return tuple(map(int, main.split("."))), (pre is None, pre or "")


@lru_cache(None)
def holds(spec, version):
    """A comma-separated specifier over numbers; lengths are filled up with zeros."""

    def full(text):
        parts, pre = number(text)
        return (*parts, *(0,) * (4 - len(parts))), pre

    have = full(version)
    for op, want in re.findall(r"(>=|<=|==|!=|<|>)([\w.]+)", spec):
        w = full(want)
        ok = {">=": have >= w, "<=": have <= w, "==": have == w, "!=": have != w, "<": have < w, ">": have > w}
        if not ok[op]:
            return False
    return True


def parse(text):
    """-> (under which extra, package, extras asked for, specifier, marker)"""
    body, _, marker = text.partition(" ; ")
    m = re.fullmatch(r"(?:\[(\w+)\] )?(\w+)(?:\[(\w+)\])?(\S*)", body.strip())
    return m[1], m[2], m[3], m[4], marker.strip()


def counts(marker, platform):
    if m := re.fullmatch(r'platform == "(\w+)"', marker):
        return m[1] == platform
    if m := re.fullmatch(r'python < "(\d+)\.(\d+)"', marker):
        return PYTHON < (int(m[1]), int(m[2]))
    return True


project = [
    parse(line)
    for line in (inputs / "requirements.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
index = {}
with (inputs / "index.txt").open(encoding="utf-8", newline="") as file:
    for r in csv.DictReader(file, delimiter="|", quoting=csv.QUOTE_NONE):
        needs = [parse(t) for t in r["requires"].split(" & ") if t]
        index.setdefault(r["package"], {})[r["version"]] = {**r, "needs": needs}


def out_alone(package, version):
    """The rule among P2 to P4 that keeps a release out whatever else is pinned."""
    r = index[package][version]
    mine = [p for p in project if p[1] == package]
    if not number(version)[1][0] and not any(re.search(r"\d(a|b|rc)\d", p[3]) for p in mine):
        return "P2"
    if r["state"] == "yanked" and not any(p[3] == "==" + version for p in mine):
        return "P3"
    if not holds(r["python"], ".".join(map(str, PYTHON))):
        return "P4"
    return None


def denied(licence, platforms):
    return licence == "GPL-3.0" or (licence == "SSPL-1.0" and platforms != {"linux"})


def needed(pins):
    """package -> platforms on which it is needed, or None if a requirement does not hold."""
    where = {}
    for platform in PLATFORMS:
        todo, done = list(project), set()
        while todo:
            need = todo.pop()
            under, package, extra, spec, marker = need
            if not counts(marker, platform):
                continue
            if not holds(spec, pins[package]):
                return None
            where.setdefault(package, set()).add(platform)
            for on in (None, extra):
                if (package, on) not in done:
                    done.add((package, on))
                    todo += [n for n in index[package][pins[package]]["needs"] if n[0] == on]
    return where


order = list(dict.fromkeys(p[1] for p in project))
order += sorted(set(index) - set(order))


def possible(package, version):
    """Whether a release can be pinned at all: P2 to P4, GPL, and the project's own unmarked wishes."""
    return (
        out_alone(package, version) is None
        and index[package][version]["licence"] != "GPL-3.0"
        and all(holds(p[3], version) for p in project if p[1] == package and not p[4])
    )


choices = [sorted((v for v in index[p] if possible(p, v)), key=number, reverse=True) for p in order]
best = None
for versions in itertools.product(*choices):
    pins = dict(zip(order, versions))
    where = needed(pins)
    if where is None or any(denied(index[p][pins[p]]["licence"], w) for p, w in where.items()):
        continue
    key = [choices[i].index(pins[p]) if p in where else -1 for i, p in enumerate(order)]
    if best is None or key < best[0]:
        best = key, {p: pins[p] for p in order if p in where}, where
_, lock, where = best
held = []
for p in lock:
    newest = max(index[p], key=number)
    if newest != lock[p]:
        rule = out_alone(p, newest)
        if rule is None:
            rule = "P5" if denied(index[p][newest]["licence"], where[p]) else "P6"
        held.append({"package": p, "newest": newest, "rule": rule})
print(
    json.dumps(
        {
            "pins": [{"package": p, "version": lock[p], "platforms": sorted(where[p])} for p in sorted(lock)],
            "held_back": sorted(held, key=lambda h: h["package"]),
        },
        indent=1,
    )
)
