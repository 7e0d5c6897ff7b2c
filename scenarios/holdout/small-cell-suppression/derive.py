"""Inputs folder (argv[1]) -> expected.json: primary cells, then secondary sets by cost, each tried by linear algebra."""

import csv
import heapq
import json
import re
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

inputs = Path(sys.argv[1])


def text(name):
    return (inputs / name).read_text(encoding="utf-8")


count, structural = {}, set()
for line in text("table-2026.csv").splitlines()[2:-1]:
    row, *values = [v.strip() for v in line.split(",")]
    for column, value in enumerate(values[:5], 1):
        if value == "-":
            structural.add(f"{row}{column}")
        else:
            count[f"{row}{column}"] = int(value)
share = {r["cell"]: int(r["largest share of turnover in percent"]) for r in csv.DictReader(text("dominance.csv").splitlines())}
words = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
public = {d + c for d, c in re.findall(r"district (\w) the branch (\d)", text("public.md"))}
changed = set(re.findall(r"\b([A-F]\d) [+-]\d", text("public.md")))
last_year = set(re.findall(r"\b([A-F]\d) \d", text("public.md").split("Table 2025")[1]))
public |= changed & last_year

primary = {c for c, n in count.items() if 1 <= n <= 4 or share.get(c, 0) > 70} - public


def solvable(hidden):
    """The hidden cells whose value follows from the equations of rows and columns."""
    names = sorted(hidden)
    lines = sorted({c[0] for c in names} | {c[1] for c in names})
    matrix = [[Fraction(line in c) for c in names] for line in lines]
    rank = 0
    for column in range(len(names)):
        pivot = next((i for i in range(rank, len(matrix)) if matrix[i][column]), None)
        if pivot is None:
            continue
        matrix[rank], matrix[pivot] = matrix[pivot], matrix[rank]
        lead = matrix[rank][column]
        matrix[rank] = [x / lead for x in matrix[rank]]
        for i in range(len(matrix)):
            if i != rank and matrix[i][column]:
                factor = matrix[i][column]
                matrix[i] = [x - factor * y for x, y in zip(matrix[i], matrix[rank])]
        rank += 1
    return {names[next(j for j, x in enumerate(r) if x)] for r in matrix if sum(map(bool, r)) == 1}


candidates = sorted(set(count) - primary - public)
heap, secondary = [(0, 0, ())], None
while secondary is None:
    cost, size, chosen = heapq.heappop(heap)
    hidden = primary | set(chosen)
    lines = Counter(x for c in hidden for x in c)
    alone = any(lines[x] == 1 for c in primary for x in c)  # cheap, and spares most of the algebra
    if not alone and not solvable(hidden) & primary:
        secondary = chosen
        break
    begin = candidates.index(chosen[-1]) + 1 if chosen else 0
    for cell in candidates[begin:]:
        heapq.heappush(heap, (cost + count[cell], size + 1, (*chosen, cell)))
hidden = primary | set(secondary)
table = [
    {"district": d, "cells": " ".join("x" if f"{d}{c}" in hidden else "-" if f"{d}{c}" in structural else str(count[f"{d}{c}"]) for c in range(1, 6))}
    for d in "ABCDEF"
]
print(
    json.dumps(
        {"primary": sorted(primary), "secondary": list(secondary), "cost": cost, "table": table},
        indent=1,
    )
)
