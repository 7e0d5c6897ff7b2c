"""Inputs folder (argv[1]) -> expected.json: evidence by the rules, suspects by ancestry, search by recursion."""

import csv
import json
import re
import sys
from functools import lru_cache
from pathlib import Path

inputs = Path(sys.argv[1])


def lines(name):
    return (inputs / name).read_text(encoding="utf-8").splitlines()[1:]


parents, when = {}, {}
for line in lines("graph.txt"):
    commit, rest = line[:6], line[9:26].split()
    parents[commit] = [p for p in rest if p != "-"]
    when[commit] = line[26:42]


@lru_cache(None)
def past(commit):
    """The commit and all its ancestors."""
    return frozenset({commit}).union(*(past(p) for p in parents[commit]))


with (inputs / "quarantine.csv").open(encoding="utf-8", newline="") as file:
    quarantine = list(csv.DictReader(file))
seen, unbuildable = {}, set()
for line in lines("runs.txt"):
    m = re.match(r"(\d+)  (\w+)  (\S+) \S+  (\w+) +(\S*) +cache: (.*)$", line)
    _, commit, day, result, test, log = m.groups()
    if result == "build":
        unbuildable.add(commit)
    if result in ("error", "build"):
        continue
    if restored := re.match(r"restored (\w+)", log):
        commit = restored[1]
    if result == "red":
        sign = log.split("sig=")[1]
        if any(
            q["test"] == test and q["signature"] == sign and q["from"] <= day <= q["until"]
            for q in quarantine
        ):
            continue
    seen.setdefault(commit, set()).add(result)
suspects = frozenset(parents)
for commit, results in seen.items():
    if results == {"red"}:
        suspects &= past(commit)
    elif results == {"green"}:
        suspects -= past(commit)
testable = [c for c in parents if c not in unbuildable]


def worse(commit):
    return max(len(suspects & past(commit)), len(suspects - past(commit)))


@lru_cache(None)
def runs_needed(left):
    best = None
    for c in testable:
        bad, good = left & past(c), left - past(c)
        if bad and good:
            need = 1 + max(runs_needed(bad), runs_needed(good))
            best = need if best is None else min(best, need)
    return best or 0


apart = {}
for s in sorted(suspects):
    apart.setdefault(tuple(s in past(c) for c in testable), []).append(s)
print(
    json.dumps(
        {
            "good": sorted(c for c, r in seen.items() if r == {"green"}),
            "bad": sorted(c for c, r in seen.items() if r == {"red"}),
            "suspects": sorted(suspects),
            "next_test": min(testable, key=lambda c: (worse(c), when[c], c)),
            "runs_at_worst": runs_needed(suspects),
            "inseparable": sorted(s for group in apart.values() if len(group) > 1 for s in group),
        },
        indent=1,
    )
)
