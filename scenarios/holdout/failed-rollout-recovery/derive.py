"""Inputs folder (argv[1]) -> expected.json: states out of the nodes' logs, then a search per node and end."""

import csv
import json
import re
import sys
from collections import deque
from pathlib import Path

inputs = Path(sys.argv[1])
ARCHIVE, MAY_HOLD = {"n5", "n8"}, -1


def text(name):
    return (inputs / name).read_text(encoding="utf-8")


with (inputs / "compatibility.csv").open(encoding="utf-8", newline="") as file:
    runs_on = {r["build"]: set(map(int, r["schemas"].split("|"))) for r in csv.DictReader(file)}
schemas = sorted(set().union(*runs_on.values()))
base = int(re.search(r"schema (\d+) before the rollout", text("controller.txt"))[1])

nodes = {}
for line in text("nodes.log").splitlines():
    node, said = re.match(r"(n\d)  \S+ (.*)", line).groups()
    s = nodes.setdefault(
        node, {"build": None, "up": True, "schema": base, "pending": 0, "reachable": True, "step": None}
    )
    if m := re.match(r"(starting|serving) (\w+)", said):
        s["build"], s["up"] = m[2], m[1] == "serving"
    elif m := re.match(r"migrated to (\d+)", said):
        s["step"] = int(m[1])
    elif m := re.match(r"schema check (\d+) ok", said):
        if s["step"] == int(m[1]):
            s["schema"] = s["step"]
    elif m := re.match(r"pending (\d+)", said):
        s["pending"] = int(m[1])
    elif said == "synced":
        s["pending"] = 0
    elif said == "link lost":
        s["reachable"], s["pending"] = False, MAY_HOLD


def actions(node, state):
    build, up, schema, pending, reachable = state
    if not reachable:
        yield f"reconnect {node}", (build, up, schema, pending, True)
        return
    if up and pending:
        yield f"sync {node}", (build, up, schema, 0, True)
    for new, able in runs_on.items():
        if schema in able and (not pending or new == build) and (new != build or not up):
            yield f"start {node} {new}", (new, True, schema, pending, True)
    for word, to in (("migrate", schema + 1), ("rollback", schema - 1)):
        if up and not pending and to in schemas and {schema, to} <= runs_on[build]:
            yield f"{word} {node} {to}", (build, up, to, 0, True)
    if not pending and node not in ARCHIVE:
        for new, able in runs_on.items():
            for to in sorted(able):
                yield f"rebuild {node} {new} {to}", (new, True, to, 0, True)


def shortest(node, end):
    """The shortest list, without rebuild where that is as short."""
    s = nodes[node]
    start = (s["build"], s["up"], s["schema"], s["pending"], s["reachable"])
    queue, found, seen = deque([(start, [])]), [], {start: 0}
    while queue:
        state, done = queue.popleft()
        if state == end:
            found.append(done)
            continue
        for word, after in actions(node, state):
            if seen.setdefault(after, len(done) + 1) >= len(done) + 1:
                queue.append((after, [*done, word]))
    return min(found, key=lambda d: (len(d), sum(w.startswith("rebuild") for w in d)))


best = None
for build in runs_on:
    for schema in sorted(runs_on[build]):
        plan = [w for n in sorted(nodes) for w in shortest(n, (build, True, schema, 0, True))]
        key = (len(plan), [-int(build[1:])])
        if best is None or key < best[0]:
            best = key, build, schema, plan
_, build, schema, plan = best
states = [
    {
        "node": n,
        "build": s["build"],
        "serving": s["up"] and s["reachable"],
        "schema": s["schema"],
        "pending": "unknown" if s["pending"] == MAY_HOLD else str(s["pending"]),
    }
    for n, s in sorted(nodes.items())
]
print(json.dumps({"states": states, "end": {"build": build, "schema": schema}, "actions": plan}, indent=1))
