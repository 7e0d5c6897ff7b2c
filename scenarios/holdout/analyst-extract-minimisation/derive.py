"""输入目录（argv[1]）-> expected.json：先定字段和处理方式，再按同意、撤回、合并表定行。"""

import csv
import json
import re
import sys
from datetime import date
from pathlib import Path

inputs = Path(sys.argv[1])


def text(name):
    return (inputs / name).read_text(encoding="utf-8")


def rows(name):
    return list(csv.DictReader(text(name).splitlines()))


form, catalogue = text("申请单.md"), text("数据目录.md")
day = re.search(r"申请日期：(\S+?)　", form)[1]
purpose = re.search(r"用途代码：(P\d)", form)[1]
wanted = re.search(r"申请字段：(.*)", form)[1].split("、")
# 分析设计的用词 -> 字段
DESIGN = {"城市": "城市", "年龄段": "出生日期", "到店次数": "近一年到店次数", "促销响应": "促销响应", "会员去重": "会员号"}
design = re.search(r"分析设计：(.*)", form)[1]
used = {field for word, field in DESIGN.items() if word in design}
permits = re.findall(r"PJ-\S+　批准用途 (P\d)　字段：(\S+)　有效期 (\S+) 至 (\S+)", catalogue)
columns = []
for field, level, purposes in re.findall(r"\| (\S+) \| (\d) \| ([P\d ]+?) \|", catalogue):
    granted = purpose in purposes.split() or any(
        p == purpose and f in ("全部", field) and a <= day <= b for p, f, a, b in permits
    )
    if field in wanted and field in used and granted:
        how = {"会员号": "假名", "出生日期": "年龄段"}.get(field, "原值" if int(level) < 4 else "掩码")
        columns.append({"field": field, "transform": how})

members = {r["会员号"]: r for r in rows("会员.csv")}
main_of = {r["副卡"]: r["主卡"] for r in rows("合并表.csv")}
consent = {c: purpose in r["同意用途"].split() for c, r in members.items()}
revoked = set()
for r in sorted(rows("同意变更.csv"), key=lambda r: r["时间"]):
    if r["用途"] == purpose and r["时间"][:10] <= day:
        consent[r["会员号"]] = r["动作"] == "同意"


def age(born):
    b, d = date.fromisoformat(born), date.fromisoformat(day)
    return d.year - b.year - ((d.month, d.day) < (b.month, b.day))


def band(years):
    for below, name in ((18, "<18"), (30, "18-29"), (45, "30-44"), (60, "45-59")):
        if years < below:
            return name
    return "60+"


people = {}
for card in members:
    people.setdefault(main_of.get(card, card), []).append(card)
extract = []
for main, cards in people.items():
    m = members[main]
    if m["大区"] != "华东" or not all(consent[c] for c in cards) or age(m["出生日期"]) < 18:
        continue
    extract.append(
        {
            "pseudonym": "H" + main[-4:],
            "age_band": band(age(m["出生日期"])),
            "city": m["城市"],
            "visits": sum(int(members[c]["近一年到店次数"]) for c in cards),
            "response": "是" if any(members[c]["促销响应"] == "是" for c in cards) else "否",
        }
    )
print(json.dumps({"columns": columns, "rows": extract}, ensure_ascii=False, indent=1))
