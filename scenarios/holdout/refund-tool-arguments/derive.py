"""输入目录 (argv[1]) -> expected.json:退款工具的调用。"""
import csv
import json
import re
import sys
from decimal import Decimal as D
from fractions import Fraction as F
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def fen(text):
    return int(D(text) * 100)


def spread(amount, weights):
    """最大余数法:行号 -> 分。"""
    total = sum(weights.values())
    exact = {k: F(amount * w, total) for k, w in weights.items()}
    share = {k: int(v) for k, v in exact.items()}
    for k in sorted(exact, key=lambda k: (-(exact[k] - share[k]), k))[: amount - sum(share.values())]:
        share[k] += 1
    return share


order = {int(r["行号"]): r for r in rows("订单.csv")}
money = {r["项目"]: r for r in rows("支付与优惠.csv")}
gross = {k: fen(r["单价元"]) * int(r["件数"]) for k, r in order.items()}
kitchen = spread(fen(money["厨电品类券"]["金额元"]), {k: g for k, g in gross.items() if order[k]["品类"] == "厨电"})
after = {k: g - kitchen.get(k, 0) for k, g in gross.items()}
platform = spread(fen(money["平台券"]["金额元"]), after)
net = {k: a - platform[k] for k, a in after.items()}
TODAY = re.search(r"(\d{4}-\d\d-\d\d)", (inputs / "客户留言.txt").read_text(encoding="utf-8")).group(1)
left = {"CARD": fen(money["银行卡"]["金额元"]), "GIFT": fen(money["礼品卡"]["金额元"]), "BALANCE": fen(money["余额"]["金额元"])}
if re.search(r"\d{4}-\d\d-\d\d", money["礼品卡"]["备注"]).group() < TODAY:
    left["BALANCE"] += left.pop("GIFT")
back, pieces, successes = {}, {}, {}
for r in rows("退款记录.csv"):
    if r["状态"] == "success":
        k = int(r["行号"])
        amount = net[k] * int(r["件数"]) // int(order[k]["件数"])
        back[k] = back.get(k, 0) + amount
        pieces[k] = pieces.get(k, 0) + int(r["件数"])
        successes[k, r["去向"]] = successes.get((k, r["去向"]), 0) + 1
        left[r["去向"]] -= amount
NUMBER = {"一": 1, "两": 2, "三": 3}
calls, refused = [], ["third-party-payout"]
done = 0
for k, r in order.items():
    total, text = int(r["件数"]), r["情况"]
    if "已拆封使用且无质量问题" in text:
        refused.append(f"line-{k}")
        continue
    found = re.search("(一|两|三)件", text)
    wanted = NUMBER[found[1]] if found else total
    last = pieces.get(k, 0) + wanted == total
    done += last
    amount = net[k] - back.get(k, 0) if last else net[k] * wanted // total
    for destination in left:
        part = min(amount, left[destination])
        if part:
            left[destination] -= part
            amount -= part
            key = f"{r['订单号'].replace('-', '')}-L{k}-{destination}-{successes.get((k, destination), 0) + 1}"
            calls.append({"line": k, "destination": destination, "amount_fen": part, "key": key})
if done < len(order):
    refused.append("shipping")
answer = {"calls": calls, "total_fen": sum(c["amount_fen"] for c in calls), "refused": sorted(refused)}
print(json.dumps(answer, ensure_ascii=False, indent=1))
