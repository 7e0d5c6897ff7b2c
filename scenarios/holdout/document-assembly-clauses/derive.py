"""Inputs folder (argv[1]) -> expected.json: what Clausewright puts out for the deal sheet."""
import csv
import json
import re
import sys
from decimal import ROUND_DOWN, Decimal as D
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


warnings, values = set(), {}
for line in (inputs / "deal-sheet.txt").read_text(encoding="utf-8").splitlines():
    if " = " in line and not line.startswith("#"):
        name, value = line.split(" = ", 1)
        if name in values:
            warnings.add(f"W2 {name}")
        values[name] = value.replace("_", "") if re.fullmatch(r"[0-9_.]+", value) else value
for r in rows("derived.csv"):
    if r["variable"] in values:
        continue
    names = re.findall(r"[a-z_]\w*", r["formula"])
    if any(n not in values for n in names):
        warnings.add(f"W3 {r['variable']}")
        continue
    formula = re.sub(r"[a-z_]\w*", lambda m: f"D('{values[m[0]]}')", r["formula"])
    formula = re.sub(r"(?<![\w'.])(\d+(?:\.\d+)?)(?!['\d.])", r"D('\1')", formula)
    number = eval(formula, {"D": D})  # formulas of the project's own table
    values[r["variable"]] = str(number.quantize(D(1).scaleb(-int(r["decimals"])), ROUND_DOWN))


def term(text):
    text = text.strip()
    if text.startswith("!"):
        return not term(text[1:])
    name, op, other = text.split(" ")
    value = values.get(name)
    if not value:
        return False
    if op == "=":
        return value == other
    return D(value) > D(other) if op == ">" else D(value) >= D(other)


def holds(condition):
    return not condition or any(all(term(t) for t in part.split("&")) for part in condition.split("|"))


library = rows("library.csv")
slots = [r["slot"] for r in rows("slots.csv")]
chosen = {}


def settle(slot, members):
    members = [c for c in members if c["use"] != "negotiation-only"]
    members = [c for c in members if not c["parent"] or c["parent"] in {x["clause"] for x in chosen.values()}]
    candidates = [c for c in members if c["condition"] != "default" and holds(c["condition"])]
    candidates = candidates or [c for c in members if c["condition"] == "default"]
    if not candidates:
        return
    top = max(int(c["priority"]) for c in candidates)
    best = [c for c in candidates if int(c["priority"]) == top]
    if len(best) > 1:
        warnings.add(f"W1 {slot}")
    chosen[slot] = best[0]


children = {c["slot"] for c in library if c["parent"]}
for late in (False, True):
    for slot in slots:
        if (slot in children) == late:
            settle(slot, [c for c in library if c["slot"] == slot])


def remove(slot):
    gone = chosen.pop(slot, None)
    if gone:
        warnings.add(f"W4 {gone['clause']}")
        for other in [s for s, c in chosen.items() if c["parent"] == gone["clause"]]:
            remove(other)


for slot in slots:
    if slot in chosen and chosen[slot]["excludes"]:
        remove(chosen[slot]["excludes"])
order = []
for slot in slots:
    if slot in chosen and not chosen[slot]["parent"]:
        order.append(chosen[slot])
        order += [chosen[s] for s in slots if s in chosen and chosen[s]["parent"] == chosen[slot]["clause"]]
filled = {}
for c in order:
    for name in re.findall(r"(?<!\{)\{(\w+)\}(?!\})", c["text"]):
        if values.get(name):
            filled[name] = values[name]
        else:
            warnings.add(f"W5 {name}")
variables = [{"name": k, "value": v} for k, v in sorted(filled.items())]
print(json.dumps({"clauses": [c["clause"] for c in order], "variables": variables, "warnings": sorted(warnings)}, indent=1))
