"""Inputs folder (argv[1]) -> expected.json: for each wanted fix the closure of its needs, or its blockers."""

import json
import re
import sys
from pathlib import Path

inputs = Path(sys.argv[1])


def text(name):
    return (inputs / name).read_text(encoding="utf-8")


order, trailers, files, adder = [], {}, {}, {}
for block in text("main.log").strip().split("\n\n"):
    commit = re.match(r"commit (\w+)", block)[1]
    order.append(commit)
    trailers[commit] = re.findall(r"^    (\w+): (\S+)$", block, re.MULTILINE)
    files[commit] = []
    for line in re.findall(r"^  ([AMR] .+)$", block, re.MULTILINE):
        what, paths = line[0], line[2:].split(" -> ")
        if what in "MR":
            files[commit].append(paths[0])
        if what in "AR":
            adder[paths[-1]] = commit


def named(commit, word):
    return [v for k, v in trailers[commit] if k == word]


def those(word, target):
    return [c for c in order if target in named(c, word)]


branch = text("branch.txt")
there = set(re.search(r"cut:\n(.*)\n", branch)[1].split())
picked = set(re.findall(r"cherry picked from commit (\w+)", branch))
wanted, stop = text("wanted.md").split("# Stop list")
wanted = re.findall(r"\b(a\d\d\w)\b", wanted)
stop = dict(re.findall(r"^(\S+) +(soft|hard) ", stop, re.MULTILINE))


def current(commit):
    """The landing of a change that stands, or the revert that ended it."""
    reverts = those("Reverts", commit)
    if not reverts:
        return commit, None
    again = those("Relands", commit)
    return current(again[0]) if again else (None, reverts[0])


def take(commit, closure, blockers, needed):
    commit, dead = current(commit)
    if dead:
        blockers.add(dead)
        return
    if commit in closure:
        return
    closure.add(commit)
    if commit not in picked:
        for feature in named(commit, "Feature"):
            if feature in stop and not (needed and named(commit, "Flag") == ["off"] and stop[feature] == "soft"):
                blockers.add(commit)
        for other in named(commit, "Requires"):
            take(other, closure, blockers, True)
        for path in files[commit]:
            if path not in there and adder[path] != commit:
                take(adder[path], closure, blockers, True)
    for other in those("Amends", commit):
        take(other, closure, blockers, True)


picks, impossible = set(), []
for fix in wanted:
    closure, blockers = set(), set()
    take(fix, closure, blockers, False)
    if blockers:
        impossible.append({"fix": fix, "blocker": min(blockers, key=order.index)})
    else:
        picks |= closure - picked
print(json.dumps({"picks": sorted(picks, key=order.index), "impossible": impossible}, indent=1))
