"""Inputs folder (argv[1]) -> expected.json: what was readable, then each regime's sets and clocks."""
import csv
import datetime
import json
import sys
from pathlib import Path

inputs = Path(sys.argv[1])
hour = datetime.timedelta(hours=1)


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def at(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def show(time):
    return time.strftime("%Y-%m-%dT%H:%MZ")


presence = [(r["host"], at(r["from"]), at(r["to"])) for r in rows("attacker_presence.csv")]


def exposed(key):
    for k in rows("key_log.csv"):
        if k["key"] == key:
            for host, start, end in presence:
                if k["host"] == host and at(k["loaded_from"]) < end and start < at(k["loaded_to"]):
                    return True
    return False


inventory = {r["dataset"]: r for r in rows("inventory.csv")}
state = {}
for name, d in inventory.items():
    reads = [r for r in rows("access_log.csv") if r["dataset"] == name and r["operation"] == "read" and int(r["bytes"]) > 0]
    if not reads:
        state[name] = "not accessed"
    elif d["content"] == "synthetic":
        state[name] = "test data"
    else:
        keys = set()
        for r in reads:
            for e in rows("encryption.csv"):
                if e["dataset"] == name and at(e["from"]) <= at(r["time"]) < at(e["to"]):
                    keys.add(e["key"])
            if not any(e["dataset"] == name and at(e["from"]) <= at(r["time"]) < at(e["to"]) for e in rows("encryption.csv")):
                keys.add("")
        state[name] = "readable" if any(k == "" or exposed(k) for k in keys) else "encrypted"


def persons(regime, sets):
    total = 0
    for n in sorted(sets):
        total += int(inventory[n]["persons_" + regime])
    for o in rows("overlaps.csv"):
        if {o["a"], o["b"]} <= sets:
            total -= int(o["persons_" + regime])
    return total


def categories(sets):
    return sorted({c for n in sets for c in inventory[n]["categories"].split()})


def first(party, word):
    return min(at(r["time"]) for r in rows("timeline.csv") if r["party"] == party and r["state"] == word)


n_authority = {n for n, s in state.items() if s in ("readable", "encrypted") and int(inventory[n]["persons_norland"])}
n_persons = {
    n for n in n_authority
    if state[n] == "readable" and set(inventory[n]["categories"].split()) & {"health", "financial", "credentials"}
}
w_persons = {
    n for n, s in state.items()
    if s == "readable" and int(inventory[n]["persons_westmark"])
    and "name" in inventory[n]["categories"].split()
    and set(inventory[n]["categories"].split()) & {"financial", "credentials", "id-number"}
}
n_clock = first("controller", "confirmed")
w_clock = first("processor", "confirmed")
local = w_clock - 5 * hour
w_day = local.date() + datetime.timedelta(days=30 + 1)
w_deadline = datetime.datetime(w_day.year, w_day.month, w_day.day, tzinfo=datetime.timezone.utc) + 5 * hour
w_total = persons("westmark", w_persons)
print(json.dumps({
    "datasets": [{"dataset": n, "state": s} for n, s in state.items()],
    "norland": {
        "authority_datasets": sorted(n_authority),
        "authority_persons": persons("norland", n_authority),
        "authority_deadline": show(n_clock + 72 * hour),
        "persons_datasets": sorted(n_persons),
        "persons_to_notify": persons("norland", n_persons),
        "categories": categories(n_authority),
    },
    "westmark": {
        "authority": w_total >= 500,
        "credit_agencies": w_total >= 1000,
        "persons_datasets": sorted(w_persons),
        "persons_to_notify": w_total,
        "deadline": show(w_deadline),
        "categories": categories(w_persons),
    },
}, indent=1))
