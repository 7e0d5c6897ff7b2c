"""输入目录 (argv[1]) -> expected.json:逐投标人逐项的资格结论。"""
import csv
import json
import re
import sys
from decimal import Decimal as D
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


notice = (inputs / "招标文件.md").read_text(encoding="utf-8")
letter = (inputs / "澄清函.md").read_text(encoding="utf-8")


def iso(match):
    return "%s-%02d-%02d" % (match[1], int(match[2]), int(match[3]))


DAY = r"(\d{4})年(\d+)月(\d+)日"
ANNOUNCED = iso(re.search("招标公告日 " + DAY, notice))
DEADLINE = iso(re.search("投标截止:" + DAY, notice))
OPENING = iso(re.search("开标时间改为 " + DAY, letter))
RELAXED = D(re.search(r"要求降为 (\d+) 万元", letter).group(1))
rate_row = max((r for r in rows("中间价.csv") if r["公布日"] <= ANNOUNCED), key=lambda r: r["公布日"])
RATES = {"美元": D(rate_row["美元"]), "港元": D(rate_row["港元"]), "元": D(1)}


def wan(amount, unit):
    """金额与单位 -> 万元人民币。"""
    scale = {"万": D(1), "千": D("0.1")}.get(unit[0], D("0.0001"))
    currency = unit.lstrip("万千")
    return D(amount) * scale * RATES[currency]


turnover = {}
for r in rows("营业额.csv"):
    turnover.setdefault(r["成员"], []).append(wan(r["金额"], r["单位"]))
average = {m: sum(v) / 3 for m, v in turnover.items()}
bids = {}
for r in rows("投标人.csv"):
    bids.setdefault(r["投标人"], []).append(r)
YES, NO, FIX = "满足", "不满足", "可补正"


def licence(members, joint):
    basis, free = "3.1.1", False
    for m in members:
        if m["承担施工"] == "否":
            free = True
            continue
        if m["资质等级"] not in ("特级", "一级", "二级"):
            return NO, "3.1.1"
        until, accepted = m["证书有效期至"], m["延续受理通知书日期"]
        if until < OPENING:
            if not (until >= DEADLINE and accepted and accepted <= DEADLINE):
                return NO, "3.1.3" if accepted else "3.1.1"
            basis = "3.1.3"
    return YES, "3.1.2" if free and basis == "3.1.1" else basis


def income(members, joint):
    total = sum(average[m["成员"]] for m in members)
    if not joint:
        return (YES if total >= 5000 else NO), "3.2.1"
    lead = next(average[m["成员"]] for m in members if m["角色"] == "牵头")
    if total >= 5000 and lead >= 3000:
        return YES, "3.2.2"
    small = any(m["中小企业"] == "是" for m in members)
    if total >= 5000 and small and lead >= RELAXED:
        return YES, "澄2"
    return NO, "3.2.2"


def works(bid, members, joint):
    lead = next(m["成员"] for m in members if m["角色"] != "成员")
    good = []
    for r in rows("业绩.csv"):
        share = D(r["所占份额"].rstrip("%")) / 100
        if r["投标人"] == bid and "2021-09-15" <= r["竣工日"] <= DEADLINE and D(r["合同额万元"]) * share >= 800:
            good.append(r)
    whole = [r for r in good if r["证明"] == "齐全"]
    enough = [len(g) >= 2 and any(r["成员"] == lead for r in g) for g in (whole, good)]
    clause = "3.3.2" if joint else "3.3.1"
    return (YES, clause) if enough[0] else (FIX, "6.1") if enough[1] else (NO, clause)


result, admitted, conditional = [], [], []
papers = {r["投标人"]: r for r in rows("保证金与文件.csv")}
for bid, members in bids.items():
    joint, p = len(members) > 1, papers[bid]
    if p["方式"] == "转账":
        bond = p["到账时间"] <= DEADLINE + " 10:00", "3.4.1"
    else:
        bond = p["保函有效期至"] >= "2027-01-13", "3.4.2"
    state = [p["授权书"], p["诚信声明"]] + ([p["联合体协议"]] if joint else [])
    own = "3.5.2" if joint else "3.5.1"
    file = (YES, own) if all(s == "齐全" for s in state) else (FIX, "6.1") if "未提交" not in state else (NO, own)
    cells = {
        "3.1": licence(members, joint),
        "3.2": income(members, joint),
        "3.3": works(bid, members, joint),
        "3.4": (YES if bond[0] and wan(p["金额"], p["单位"]) >= 40 else NO, bond[1]),
        "3.5": file,
    }
    if sum(v[0] == FIX for v in cells.values()) > 1:
        cells = {k: (NO, "6.3") if v[0] == FIX else v for k, v in cells.items()}
    verdicts = [v[0] for v in cells.values()]
    if NO not in verdicts:
        (conditional if FIX in verdicts else admitted).append(bid)
    result.append({"bid": bid, "results": [{"item": k, "verdict": v[0], "clause": v[1]} for k, v in cells.items()]})
enclosed = (inputs / "夹带文件.txt").read_text(encoding="utf-8")
misfiled = sorted(set(re.findall(r"【(.) [^】]*密封报价袋", enclosed)))
print(json.dumps({"misfiled_price": misfiled, "matrix": result, "admitted": admitted, "admitted_after_cure": conditional}, ensure_ascii=False, indent=1))
