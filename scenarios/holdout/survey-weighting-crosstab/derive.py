"""输入目录（argv[1]）-> expected.json：有效问卷、分层与合并、权重、占比、有效样本量。"""

import csv
import json
import sys
from fractions import Fraction
from pathlib import Path

inputs = Path(sys.argv[1])


def table(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


forms = {r["编号"]: r for r in table("问卷.csv")}
for number in [n for n in forms if n.endswith("X")]:
    checked = forms.pop(number)
    forms[number[:-1]].update({q: checked[q] for q in ("Q1", "Q2", "Q3", "Q4")})
valid = [r for r in forms.values() if r["区"] and r["年龄"] and r["Q1"]]
for r in valid:
    if r["Q1"] == "2":
        r.update(Q2="", Q3="", Q4="")
    if r["Q2"] == "0":
        r["Q3"] = ""
    r["层"] = r["区"] + ("青" if int(r["年龄"]) < 40 else "老")

districts = {r["区"]: r for r in table("人口.csv")}
strata = [{d + a} for d in districts for a in "青老"]


def size(stratum):
    return sum(r["层"] in stratum for r in valid)


def merge(*parts):
    for p in parts:
        if p in strata:
            strata.remove(p)
    strata.append(set().union(*parts))


for d in districts:
    if min(size({d + "青"}), size({d + "老"})) < 3:
        merge({d + "青"}, {d + "老"})
for d in districts:
    whole = next(s for s in strata if d + "青" in s)
    if size(whole) < 3:
        near = districts[d]["相邻区"]
        merge(whole, *[s for s in strata if s & {near + "青", near + "老"}])

people = {d + a: int(r[a]) for d, r in districts.items() for a in "青老"}
raw = {}
for s in strata:
    for r in valid:
        if r["层"] in s:
            raw[r["编号"]] = Fraction(sum(people[x] for x in s), size(s))
mean = sum(raw.values()) / len(raw)
weight = {n: min(w / mean, Fraction("2.5")) for n, w in raw.items()}


def share(part, whole):
    return sum(weight[r["编号"]] for r in part) / sum(weight[r["编号"]] for r in whole)


asked = [r for r in valid if r["Q3"] not in ("", "99")]
content = [r for r in valid if r["Q4"] in ("1", "2", "3") and r["Q2"] in "1234567" and r["Q2"]]
total = sum(weight.values())
sample = []
for number in (inputs / "抽查.txt").read_text(encoding="utf-8").split():
    s = next(s for s in strata if forms[number]["层"] in s)
    sample.append({"id": number, "n": size(s), "weight": round(float(weight[number]), 4)})
print(
    json.dumps(
        {
            "valid": len(valid),
            "strata_count": len(strata),
            "sample": sample,
            "metro_share": round(float(share([r for r in asked if r["Q3"] == "1"], asked)), 4),
            "satisfied_share": round(float(share([r for r in content if r["Q4"] == "1"], content)), 4),
            "effective_n": round(float(total**2 / sum(w * w for w in weight.values())), 2),
        },
        ensure_ascii=False,
        indent=1,
    )
)
