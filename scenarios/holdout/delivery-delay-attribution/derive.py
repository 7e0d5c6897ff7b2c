"""Inputs folder (argv[1]) -> expected.json: hours of delay per party and claims, in minutes of UTC."""
import csv
import json
import sys
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal as D
from fractions import Fraction as F
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


EPOCH = datetime(2026, 10, 1)


def stamp(text):
    """-> minutes since the epoch"""
    return int((datetime.fromisoformat(text.rstrip("Z").replace("T", " ")) - EPOCH).total_seconds() // 60)


def offset(text):
    return (-1 if text[0] == "-" else 1) * (int(text[1:3]) * 60 + int(text[4:6]))


zones = {r["hub"]: r for r in rows("zones.csv")}


def shift_at(hub, utc):
    z = zones[hub]
    return offset(z["offset_after"] if z["until_utc"] and utc >= stamp(z["until_utc"]) else z["offset"])


def to_utc(hub, local):
    z = zones[hub]
    utc = stamp(local) - offset(z["offset"])
    if z["until_utc"] and utc >= stamp(z["until_utc"]):
        utc = stamp(local) - offset(z["offset_after"])
    return utc


scans = {r["scan"]: r for r in rows("scans.csv")}
for r in scans.values():
    at, entered = to_utc(r["hub"], r["local_time"]), stamp(r["entered_utc"])
    r["utc"] = entered if entered - at > 12 * 60 and not r["corrects"] else at
for r in list(scans.values()):
    if r["corrects"]:
        old = scans[r["corrects"]]
        if stamp(r["entered_utc"]) - stamp(old["entered_utc"]) <= 24 * 60:
            old["utc"] = r["utc"]
        del scans[r["scan"]]
notices = [(r["kind"], r["place_or_shipment"], stamp(r["from_utc"]), stamp(r["to_utc"])) for r in rows("notices.csv")]
SPANS = {"MISS": ("LOAD", "carrier"), "WX-STOP": ("WX-GO", "weather"), "DOC-ASK": ("DOC-OK", "shipper"), "CLOSED": ("RETRY", "consignee")}
PARTIES = ("carrier", "weather", "customs", "shipper", "consignee")
result = []
for s in rows("shipments.csv"):
    own = {r["code"]: r for r in scans.values() if r["shipment"] == s["shipment"]}
    delivered = own["DELIVERED"]["utc"]
    left = delay = max(0, delivered - own["PICK-UP"]["utc"] - int(s["promised_h"]) * 60)
    minute = {}
    for start, (end, party) in SPANS.items():
        if start in own:
            hub = own[start]["hub"]
            for m in range(own[start]["utc"], own[end]["utc"]):
                who = party
                if party == "weather" and not any(k == "weather" and p == hub and a <= m < b for k, p, a, b in notices):
                    who = "carrier"
                if party == "consignee" and not 8 * 60 <= (m + shift_at(hub, m)) % 1440 < 20 * 60:
                    who = "carrier"
                minute.setdefault(m, set()).add(who)
    for kind, place, a, b in notices:
        if kind == "customs" and place == s["shipment"]:
            for m in range(a, b):
                minute.setdefault(m, set()).add("customs")
    share = dict.fromkeys(PARTIES, F(0))
    for m in sorted((m for m in minute if m < delivered), reverse=True):
        if not left:
            break
        parties = set(minute[m])
        if {"shipper", "customs"} <= parties:
            parties.discard("customs")
        if {"weather", "carrier"} <= parties:
            parties.discard("weather")
        for p in parties:
            share[p] += F(1, len(parties))
        left -= 1
    share["carrier"] += left
    claim = D(0)
    if share["carrier"] > 240:
        started = -(-share["carrier"] // 360)
        percent = min(10, started * (3 if s["service"] == "EX" else 2))
        claim = (D(s["freight_usd"]) * percent / 100).quantize(D("0.01"), ROUND_HALF_UP)
    hours = {f"{p}_h": round(float(v / 60), 4) for p, v in share.items()}
    result.append({"shipment": s["shipment"], "delay_h": round(delay / 60, 4), **hours, "claim_usd": float(claim)})
total = sum(D(str(r["claim_usd"])) for r in result)
print(json.dumps({"shipments": result, "total_claim_usd": float(total)}, indent=1))
