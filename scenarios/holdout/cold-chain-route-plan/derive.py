"""Inputs folder (argv[1]) -> expected.json: search over routes, then boxes, by the rules' order."""
import csv
import itertools
import json
import sys
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def minutes(clock):
    hours, rest = clock.split(":")
    return int(hours) * 60 + int(rest)


def clock(value):
    return f"{value // 60:02d}:{value % 60:02d}"


HOLIDAY = "中秋"
PACK_TIME = minutes("07:00")
products = {r["品名"]: r for r in rows("产品.csv")}
window = {}
for r in rows("收货时间.csv"):
    holiday = HOLIDAY in r["执行节日时间的节日"]
    start, end = (r["节日时间"] if holiday else r["工作日时间"]).split("-")
    window[r["院区"]] = (minutes(start), minutes(end))
orders = {}
for r in rows("订单.csv"):
    p = products[r["品名"]]
    packs = int(r["数量"]) * int(p["每箱盒数"]) if r["单位"] == "箱" else int(r["数量"]) // int(p["每盒支数"])
    orders[r["订单"]] = {
        "place": r["院区"],
        "class": p["温区"],
        "volume": packs * int(p["每盒毫升"]),
        "points": 5 if r["级别"] == "急" else 2,
        "must": r["昨日已顺延"] == "是",
    }
distance = {}
for r in rows("路程.csv"):
    distance[r["起"], r["止"]] = distance[r["止"], r["起"]] = (int(r["公里"]), int(r["分钟"]))
started = {}
for r in rows("预冷记录.csv"):
    if r["事项"] in ("放入冰排", "更换冰排"):
        day = -1440 if r["日期"] == "2026-09-24" else 0
        started[r["箱号"]] = max(started.get(r["箱号"], -9999), day + minutes(r["时间"]))
boxes = {}
for r in rows("保温箱.csv"):
    cooled = PACK_TIME - started[r["箱号"]]
    share = 100 if cooled >= 480 else 60 if cooled >= 240 else 0
    boxes[r["箱号"]] = (r["温区"], int(r["容积升"]) * 1000, int(r["标称分钟"]) * share // 100)
vans = {r["车"]: r for r in rows("车辆.csv")}
SERVICE = 15


def tour(van, places):
    now, at, km, stops = minutes(vans[van]["发车"]), "库", 0, []
    for place in places:
        step = distance[at, place]
        km, arrive = km + step[0], now + step[1]
        begin = max(arrive, window[place][0])
        now, at = begin + SERVICE, place
        if now > window[place][1]:
            return None
        stops.append((place, begin, now))
    if not places:
        return 0, [], 0
    back = distance[at, "库"]
    if now + back[1] > minutes(vans[van]["最迟回库"]):
        return None
    return km + back[0], stops, now + back[1]


tours = {}
places = sorted(window)
for van in vans:
    for size in range(0, int(vans[van]["最多停靠"]) + 1):
        for order in itertools.permutations(places, size):
            made = tour(van, order)
            if made:
                tours.setdefault((van, frozenset(order)), []).append(made)


def packing(chosen, where):
    """chosen: order -> (van, handed over at); the first packing with the fewest boxes, or None."""
    names, best = sorted(chosen), None
    options = []
    for name in names:
        o, (van, until) = orders[name], chosen[name]
        depart = minutes(vans[van]["发车"])
        fits = [
            b for b, (kind, room, hold) in boxes.items()
            if kind == o["class"] and room >= o["volume"] and until - depart <= hold
        ]
        options.append(sorted(fits))
    for pick in itertools.product(*options):
        load, owner = {}, {}
        good = True
        for name, box in zip(names, pick):
            load[box] = load.get(box, 0) + orders[name]["volume"]
            if load[box] > boxes[box][1] or owner.setdefault(box, chosen[name][0]) != chosen[name][0]:
                good = False
                break
        if not good:
            continue
        used = list(owner.values())
        if any(used.count(v) > int(vans[v]["最多箱数"]) for v in vans):
            continue
        if best is None or len(owner) < best[0]:
            best = (len(owner), dict(zip(names, pick)))
    return best


van_names = sorted(vans)
found = []
keys = {v: [k[1] for k in tours if k[0] == v] for v in van_names}
must = {o["place"] for o in orders.values() if o["must"]}
plans = []
for a in keys[van_names[0]]:
    for b in keys[van_names[1]]:
        if a & b or not must <= a | b:
            continue
        points = sum(o["points"] for o in orders.values() if o["place"] in a | b)
        for x in tours[van_names[0], a]:
            for y in tours[van_names[1], b]:
                plans.append((-points, x[0] + y[0], x[2] + y[2], len(plans), x, y))
best = None
for bound, km, ends, _, x, y in sorted(plans):
    if best and bound > best[0][0]:
        break
    if best and bound == best[0][0] and km > best[0][1]:
        continue
    until = {}
    for van, t in zip(van_names, (x, y)):
        for place, _, end in t[1]:
            until[place] = (van, end)
    served = [n for n, o in orders.items() if o["place"] in until]
    for left in range(0, 3):
        for out in itertools.combinations(served, left):
            if any(orders[n]["must"] for n in out):
                continue
            kept = [n for n in served if n not in out]
            if {orders[n]["place"] for n in kept} != set(until):
                continue
            value = -sum(orders[n]["points"] for n in kept)
            if best and (value, km, ends) > best[0][:3]:
                continue
            packed = packing({n: until[orders[n]["place"]] for n in kept}, until)
            if packed and (best is None or (value, km, ends, packed[0]) < best[0]):
                best = ((value, km, ends, packed[0]), x, y, packed[1], kept)
                found = [best]
            elif packed and (value, km, ends, packed[0]) == best[0]:
                found.append(((value, km, ends, packed[0]), x, y, packed[1], kept))
if len(found) > 1 and found[0][4] is not None:
    raise SystemExit(f"tie: {found}")
(_, km, _, _), x, y, pack, kept = best
print(json.dumps({
    "routes": [
        {"van": v, "km": t[0], "stops": [
            {"place": p, "start": clock(s), "end": clock(e)} for p, s, e in t[1]]}
        for v, t in zip(van_names, (x, y))
    ],
    "boxes": [{"order": n, "box": pack[n]} for n in sorted(pack)],
    "deferred": sorted(n for n in orders if n not in kept),
    "total_km": km,
}, ensure_ascii=False, indent=1))
