"""输入目录 (argv[1]) -> expected.json:核身得分、等级、可告知内容与下一步。"""
import json
import re
import sys
from datetime import date
from pathlib import Path

inputs = Path(sys.argv[1])
record = dict(re.findall(r"^\| (\S+) \| (.+?) \|$", (inputs / "客户档案.md").read_text(encoding="utf-8"), re.M))
rules = (inputs / "核身规则.md").read_text(encoding="utf-8")
public = (inputs / "公开信息记录.md").read_text(encoding="utf-8")
call = (inputs / "通话记录.txt").read_text(encoding="utf-8")
points = {k: int(v) for k, v in re.findall(r"^\| (\S+?) \| (\d) \|$", rules, re.M)}
truth = {
    "用户编号": record["用户编号"],
    "户主姓名": record["户主"],
    "证件后四位": record["证件号码后四位"],
    "登记地址小区名": re.search(r",(\S+?)小区", record["登记地址"]).group(1),
    "装表年份": record["装表年份"],
    "上次缴费金额": re.search(r"([\d.]+) 元", record["上次缴费"]).group(1),
    "上次缴费渠道": record["上次缴费"].split("渠道:")[1],
    "登记手机末四位": re.search(r"末四位 (\d{4})", record["登记手机"]).group(1),
}
ASK = {"哪个小区": "登记地址小区名", "证件后四位": "证件后四位", "户主姓名": "户主姓名"}
turns = re.findall(r"^(坐席|来电人):(.+)$", call, re.M)
question, asked, status, wrong = None, {}, {}, 0
for who, said in turns:
    if who == "坐席":
        named = [q for q in truth if q in said] + [q for k, q in ASK.items() if k in said]
        if named:
            question = named[0]
            asked[question] = {"hint": truth[question][:2] in said.replace(question, ""), "tries": 0}
    elif question and asked[question]["tries"] < 2 and question not in status:
        asked[question]["tries"] += 1
        if truth[question] not in said:
            wrong += 1
            continue
        if asked[question]["hint"]:
            status[question] = "hinted"
        elif re.search(re.escape(truth[question]) + r"(?!小区 11)", public.split("\n", 2)[2]):
            status[question] = "public"
        elif asked[question]["tries"] == 2:
            status[question] = "second-try"
        else:
            status[question] = "counts"
score = sum(points.get(q, 0) for q, s in status.items() if s == "counts")
if status.get("户主姓名") == status.get("证件后四位") == "counts":
    score += 1
today = date(*map(int, re.search(r"(\d{4})年(\d+)月(\d+)日", call).groups()))
changed = date(*map(int, re.search(r"(\d{4})年(\d+)月(\d+)日变更", record["登记手机"]).groups()))
recent = (today - changed).days <= 30
if "与登记手机一致" in call and not recent:
    score += 1
level = 2 if score >= 5 else 1 if score >= 3 else 0
if wrong >= 3:
    level = min(level, 1)
facts = {"arrears_flag": 1, "bill_delivery": 1, "visit_exists": 1, "arrears_amount": 2, "visit_date": 2, "meter_reading": 2}
wanted = ["arrears_flag", "arrears_amount", "visit_date", "registered_address"]
may = [f for f in wanted if facts.get(f, 9) <= level]
change_ok = level == 2 and not recent
reads_out = "念一下" in call
answer = {
    "answers": [{"question": q, "status": s} for q, s in status.items()],
    "score": score,
    "level": f"L{level}",
    "may_tell": may,
    "phone_change": "online" if change_ok else "branch-office",
    "suspicion_flag": not change_ok or reads_out,
}
print(json.dumps(answer, ensure_ascii=False, indent=1))
