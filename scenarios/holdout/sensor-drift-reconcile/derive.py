"""Inputs folder (argv[1]) -> expected.json: clocks, units, calibration, then runs of disagreement and the mean."""

import csv
import json
import re
import sys
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path

inputs = Path(sys.argv[1])


def text(name):
    return (inputs / name).read_text(encoding="utf-8")


def rows(name):
    return list(csv.DictReader(line for line in text(name).splitlines() if not line.startswith("#")))


def clocked(name):
    """Readings with full dates of the logger's own clock."""
    day, before, out = datetime(2026, 11, 12), "", []
    for r in rows(name):
        day += timedelta(days=r["clock"] < before)
        before = r["clock"]
        out.append([datetime.fromisoformat(f"{day:%Y-%m-%d}T{r['clock']}"), Fraction(r["value"]), r["event"]])
    return out


signal = datetime.fromisoformat(re.search(r'"open" (\S+ \d\d:\d\d:\d\d)', text("service.md"))[1])
certificates = sorted((c for c in rows("certificates.csv") if c["status"] == "valid"), key=lambda c: c["issued"])


def corrected(logger, at, value):
    for c in certificates:
        if c["logger"] == logger and c["issued"] <= f"{at:%Y-%m-%d}":
            x1, d1, x2, d2 = (Fraction(c[k]) for k in ("point_1_c", "deviation_1_k", "point_2_c", "deviation_2_k"))
            result = value - (d1 + (value - x1) * (d2 - d1) / (x2 - x1)), 1 / Fraction(c["u_k"]) ** 2
    return result


offsets, series = {}, {}
for logger in "AB":
    readings, fahrenheit = clocked(f"logger-{logger.lower()}.csv"), logger == "B"
    offset = next(t for t, _, e in readings if e == "V3 opened") - signal
    offsets[logger] = int(offset.total_seconds())
    series[logger] = {}
    for t, value, event in readings:
        if fahrenheit:
            value = (value - 32) * 5 / 9
        if "firmware" in event:
            fahrenheit = False
        series[logger][t - offset] = corrected(logger, t - offset, value)

runs, good = [], []
run, last_sign = [], 0
for t in sorted(series["A"]):
    (a, wa), (b, wb) = series["A"][t], series["B"][t]
    judged = not signal <= t <= signal + timedelta(minutes=6)
    sign = (b > a) - (b < a) if judged and abs(b - a) > Fraction("0.5") else 0
    if judged and not sign:
        good.append((a * wa + b * wb) / (wa + wb))
    if sign != last_sign:
        runs.append((last_sign, run))
        run, last_sign = [], sign
    run.append(t)
runs.append((last_sign, run))
print(
    json.dumps(
        {
            "clock_a_s": offsets["A"],
            "clock_b_s": offsets["B"],
            "intervals": [
                {"from": f"{r[0]:%d %H:%M:%S}", "to": f"{r[-1]:%d %H:%M:%S}", "higher": "B" if s > 0 else "A"}
                for s, r in runs
                if s and len(r) > 1
            ],
            "agreeing_pairs": len(good),
            "trusted_mean_c": round(float(sum(good) / len(good)), 3),
        },
        indent=1,
    )
)
