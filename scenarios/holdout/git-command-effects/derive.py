"""Inputs folder (argv[1]) -> expected.json: the commands one by one over a model of two clones and a server.

A commit is a tuple of the names from the root to it. Each command is interpreted from its text.
"""

import json
import re
import sys
from pathlib import Path

inputs = Path(sys.argv[1])
trunk = ("P1", "P2", "P3")
start = {
    "main": trunk,
    "topic": (*trunk, "P4", "P5", "P6"),
    "hotfix": ("P1", "P2", "P7", "P8"),
}
server = {"main": trunk, "hotfix": start["hotfix"]}
clones = {
    who: {"heads": dict(start), "remote": dict(server), "at": "main"} for who in ("Anna", "Ben")
}
ever = {c[:n] for c in start.values() for n in range(1, len(c) + 1)}
copies, failed = {}, []


class Failed(Exception):
    pass


def bare(name):
    return name.rstrip("'")


def copy(name):
    copies[bare(name)] = copies.get(bare(name), 0) + 1
    return bare(name) + "'" * copies[bare(name)]


def resolve(clone, text):
    base, _, back = text.partition("~")
    if base == "HEAD":
        commit = clone["heads"][clone["at"]]
    elif base.startswith("origin/"):
        commit = clone["remote"][base.removeprefix("origin/")]
    else:
        commit = clone["heads"][base]
    return commit[: len(commit) - int(back or 0)] if back else commit


def apply(commit, name):
    if bare(name) == "P6" and "P4" not in map(bare, commit):
        raise Failed
    commit = (*commit, copy(name))
    ever.add(commit)
    return commit


def rebase(clone, upstream, onto, branch):
    """Replays branch without what upstream holds, by commit or by patch."""
    mine, up, new = clone["heads"][branch], resolve(clone, upstream), resolve(clone, onto)
    shared = 0
    while shared < min(len(mine), len(up)) and mine[shared] == up[shared]:
        shared += 1
    clone["at"] = branch
    todo = [n for n in mine[shared:] if bare(n) not in {bare(u) for u in up[shared:]}]
    if new == mine[: len(new)] and len(todo) == len(mine) - len(new):
        return  # already there
    before = dict(copies)
    try:
        for name in todo:
            new = apply(new, name)
    except Failed:
        copies.clear()
        copies.update(before)
        raise
    clone["heads"][branch] = new


def push(clone, branch, lease):
    mine, there = clone["heads"][branch], server.get(branch)
    forward = there is None or mine[: len(there)] == there
    if lease is None and not forward:
        raise Failed
    if lease is not None and there != lease:
        raise Failed
    server[branch] = clone["remote"][branch] = mine


def run(clone, words):
    verb, rest = words[0], words[1:]
    if verb == "switch":
        clone["at"] = rest[0]
    elif verb == "fetch":
        clone["remote"] = dict(server)
    elif verb == "commit":
        clone["heads"][clone["at"]] += ("P9",)
        ever.add(clone["heads"][clone["at"]])
    elif verb == "reset":
        clone["heads"][clone["at"]] = resolve(clone, rest[1])
    elif verb == "merge":
        mine, theirs = clone["heads"][clone["at"]], resolve(clone, rest[1])
        if theirs[: len(mine)] != mine:
            raise Failed
        clone["heads"][clone["at"]] = theirs
    elif verb == "cherry-pick":
        on = clone["heads"][clone["at"]]
        if rest[0] in map(bare, on):
            raise Failed  # it becomes empty and stops
        clone["heads"][clone["at"]] = apply(on, rest[0])
    elif verb == "branch":
        if clone["at"] == rest[1]:
            raise Failed
        del clone["heads"][rest[1]]
    elif verb == "rebase":
        if rest[0] == "--onto":
            rebase(clone, rest[2], rest[1], rest[3])
        else:
            rebase(clone, rest[0], rest[0], rest[1])
    elif verb == "push":
        branch, lease = rest[-1], None
        if rest[0] == "--force-with-lease":
            lease = clone["remote"].get(branch)
        elif rest[0].startswith("--force-with-lease="):
            lease = resolve(clone, rest[0].split(":")[1])
        push(clone, branch, lease)


for line in (inputs / "commands.txt").read_text(encoding="utf-8").splitlines():
    number, who, text = re.match(r" ?(\d+)  (\w+) +(.*?)(?:  +\(.*)?$", line).groups()
    try:
        for part in text.split(" && "):
            run(clones[who], part.removeprefix("git ").split())
    except Failed:
        failed.append(int(number))


def show(commit):
    return list(commit)


refs = []
for where, heads in (("server", server), ("anna", clones["Anna"]["heads"]), ("ben", clones["Ben"]["heads"])):
    refs += [{"ref": f"{where}:{b}", "commits": show(c)} for b, c in sorted(heads.items())]
keepers = [server, *(c[part] for c in clones.values() for part in ("heads", "remote"))]
held = {c[:n] for k in keepers for c in k.values() for n in range(1, len(c) + 1)}
lost = sorted({c[-1] for c in ever} - {c[-1] for c in held})
print(json.dumps({"refs": refs, "failed": failed, "unreachable": lost}, indent=1))
