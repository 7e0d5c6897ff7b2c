"""输入目录（argv[1]）-> 标准输出 expected.json。

STEPS 是从纪要和邮件正文读出的事件（谁、什么时候、改了什么）；日期、邮件效力和状态由制度逐条推出。
"""

import csv
import json
import re
import sys
from datetime import date, datetime, timedelta
from pathlib import Path

inputs = Path(sys.argv[1])
DAY = timedelta(days=1)


def table(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


people = {r["姓名"]: r["工号"] for r in table("通讯录.csv")}
manager = next(r["姓名"] for r in table("通讯录.csv") if r["职务"] == "项目经理")
marks = {r["日期"]: r["安排"] for r in table("放假安排.csv")}


def works(day):
    mark = marks.get(day.isoformat(), "")
    return mark.startswith("上班") or (not mark and day.weekday() < 5)


def on(day):
    while not works(day):
        day += DAY
    return day


def weekday(meeting, weeks, number):
    return on(meeting - meeting.weekday() * DAY + (7 * weeks + number - 1) * DAY)


def within(meeting, count):
    while count:
        meeting += DAY
        count -= works(meeting)
    return meeting


def month_end(meeting):
    day = (meeting.replace(day=28) + 4 * DAY).replace(day=1) - DAY
    while not works(day):
        day -= DAY
    return day


M1, M2, M3 = date(2026, 9, 16), date(2026, 9, 23), date(2026, 10, 9)
END = {"M1": datetime(2026, 9, 16, 15, 30), "M2": datetime(2026, 9, 23, 16), "M3": datetime(2026, 10, 9, 11, 40)}
# (文件, 行动项, 改变；None 表示只提到)
STEPS = [
    ("M1", "A1", {"owner": "李文博", "due": weekday(M1, 1, 5)}),
    ("M1", "A2", {"owner": "李文静", "due": weekday(M1, 0, 7)}),
    ("M1", "A3", {"owner": "孙晓岚", "due": month_end(M1)}),
    ("M1", "A4", {"owner": "周立群", "due": within(M1, 10)}),
    ("M1", "A5", {"owner": "周莉", "due": weekday(M1, 1, 3)}),
    ("M2", "A1", {"due": on(date(2026, 10, 2))}),
    ("M2", "A2", {"status": "done"}),
    ("M2", "A3-1", {"split": "A3", "owner": "周立群", "due": on(date(2026, 9, 29))}),
    ("M2", "A3-2", {"split": "A3", "owner": "孙晓岚"}),
    ("M2", "A5", {"due": weekday(M2, 1, 2)}),
    ("M2", "A6", {"owner": "赵启明", "due": on(date(2026, 10, 10))}),
    ("M2", "A7", {"owner": "李文静", "due": weekday(M2, 0, 5)}),
    ("M3", "A1", {"status": "done"}),
    ("M3", "A3-2", {"due": weekday(M3, 1, 2)}),
    ("M3", "A4", {"owner": manager, "due": within(M3, 3)}),
    ("M3", "A7", None),
    ("E1", "A5", {"status": "done"}),
    ("E2", "A3-2", {"due": on(date(2026, 10, 16))}),
    ("E2", "A3-1", {"status": "done"}),
]

actions, split = {}, {}
mentioned = {}
for source, item, change in STEPS:
    if source.startswith("E"):
        mail = (inputs / f"{source}-邮件.txt").read_text(encoding="utf-8")
        sender = re.search(r"发件人：([^（\n]+)", mail)[1]
        sent = datetime.strptime(re.search(r"时间：(\S+ \S+)", mail)[1], "%Y-%m-%d %H:%M")
        owner = next(n for n, w in people.items() if w == actions[item]["owner"])
        if sender not in (owner, manager) or sent <= END[mentioned[item]]:
            continue
    else:
        mentioned[item] = source
    if change is None:
        continue
    change = dict(change)
    if "split" in change:
        parent = change.pop("split")
        split[parent] = actions.pop(parent, None) or split[parent]
        change.setdefault("due", date.fromisoformat(split[parent]["due"]))
    entry = actions.setdefault(item, {"id": item, "status": "open"})
    if "owner" in change:
        entry["owner"] = people[change["owner"]]
    if "due" in change:
        entry["due"] = change["due"].isoformat()
    entry["status"] = change.get("status", entry["status"])
    entry["changed_in"] = source
overdue = sorted(i for i, a in actions.items() if a["status"] == "open" and a["due"] <= "2026-10-13")
print(json.dumps({"actions": [actions[i] for i in sorted(actions)], "overdue": overdue}, indent=1))
