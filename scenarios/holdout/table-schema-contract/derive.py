"""输入目录（argv[1]）-> expected.json：按约定的次序逐行检查。"""

import csv
import json
import re
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

inputs = Path(sys.argv[1])
HALF = str.maketrans("０１２３４５６７８９", "0123456789")
earlier, used = set(), set()


def real_day(text):
    try:
        day = date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None
    except ValueError:
        return False
    return day is not None and (day.year, day.month) == (2026, 11)


def first_broken(r):
    number, count = r["单号"].translate(HALF), r["数量"].translate(HALF)
    gift = r["备注"] == "赠品"
    if not re.fullmatch(r"DH\d{6}", number):
        return "R1"
    if not real_day(r["到货日"]):
        return "R2"
    if r["仓"] not in ("东", "西", "北") or (r["品类"] == "冷冻" and r["仓"] != "北"):
        return "R3"
    if not re.fullmatch(r"\d+|\d{1,3}(,\d{3})+", count) or int(count.replace(",", "")) == 0:
        return "R4"
    if r["单位"] not in ("件", "箱", "千克", "") or (r["品类"] == "生鲜" and r["单位"] != "千克"):
        return "R5"
    if gift != (r["单价"] == ""):
        return "R6"
    if not gift and (not re.fullmatch(r"\d+(\.\d{1,2})?", r["单价"]) or Decimal(r["单价"]) <= 0):
        return "R6"
    price = Decimal(0) if gift else Decimal(r["单价"])
    allowed = Decimal(0) if gift else Decimal("0.01")
    if abs(Decimal(r["金额"]) - price * int(count.replace(",", ""))) > allowed:
        return "R7"
    if number in earlier and (r["备注"] != "补单" or number in used):
        return "R8"
    return "accept"


verdicts = []
with (inputs / "到货.csv").open(encoding="utf-8", newline="") as file:
    for r in csv.DictReader(file):
        verdict = first_broken(r)
        number = r["单号"].translate(HALF)
        if r["备注"] == "补单" and number in earlier:
            used.add(number)
        earlier.add(number)
        verdicts.append({"row": int(r["行"]), "result": verdict})
counts = {}
for v in verdicts:
    counts[v["result"]] = counts.get(v["result"], 0) + 1
print(
    json.dumps(
        {
            "rows": verdicts,
            "accepted": counts.get("accept", 0),
            "broken": [{"rule": k, "count": n} for k, n in sorted(counts.items()) if k != "accept"],
        },
        ensure_ascii=False,
        indent=1,
    )
)
