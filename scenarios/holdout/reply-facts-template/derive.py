"""输入目录 (argv[1]) -> expected.json:可发的句子、顺序与填空。"""
import csv
import json
import re
import sys
from datetime import date
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


system = (inputs / "订单系统.txt").read_text(encoding="utf-8")
asked = (inputs / "客户提问.txt").read_text(encoding="utf-8")
lines = rows("订单.csv")


def found(pattern):
    return re.search(pattern, system).group(1)


short = [r for r in lines if r["库存"] == "缺货"]
sets = any(r["整套"] == "是" for r in lines)
today = date.fromisoformat(found(r"咨询日 (\S+)"))
days = (today - date.fromisoformat(found(r"下单 (\S+)"))).days
facts = {
    "状态": found(r"状态 (\S+)"),
    "问题": "何时发货" if "什么时候发货" in asked else "其他",
    "追问": "改地址" if "地址改" in asked else "无",
    "缺货": "是" if short else "否",
    "可拆单": "是" if not sets or (short and all(r["整套"] == "否" for r in short)) else "否",
    "可退": "否" if any(r["定制"] == "是" for r in short) else "是",
    "会员": "金卡" if "金卡" in system and date.fromisoformat(found(r"有效期至 (\S+)")) >= today else "普通",
    "已领券": "否" if "未领取" in system else "是",
}


def terms(condition):
    return [] if condition == "总是" else condition.split(" 且 ")


def holds(term):
    if term == "内部":
        return False
    if ">=" in term:
        return days >= int(term.split(">=")[1])
    name, value = term.split("=")
    return facts[name] == value


usable = [r for r in rows("句库.csv") if all(holds(t) for t in terms(r["条件"]))]
groups = {}
for r in usable:
    if r["互斥组"]:
        groups.setdefault(r["互斥组"], []).append(r)
best = {g: max(rs, key=lambda r: (len(terms(r["条件"])), -int(r["句号"][1:])))["句号"] for g, rs in groups.items()}
sent = [r for r in usable if not r["互斥组"] or best[r["互斥组"]] == r["句号"]]
sent.sort(key=lambda r: (int(r["位置"]), r["句号"]))
while len(sent) > 7 and any(r["位置"] == "4" for r in sent):
    sent.remove([r for r in sent if r["位置"] == "4"][0])
values = {
    "发货日": re.search(r"计划发货日 (\d{4}-\d\d-\d\d)", system).group(1),
    "缺货商品": "、".join(r["商品"] for r in short),
    "现货件数": str(sum(int(r["件数"]) for r in lines if r["库存"] == "现货")),
    "补偿券": str(min(days // 7 * 15, 40)),
}
text = "".join(r["文本"] for r in sent)
slots = [{"slot": k, "value": v} for k, v in values.items() if f"[{k}]" in text]
print(json.dumps({"sentences": [r["句号"] for r in sent], "slots": slots}, ensure_ascii=False, indent=1))
