"""Inputs folder (argv[1]) -> expected.json: the restore by the rule of the board, minute by minute."""
import csv
import json
import re
import sys
from datetime import datetime
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


systems = rows("systems.csv")
needs = {s["system"]: {d for d in s["depends_on"].split("|") if d} for s in systems}


def reaches(a, b, seen=()):
    return any(d == b or d not in seen and reaches(d, b, (*seen, d)) for d in needs[a])


modes = {m["system"]: m for m in rows("modes.csv") if reaches(m["system"], m["system"])}
jobs = []
for s in systems:
    wants_full = {m["system"] for m in modes.values() if s["system"] in m["needs_full"].split("|")}
    jobs.append({
        "name": s["system"],
        "no": int(s["no"]),
        "team": s["team"],
        "minutes": int(s["restore_min"]),
        "rto": int(s["rto_min"]),
        "vault": s["vault"] == "yes",
        "needs": needs[s["system"]],
        "full": wants_full,
    })
usable, complete, end_of, begin_of, running = {}, {}, {}, {}, {}
holder_free, now = int(re.search(r"from minute (\d+) on", (inputs / "recovery-policy.md").read_text(encoding="utf-8"))[1]), 0
teams = sorted({j["team"] for j in jobs})


def ready(job):
    """May it begin now, the holder left aside?"""
    for d in job["needs"]:
        done = complete if d in job["full"] else usable
        if done.get(d, 9999) <= now:
            continue
        mode = modes.get(job["name"])
        if not (mode and mode["may_begin_without"] == d):
            return False
    return True


waiting = list(jobs)
while waiting or running:
    for team in [t for t, (end, _) in running.items() if end == now]:
        _, job = running.pop(team)
        end_of[job["name"]] = now
        if job["name"].startswith("rework "):
            complete[job["name"].removeprefix("rework ")] = now
        else:
            usable[job["name"]] = now
            if job["degraded"]:
                mode = modes[job["name"]]
                waiting.append({
                    "name": "rework " + job["name"], "no": job["no"], "team": team, "minutes": int(mode["rework_min"]),
                    "rto": 999, "vault": False, "needs": {mode["may_begin_without"]}, "full": set(),
                })
            else:
                complete[job["name"]] = now
    while True:
        able = [j for j in waiting if j["team"] not in running and ready(j) and (not j["vault"] or holder_free <= now)]
        # each free team's first choice; of those that want the holder only the first gets him
        first = {}
        for j in sorted(able, key=lambda j: (j["rto"], j["no"])):
            first.setdefault(j["team"], j)
        if not first:
            break
        job = min(first.values(), key=lambda j: (j["rto"], j["no"]))
        waiting.remove(job)
        job["degraded"] = any(usable.get(d, 9999) > now for d in job["needs"])
        begin_of[job["name"]] = now
        running[job["team"]] = (now + job["minutes"], job)
        if job["vault"]:
            holder_free = now + 15
    now += 1
good = {}
LOSS = datetime(2026, 11, 21, 2)
log = [re.match(r"(\S+ \S+) (.+?) (full|verify of (\S+)) (\S+)(?: size=(\S+))?", line).groups() for line in (inputs / "backup-log.txt").read_text(encoding="utf-8").splitlines() if line]
failed = {(name, clock) for _, name, kind, clock, state, _ in log if clock and state != "ok"}
verified = {(name, clock) for _, name, kind, clock, state, _ in log if clock}
for when, name, kind, clock, state, size in sorted(log):
    key = (name, when.split()[1])
    if kind != "full" or state != "ok" or key in failed:
        continue
    if key not in verified and name in good and float(size) < good[name][1] / 2:
        continue
    good[name] = (datetime.fromisoformat(when), float(size))
loss = {s["system"]: int((LOSS - good[s["system"]][0]).total_seconds() // 60) for s in systems}
answer = {
    "jobs": [{"job": k, "begin": begin_of[k], "end": end_of[k]} for k in sorted(begin_of, key=lambda k: (begin_of[k], k))],
    "rto_missed": [s["system"] for s in systems if usable[s["system"]] > int(s["rto_min"])],
    "data_loss": [{"system": k, "minutes": v} for k, v in loss.items()],
    "rpo_missed": [s["system"] for s in systems if loss[s["system"]] > int(s["rpo_min"])],
}
print(json.dumps(answer, indent=1))
