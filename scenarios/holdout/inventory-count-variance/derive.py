"""Inputs folder (argv[1]) -> expected.json: counted against booked at the minute of the count."""
import csv
import json
import sys
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


packs = rows("包装换算.csv")


def pieces(article, quantity, unit, date):
    """Pieces of a quantity; the pack size is the one in force on the date the packs were packed."""
    if unit == "件":
        return quantity
    size = [r for r in packs if r["货号"] == article and r["生效日"] <= date]
    return quantity * int(max(size, key=lambda r: r["生效日"])["每箱件数"])


# Count: per bin the confirmed team's row counts where two teams counted it.
chosen, double = {}, set()
for r in rows("盘点表.csv"):
    key = (r["货号"], r["库位"])
    if key in chosen:
        double.add(r["货号"])
        if r["复核"] != "是":
            continue
    chosen[key] = r
ledger, seen, twice = [], {}, {}
for r in rows("库存账.csv"):
    key = (r["货号"], r["单据"], r["类型"], r["库位"], r["数量件"])
    if r["单据"] and key in seen:
        twice.setdefault(r["货号"], []).append(r)
    else:
        seen[key] = r
        ledger.append(r)
arrived = {}
for r in rows("在途单.csv"):
    arrived.setdefault(r["货号"], []).append(r)
opening = {(r["货号"], r["库位"]): int(r["数量件"]) for r in rows("期初.csv")}
result, postings = [], []
for article in sorted({a for a, _ in chosen}):
    variance = raw = unposted = 0
    moved = False
    for (a, place), r in sorted(chosen.items()):
        if a != article:
            continue
        at = r["盘点时间"]
        counted = int(r["件数"]) + pieces(article, int(r["箱数"]), "箱", r["箱上装箱日期"])
        physical = opening[a, place]
        all_moves = opening[a, place]
        for m in ledger:
            if (m["货号"], m["库位"]) != (a, place):
                continue
            sign = 1 if m["类型"] in ("入库", "移入") else -1
            all_moves += sign * int(m["数量件"])
            if m["实物时间"] <= at:
                physical += sign * int(m["数量件"])
            else:
                moved = True
        for t in arrived.get(a, []):
            if t["库位"] == place and t["签收时间"] and not t["入库单"] and t["签收时间"] <= at:
                q = pieces(a, int(t["数量"]), t["单位"], t["装箱日期"])
                physical += q
                unposted += q
                postings.append({"article": a, "kind": "补记入库", "pieces": q})
        variance += counted - physical
        raw += counted - all_moves
    for m in twice.get(article, []):
        sign = 1 if m["类型"] in ("入库", "移入") else -1
        postings.append({"article": article, "kind": "冲销重复", "pieces": -sign * int(m["数量件"])})
    if variance > 0:
        postings.append({"article": article, "kind": "盘盈", "pieces": variance})
    if variance < 0:
        postings.append({"article": article, "kind": "盘亏", "pieces": variance})
    cause = (
        "真实差异" if variance else "重复记账" if article in twice else "在途未入账" if unposted
        else "重复盘点" if article in double else "盘点期间移动" if moved else "无差异"
    )
    result.append({"article": article, "variance": variance, "cause": cause})
print(json.dumps({"articles": result, "postings": postings}, ensure_ascii=False, indent=1))
