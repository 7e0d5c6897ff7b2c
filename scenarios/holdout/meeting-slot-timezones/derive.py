"""Inputs folder (argv[1]) -> expected.json: earliest common call, and the move for week one."""
import csv
import json
import re
import sys
from datetime import date, datetime, timedelta
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def delta(text):
    sign = -1 if text[0] == "-" else 1
    return sign * timedelta(hours=int(text[1:3]), minutes=int(text[4:6]))


zones = {r["zone"]: r for r in rows("zones.csv")}


def offset_at(zone, utc):
    z = zones[zone]
    after = z["until_utc"] and utc >= datetime.fromisoformat(z["until_utc"])
    return delta(z["offset_after"] if after else z["offset"])


def to_utc(zone, local):
    utc = local - delta(zones[zone]["offset"])
    return local - offset_at(zone, utc)


def stamp(text):
    return datetime.strptime(text, "%Y%m%dT%H%M%S")


DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
people = {r["person"]: r for r in rows("people.csv")}
busy = []  # (person, uid, begin, end, movable)
for name in people:
    text = (inputs / f"{name.lower()}.ics").read_text(encoding="utf-8")
    events = re.findall(r"BEGIN:VEVENT\n(.*?)\nEND:VEVENT", text, re.S)
    events = [dict(re.findall(r"^([A-Z-]+)(?:;[^:\n]*)?:(.*)$", e, re.M)) | {"tz": re.search(r"TZID=([^:]+):", e)[1]} for e in events]
    replaced = {(e["UID"], e["RECURRENCE-ID"]) for e in events if "RECURRENCE-ID" in e}
    for e in events:
        begin, end = stamp(e["DTSTART"]), stamp(e["DTEND"])
        starts = [begin]
        if "RRULE" in e:
            rule = dict(p.split("=") for p in e["RRULE"].split(";"))
            last = datetime.strptime(rule["UNTIL"], "%Y%m%d").date()
            days = [begin.date() + timedelta(days=n) for n in range((last - begin.date()).days + 1)]
            starts = [datetime.combine(d, begin.time()) for d in days if DAYS[d.weekday()] in rule["BYDAY"].split(",")]
            out = e.get("EXDATE", "").split(",")
            starts = [s for s in starts if s.strftime("%Y%m%dT%H%M%S") not in out]
            starts = [s for s in starts if (e["UID"], s.strftime("%Y%m%dT%H%M%S")) not in replaced]
        if e.get("TRANSP") == "TRANSPARENT" or e.get("STATUS") == "TENTATIVE" and name in ("Colin", "Dana"):
            continue
        for s in starts:
            busy.append((name, e["UID"], to_utc(e["tz"], s), to_utc(e["tz"], s + (end - begin)), e.get("CATEGORIES") == "MOVABLE"))
LONG = timedelta(minutes=45)


def free(at, taken):
    for name, p in people.items():
        local = at + offset_at(p["zone"], at)
        first, last = p["hours"].split("-")
        if local.weekday() > 4 or local.strftime("%H:%M") < first or (local + LONG).strftime("%H:%M") > last:
            return False
        if p["no_calls"]:
            a, b = p["no_calls"].split("-")
            if local.strftime("%H:%M") < b and (local + LONG).strftime("%H:%M") > a:
                return False
    return all(end <= at or begin >= at + LONG for _, _, begin, end, _ in taken)


def earliest(taken, days):
    quarter = datetime(2026, 10, 26)
    while quarter < datetime(2026, 10, 26) + timedelta(days=days):
        if free(quarter, taken):
            return quarter
        quarter += timedelta(minutes=15)
    return None


slot = earliest(busy, 21)
answer = {
    "slot_utc": slot.strftime("%Y-%m-%dT%H:%MZ"),
    "local": [{"person": n, "begin": (slot + offset_at(p["zone"], slot)).strftime("%Y-%m-%d %H:%M")} for n, p in people.items()],
    "move": None,
}
if slot.date() > date(2026, 10, 30):
    found = []
    for b in busy:
        if b[4]:
            without = earliest([x for x in busy if x is not b], 5)
            if without:
                found.append((without, b))
    when, event = min(found, key=lambda f: f[0])
    answer["move"] = {"person": event[0], "uid": event[1], "slot_utc": when.strftime("%Y-%m-%dT%H:%MZ")}
print(json.dumps(answer, indent=1))
