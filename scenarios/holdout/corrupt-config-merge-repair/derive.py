"""输入目录（argv[1]）-> expected.json：按约定做三方合并，再与错误的合并结果逐键比较。"""

import json
import re
import sys
from pathlib import Path

inputs = Path(sys.argv[1])
LISTS = ("allow_origins", "routes", "tags")


def read(name):
    """键（带段名）-> 标量值；列表 -> 元素数组。"""
    flat, section = {}, None
    for line in (inputs / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if m := re.match(r"(\w+):$", line):
            section = m[1]
            if section in LISTS:
                flat[section] = []
        elif m := re.match(r"  - (.*)", line):
            flat[section].append(m[1])
        else:
            key, value = re.match(r"  (\w+): (.*)", line).groups()
            flat[f"{section}.{key}"] = int(value) if value.isdigit() else value
    return flat


notes = (inputs / "变更记录.md").read_text(encoding="utf-8")
renames = dict(re.findall(r"([\w.]+) 改名为 ([\w.]+)", notes))
larger = set(re.findall(r"裁定 \| ([\w.]+) 双方不一致：取较大值", notes))
base, ours, theirs, merged = (read(f"{n}.yaml") for n in ("base", "ours", "theirs", "merged"))
for side in (base, ours, theirs):
    for old, new in renames.items():
        if old in side:
            side[new] = side.pop(old)


def settle(key, b, o, t):
    if o == t:
        return o
    if o == b:
        return t
    if t == b:
        return o
    if o is None or t is None:
        return t if o is None else o
    return max(o, t) if key in larger else o


right = {}
for key in dict.fromkeys([*base, *ours, *theirs]):
    if key not in LISTS:
        value = settle(key, base.get(key), ours.get(key), theirs.get(key))
        if value is not None:
            right[key] = value
for key in ("allow_origins", "tags"):
    b, o, t = set(base[key]), set(ours[key]), set(theirs[key])
    right[key] = sorted((o | t) - (b - o) - (b - t))

tables = [dict(r.split(" -> ") for r in side["routes"]) for side in (base, ours, theirs)]
order = list(tables[1])
for path in tables[2]:
    if path not in order:
        short = max((p for p in order if path.startswith(p)), key=len)
        order.insert(order.index(short), path)
routes = [(p, settle("routes", *(t.get(p) for t in tables))) for p in order]
right["routes"] = [f"{p} -> {v}" for p, v in routes if v is not None]

lost, wrong, extra = [], [], []
for key, value in right.items():
    if key in LISTS:
        continue
    if key not in merged:
        lost.append({"key": key, "value": str(value)})
    elif merged[key] != value:
        wrong.append({"key": key, "value": str(value)})
extra = [k for k in merged if k not in right]
collections = []
for key in LISTS:
    have = merged[key] if key == "routes" else sorted(merged[key])
    if have != right[key]:
        collections.append(key)
print(
    json.dumps(
        {
            "lost": lost,
            "wrong": wrong,
            "superfluous": extra,
            "bad_lists": collections,
            "allow_origins": right["allow_origins"],
            "routes": right["routes"],
        },
        ensure_ascii=False,
        indent=1,
    )
)
