"""Inputs folder (argv[1]) -> expected.json: patterns in relative form, then the sheet is calculated twice."""

import csv
import json
import re
import sys
from collections import Counter
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

inputs = Path(sys.argv[1])
COLUMNS = "ABCDEFGHI"
REFERENCE = re.compile(r"(\$?)([A-I])(\$?)(\d+)")
with (inputs / "sheet.csv").open(encoding="utf-8", newline="") as file:
    sheet = {r["cell"]: r["content"] for r in csv.DictReader(file, delimiter=";")}
log = (inputs / "overrides.txt").read_text(encoding="utf-8")
approved = {m[1] for m in re.finditer(r"^\S+ +([A-I]\d+) .* {2,}(\S.*)$", log, re.MULTILINE) if m[2] != "-"}
marked = {int(k[1:]) for k, v in sheet.items() if k[0] == "A" and v == "input"}


def relative(formula, column):
    """References as offsets from the column they stand in; rows do not move here."""

    def one(m):
        place = COLUMNS.index(m[2])
        return f"<{m[1]}{place if m[1] else place - COLUMNS.index(column)},{m[3]}{m[4]}>"

    return REFERENCE.sub(one, formula)


def absolute(pattern, column):
    def one(m):
        place = int(m[2]) if m[1] else int(m[2]) + COLUMNS.index(column)
        return f"{m[1]}{COLUMNS[place]}{m[3]}"

    return re.sub(r"<(\$?)(-?\d+),(\$?\d+)>", one, pattern)


right, findings = dict(sheet), []
for row in sorted({int(k[1:]) for k in sheet if k[0] == "H"}):
    wanted = {}
    if row not in marked:
        forms = Counter(relative(sheet[f"{c}{row}"], c) for c in "DEFGH")
        pattern = forms.most_common(1)[0][0]
        wanted = {c: absolute(pattern, c) for c in "DEFGH"}
    if f"I{row}" in sheet:
        wanted["I"] = f"=SUM(C{row}:H{row})"
    for column, formula in wanted.items():
        cell = f"{column}{row}"
        if sheet[cell] == formula or (not sheet[cell].startswith("=") and cell in approved):
            continue
        code = "range" if "SUM(" in formula else "reference"
        if not sheet[cell].startswith("="):
            code = "number"
        right[cell] = formula
        findings.append({"cell": cell, "code": code, "formula": formula})


def calculate(cells):
    @lru_cache(None)
    def value(cell):
        text = cells.get(cell, "")
        if not text.startswith("="):
            return Decimal(text or 0)
        expression = text[1:].replace("$", "")
        expression = re.sub(r"SUM\(([A-I]\d+):([A-I]\d+)\)", lambda m: f"total('{m[1]}','{m[2]}')", expression)
        expression = re.sub(r"(?<!')\b([A-I]\d+)\b", r"value('\1')", expression)
        expression = re.sub(r"\b(\d+)\b(?!')", r"Decimal(\1)", expression)
        return eval(expression, {"value": value, "total": total, "Decimal": Decimal})

    def total(a, b):
        columns = COLUMNS[COLUMNS.index(a[0]) : COLUMNS.index(b[0]) + 1]
        return sum(value(f"{c}{r}") for c in columns for r in range(int(a[1:]), int(b[1:]) + 1))

    return value


now, then = calculate(sheet), calculate(right)
outputs = [{"cell": c, "now": round(float(now(c)), 3), "corrected": round(float(then(c)), 3)} for c in ("I22", "I24", "H25", "H27")]
print(json.dumps({"findings": findings, "outputs": outputs}, indent=1))
