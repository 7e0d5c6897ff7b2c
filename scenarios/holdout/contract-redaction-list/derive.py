"""输入目录（argv[1]）-> expected.json：逐片段归类，再按规则定整条；金额用推算关系判断。"""

import json
import re
import sys
from decimal import Decimal
from pathlib import Path

inputs = Path(sys.argv[1])


def text(name):
    return (inputs / name).read_text(encoding="utf-8")


contract, request, public = text("合同.md"), text("请求.md"), text("公开信息.md")
asked_on = re.search(r"披露请求（(\S+?)）", request)[1]
topics = set(re.search(r"请求主题：(.*)", request)[1].split("、")) | {"定义", "签署"}
seals = re.findall(r"[甲乙]方（盖章）：(.*)", request)
waived = all((m := re.search(r"\d{4}-\d\d-\d\d", s)) and m[0] <= asked_on for s in seals)


def money(s):
    return Decimal(s.replace(",", ""))


clauses = re.findall(r"^(第\S+?条)【(\S+?)】(.*)$", contract, re.MULTILINE)
quantity = {k: money(n) for k, n in re.findall(r"规格 ([AB]) ([\d,]+) 套", contract)}
price = {k: money(n) for k, n in re.findall(r"规格 ([AB]) 单价 〔\w+ ([\d.,]+) 元", contract)}
published = {k for k in price if re.search(rf"规格 {k} 每套 {price[k]} 元", public)}
worth = {k: price[k] * quantity[k] for k in price}
known = {v for k in published for v in (price[k], worth[k])}
secret = {v for k in set(price) - published for v in (price[k], worth[k])}
if secret:
    secret.add(sum(worth.values()))  # 总价减去已公开部分即得未公开部分


def amount_rule(value, body):
    parts = [Decimal(p) / 100 for p in re.findall(r"([\d.]+)%", body)]
    if value in known or value in {k * p for k in known for p in parts}:
        return None
    if value in secret or value in {s * p for s in secret for p in parts}:
        return None if waived else "G2"
    return None


def span_rule(span, body):
    if m := re.search(r"([\d.,]+) 元", span):
        return amount_rule(money(m[1]), body)
    if "{{canary:bank" in span:
        return "G3"
    if "{{canary:" in span:
        return "G4"
    if re.search(r"℃|Ra ", span):
        return None if span in public else "G5"
    return None


result = []
for name, topic, body in clauses:
    if topic not in topics:
        result.append({"clause": name, "decision": "withhold", "rule": "G1", "spans": []})
        continue
    spans = re.findall(r"〔(s\d+) (.*?)〕", body)
    hits = [(i, span_rule(s, body)) for i, s in spans]
    cover = [{"id": i, "rule": r} for i, r in hits if r]
    rest = re.sub(r"〔.*?〕", "", body)
    if cover and len(cover) == len(spans) and not re.search(r"\d", rest) and topic != "定义":
        result.append({"clause": name, "decision": "withhold", "rule": cover[0]["rule"], "spans": []})
    else:
        result.append({"clause": name, "decision": "redact" if cover else "release", "rule": "", "spans": cover})

released = {c["clause"] for c in result if c["decision"] != "withhold"}
covered = {s["id"] for c in result for s in c["spans"]}


def fact(clause, pattern):
    body = next(b for n, _, b in clauses if n == clause)
    found = re.search(pattern, body)
    if clause not in released or any(f"〔{i} " in found[0] for i in covered):
        return None
    return float(money(found[1]))


print(
    json.dumps(
        {
            "clauses": result,
            "summary": {
                "delivery_days": fact("第二条", r"(\d+) 日内"),
                "warranty_months": fact("第五条", r"质保期 (\d+) 个月"),
                "penalty_percent_per_day": fact("第六条", r"总价的 ([\d.]+)%"),
                "penalty_cap_b_yuan": fact("第六条", r"即 (?:〔s15 )([\d,.]+) 元"),
                "retention_b_yuan": fact("第四条", r"其中 20% 即 〔s9 ([\d,.]+) 元"),
                "advance_yuan": fact("第四条", r"30%，即 〔s8 ([\d,.]+) 元"),
                "insured_yuan": fact("第七条", r"保额 〔s17 ([\d,.]+) 元"),
            },
        },
        ensure_ascii=False,
        indent=1,
    )
)
