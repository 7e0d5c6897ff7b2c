"""Inputs folder (argv[1]) -> expected.json: all lines in UTC, then the guide's rules until nothing is added."""
import csv
import datetime
import json
import re
import sys
from pathlib import Path

inputs = Path(sys.argv[1])
UTC = datetime.timezone.utc


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def lines(name):
    for text in (inputs / name).read_text(encoding="utf-8").splitlines():
        if text.strip():
            yield text.split(" ", 1)


def fields(text):
    return dict(re.findall(r"(\w+)=(\"[^\"]*\"|\S+)", text))


def at(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


marks = {(r["kind"], r["value"]) for r in rows("indicators.csv")}
tickets = rows("change_tickets.csv")
nat = rows("nat_leases.csv")
events = {}
for number, text in lines("proxy.log"):
    time = datetime.datetime.strptime(re.search(r"\[(.*?)\]", text).group(1), "%d/%b/%Y:%H:%M:%S %z").astimezone(UTC)
    f = fields(text)
    port = int(f["src"].split(":")[1])
    lease = [n for n in nat if int(n["port_from"]) <= port <= int(n["port_to"]) and at(n["from"]) <= time < at(n["to"])]
    events[number] = {"log": "proxy", "time": time, "host": lease[0]["host"], **f}
for number, text in lines("auth.log"):
    f = fields(text)
    events[number] = {"log": "auth", "time": datetime.datetime.fromtimestamp(int(text.split()[0]), UTC), "host": f["to"], **f}
endpoint = list(lines("endpoint.log"))
offset = {}
for number, text in endpoint:
    f = fields(text)
    if f["event"] == "timesync":
        offset[f["host"]] = (number, int(f["ahead_s"]))
passed = set()
boots, count = {}, {}
for number, text in endpoint:
    f = fields(text)
    time = datetime.datetime.strptime(text[:19], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC) - datetime.timedelta(hours=1)
    if f["host"] in offset and f["host"] not in passed:
        time -= datetime.timedelta(seconds=offset[f["host"]][1])
    if f["event"] == "timesync":
        passed.add(f["host"])
        continue
    if f["event"] == "reboot":
        boots.setdefault(f["host"], []).append(time)
        continue
    events[number] = {"log": "endpoint", "time": time, **f}
for number, text in lines("cloud_audit.log"):
    f = fields(text)
    events[number] = {"log": "cloud", "time": at(text.split()[0]), "host": "cloud", **f}


def life(e):
    return sum(b <= e["time"] for b in boots.get(e["host"], []))


def covered(e):
    return any(
        t["account"] == e["user"] and t["target"] == e["to"] and at(t["from"]) <= e["time"] <= at(t["to"]) for t in tickets
    )


bad = set()
while True:
    before = len(bad)
    sessions = {events[n]["session"] for n in bad if events[n]["log"] == "auth" and events[n]["result"] == "ok"}
    processes = [events[n] for n in bad if events[n]["log"] == "endpoint"]
    for n, e in events.items():
        if e["log"] == "proxy":
            hit = e["status"] == "200" and ("domain", e["domain"]) in marks
        elif e["log"] == "endpoint":
            hit = ("hash", e.get("hash", "")) in marks or e.get("session") in sessions or any(
                p["host"] == e["host"] and p["pid"] == e["ppid"] and life(p) == life(e) and p["time"] <= e["time"] for p in processes
            )
        elif e["log"] == "auth":
            hit = ("ip", e["from"]) in marks or any(
                p["host"] == e["from"] and p["time"] <= e["time"] and life(p) == life({"host": p["host"], "time": e["time"]}) for p in processes
            ) and not covered(e)
        else:
            hit = ("ip", e["ip"]) in marks or e["issued_from"] in sessions
        if hit:
            bad.add(n)
    if len(bad) == before:
        break
order = sorted(bad, key=lambda n: events[n]["time"])
good = [events[n] for n in order if events[n].get("result") != "fail"]
print(json.dumps({
    "actions": [{"line": n, "time": events[n]["time"].strftime("%Y-%m-%dT%H:%M:%SZ"), "host": events[n]["host"]} for n in order],
    "initial_access": order[0],
    "accounts": sorted({e["user"] for e in good if "user" in e}),
    "isolate": sorted({e["host"] for e in good if e["log"] in ("endpoint", "auth")}),
}, indent=1))
