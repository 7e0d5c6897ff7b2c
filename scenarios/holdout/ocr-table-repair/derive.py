"""Inputs folder (argv[1]) -> expected.json: the readings of the invoice with the fewest changes."""
import json
import re
import sys
from itertools import combinations, product
from pathlib import Path

inputs = Path(sys.argv[1])
CONFUSED = {"0": "8", "8": "03", "1": "7", "7": "1", "3": "8", "5": "6", "6": "5"}
LETTERS = {"O": "0", "I": "17", "S": "5", "B": "83", "#": "0123456789"}
LETTER = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", [n for n in range(10, 39) if n % 11]))
tariff = (inputs / "tariff.md").read_text(encoding="utf-8")
RATE = {k: v for k, v in re.findall(r"\| (\d\d[A-Z]{2}) \| ([\d.]+) \|", tariff)}
heavy_over, heavy, danger, exit_fee = (float(x) for x in re.search(
    r"above ([\d.]+) t ([\d.]+);.*?y\) ([\d.]+);.*?Saturday ([\d.]+)", tariff, re.S).groups())
SATURDAYS = {int(x) for x in re.search(r"2026: ([\d, ]+)\)", tariff).group(1).split(",")}


def readings(text, start=0):
    """All readings of a cell, the unchanged one first."""
    odd = [i for i in range(start, len(text)) if text[i] in LETTERS]
    if odd:
        return [text[: odd[0]] + g + text[odd[0] + 1 :] for g in LETTERS[text[odd[0]]]]
    return [text] + [
        text[:i] + g + text[i + 1 :] for i in range(start, len(text)) for g in CONFUSED.get(text[i], "")
    ]


def valid(number):
    total = sum((LETTER[c] if c in LETTER else int(c)) * 2**i for i, c in enumerate(number[:10]))
    return total % 11 % 10 == int(number[10])


def right(kind, dg, cell):
    if not 1 <= int(cell["in"]) <= int(cell["out"]) <= 30:
        return False
    if int(cell["days"]) != int(cell["out"]) - int(cell["in"]) + 1 - 5 or cell["rate"] != RATE[kind]:
        return False
    due = int(cell["days"]) * float(cell["rate"]) + danger * (dg == "y")
    due += heavy * (float(cell["weight"]) > heavy_over) + exit_fee * (int(cell["out"]) in SATURDAYS)
    return abs(due - float(cell["amount"])) < 0.001


COLUMNS = ("in", "out", "days", "weight", "rate", "amount")
read, options, totals = {}, [], {}
for line in (inputs / "invoice.txt").read_text(encoding="utf-8").splitlines():
    parts = [p.strip() for p in line.split("|")]
    if parts[0] == "total":
        totals = {"days": parts[5], "amount": parts[9]}
    elif parts[0].isdigit():
        no, number, kind, dg = parts[0], parts[1], parts[2], parts[7]
        cells = dict(zip(COLUMNS, (parts[3], parts[4], parts[5], parts[6], parts[8], parts[9])))
        read.update({f"{no}.{k}": v for k, v in cells.items()} | {f"{no}.container": number})
        forced = [k for k in COLUMNS if re.search("[A-Z#]", cells[k])]
        found = []
        for extra in range(4):
            for chosen in combinations([k for k in COLUMNS if k not in forced], extra):
                changed = [*forced, *chosen]
                for values in product(*(readings(cells[k])[0 if k in forced else 1 :] for k in changed)):
                    new = cells | dict(zip(changed, values))
                    if right(kind, dg, new):
                        found.append((len(changed), new))
            if found and extra > min(f[0] for f in found) - len(forced):
                break
        numbers = [number] if valid(number) else [n for n in readings(number, 4)[1:] if valid(n)]
        options.append((no, number, numbers, found))
best, least = [], 99
sums = {k: readings(v) for k, v in totals.items()}


def search(at, days, cents, changes, picked):
    """Lines one after another; at the end the totals must fit."""
    global best, least
    if changes + sum(min(f[0] for f in o[3]) for o in options[at:]) > least:
        return
    if at == len(options):
        for d, a in product(sums["days"], sums["amount"]):
            if int(d) == days and round(float(a) * 100) == cents:
                count = changes + (d != totals["days"]) + (a != totals["amount"])
                if count < least:
                    best, least = [], count
                if count == least:
                    best.append(picked | {"total.days": d, "total.amount": a})
        return
    no, _, _, found = options[at]
    for count, cell in found:
        more = {f"{no}.{k}": v for k, v in cell.items()}
        search(at + 1, days + int(cell["days"]), cents + round(float(cell["amount"]) * 100), changes + count, picked | more)


search(0, 0, 0, 0, {})
read.update({"total.days": totals["days"], "total.amount": totals["amount"]})
repaired, undecidable = [], []
for name, text in sorted(read.items()):
    if name.endswith(".container"):
        values = set(next(o[2] for o in options if o[0] == name.split(".")[0]))
    else:
        values = {b[name] for b in best}
    if len(values) > 1:
        undecidable.append(name)
    elif values != {text}:
        repaired.append({"cell": name, "value": values.pop()})
print(json.dumps({"repaired": repaired, "undecidable": undecidable}, indent=1))
