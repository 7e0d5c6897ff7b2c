"""Inputs folder (argv[1]) -> expected.json: windows in UTC, pages, then the bucket second by second."""

import csv
import json
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path

inputs = Path(sys.argv[1])
LATENCY = {50: 1, 100: 2, 200: 3}
FIRST, LAST = datetime(2026, 10, 23), datetime(2026, 10, 26)
RUN, SWITCH = "2026-11-04", datetime(2026, 10, 25, 1)


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


api = (inputs / "interface.yaml").read_text(encoding="utf-8")
maximum = {k: int(v) for k, v in re.findall(r"(\w+) = limit up to (\d+)", api)}
size, every = int(re.search(r"bucket of (\d+)", api)[1]), int(re.search(r"divisible by (\d+)", api)[1])


def utc(local, before, after):
    """Local midnight in UTC; the offset is the one that holds at that time."""
    early = local - timedelta(hours=int(before[:3]))
    return early if early < SWITCH else local - timedelta(hours=int(after[:3]))


calls, now, tokens, clock, windows = [], 0, size, 0, []
for m in sorted(rows("merchants.csv"), key=lambda m: int(m["merchant"])):
    plan = m["plan"] if m["plan_since"] <= RUN else m["plan_before"]
    limit = maximum[plan]
    offsets = m["utc_offset_until_oct_25_0100z"], m["utc_offset_after"]
    begin, end = utc(FIRST, *offsets), utc(LAST + timedelta(days=1), *offsets)
    windows.append(
        {
            "merchant": m["merchant"],
            "created_from": f"{begin:%Y-%m-%dT%H:%MZ}",
            "created_to": f"{end:%Y-%m-%dT%H:%MZ}",
            "limit": limit,
        }
    )
    wanted = sum(
        int(c["paid"]) + int(c["open"])
        for c in rows("orders-per-day.csv")
        if c["merchant"] == m["merchant"] and f"{FIRST:%Y-%m-%d}" <= c["day"] <= f"{LAST:%Y-%m-%d}"
    )
    for page in range(1, wanted // limit + 2):
        while True:
            while clock < now:
                clock += 1
                if clock % every == 0:
                    tokens = min(size, tokens + 1)
            if tokens:
                break
            now += 1
        tokens -= 1
        calls.append({"merchant": m["merchant"], "page": page, "sent_at": now})
        now += LATENCY[limit]
print(
    json.dumps(
        {
            "path": "/v2/orders" if "2026-10-31" < RUN else "/v1/orders",
            "state": "paid+open",
            "windows": windows,
            "calls": calls,
            "finished_at": now,
        },
        indent=1,
    )
)
