"""Inputs folder (argv[1]) -> expected.json: objects to ranges, first match, coverage, then the proposed changes."""
import csv
import ipaddress
import json
import sys
from pathlib import Path

inputs = Path(sys.argv[1])
TODAY = "2026-11-16"


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


objects = {r["object"]: r["members"].split() for r in rows("objects.csv")}
services = {r["service"]: [tuple(map(int, p.split("-"))) if "-" in p else (int(p), int(p)) for p in r["tcp_ports"].split()] for r in rows("services.csv")}


def ranges(name, objects):
    if name == "any":
        return [(0, 2**32 - 1)]
    if name in objects:
        return [x for m in objects[name] for x in ranges(m, objects)]
    net = ipaddress.ip_network(name)
    return [(int(net[0]), int(net[-1]))]


def ports(name):
    return [(0, 65535)] if name == "any" else services[name]


def inside(value, spans):
    return any(a <= value <= b for a, b in spans)


def built(rules, objects):
    return [
        (r["rule"], ranges(r["source"], objects), ranges(r["destination"], objects), ports(r["service"]), r["action"])
        for r in rules
        if not r["expires"] or r["expires"] >= TODAY
    ]


def decide(base, src, dst, port):
    for rule, s, d, p, action in base:
        if inside(src, s) and inside(dst, d) and inside(port, p):
            return rule, action
    return "default", "drop"


rules = rows("rules.csv")
base = built(rules, objects)
flows = []
for f in rows("flows.csv"):
    src, dst, port = (int(ipaddress.ip_address(f["source"])), f["destination"], int(f["port"]))
    for n in rows("nat.csv"):
        if n["kind"] == "destination" and f["arrives_on"] == n["interface"] and dst == n["from_address"] and port == int(n["from_port"]):
            dst, port = n["to_address"], int(n["to_port"])
            break
    rule, action = decide(base, src, int(ipaddress.ip_address(dst)), port)
    flows.append({"flow": f["flow"], "rule": rule, "action": action})


def covers(a, b):
    return all(any(x <= s and e <= y for x, y in a) for s, e in b)


shadowed, redundant = [], []
for i, (rule, s, d, p, action) in enumerate(base):
    for _, s2, d2, p2, action2 in base[:i]:
        if covers(s2, s) and covers(d2, d) and covers(p2, p):
            (redundant if action2 == action else shadowed).append(rule)
            break


def atoms(spans):
    cuts = sorted({x for a, b in spans for x in (a, b + 1)})
    return [(a, b - 1) for a, b in zip(cuts, cuts[1:])]


def changed_boxes(old, new):
    """Rules that differ between two bases, by number or by place."""
    return [r for r in old + new if r not in old or r not in new] or old + new


def opened(new):
    """How many (source, destination, port) are accepted now and were not; -1 if one is lost."""
    boxes = changed_boxes(base, new)
    all_s = [x for r in base + new for x in r[1]]
    all_d = [x for r in base + new for x in r[2]]
    all_p = [x for r in base + new for x in r[3]]
    total = 0
    in_s = [x for r in boxes for x in r[1]]
    in_d = [x for r in boxes for x in r[2]]
    in_p = [x for r in boxes for x in r[3]]
    for s in atoms(all_s):
        if not inside(s[0], in_s):
            continue
        for d in atoms(all_d):
            if not inside(d[0], in_d):
                continue
            for p in atoms(all_p):
                if not inside(p[0], in_p):
                    continue
                was, now = decide(base, s[0], d[0], p[0])[1], decide(new, s[0], d[0], p[0])[1]
                if was == "accept" and now != "accept":
                    return -1
                if now == "accept" and was != "accept":
                    total += (s[1] - s[0] + 1) * (d[1] - d[0] + 1) * (p[1] - p[0] + 1)
    return total


request = rows("request.csv")
best = []
for c in rows("proposals.csv"):
    new_objects = {k: list(v) for k, v in objects.items()}
    new_rules = [dict(r) for r in rules]
    if c["kind"] == "add to object":
        new_objects[c["object"]].append(c["member"])
    else:
        at = next(i for i, r in enumerate(new_rules) if r["rule"] == c["before"])
        new_rules.insert(at, {"rule": "new", "source": c["source"], "destination": c["destination"], "service": c["service"], "action": "accept", "expires": ""})
    new = built(new_rules, new_objects)
    good = all(
        decide(new, x, int(ipaddress.ip_address(q["destination"])), int(q["port"]))[1] == "accept"
        for q in request
        for x in (int(ipaddress.ip_network(q["source"])[0]), int(ipaddress.ip_network(q["source"])[-1]))
    )
    if good:
        count = opened(new)
        if count >= 0:
            best.append((count, c["proposal"]))
best.sort()
print(json.dumps({
    "flows": flows,
    "shadowed": sorted(shadowed),
    "redundant": sorted(redundant),
    "proposals_that_work": sorted(p for _, p in best),
    "change": best[0][1],
    "newly_accepted": best[0][0],
}, indent=1))
