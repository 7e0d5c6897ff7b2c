"""Inputs folder (argv[1]) -> expected.json: ten transcripts by the field guide."""
import csv
import json
import re
import sys
from datetime import date
from pathlib import Path

inputs = Path(sys.argv[1])
with (inputs / "postal-codes.csv").open(encoding="utf-8", newline="") as file:
    TOWNS = {r["code"]: r["town"] for r in csv.DictReader(file)}
PARTICLES = {"van", "de", "der", "la"}


def unstruck(value):
    return " ".join(re.sub(r"\[s\].*?\[/s\]", "", value).split())


def cased(words):
    return " ".join(w.lower() if w.lower() in PARTICLES else "-".join(p.capitalize() for p in w.split("-")) for w in words)


def names(value):
    if "," in value:
        family, given = value.split(",", 1)
        return cased(family.split()), cased(given.split())
    words = value.split()
    cut = len(words) - 1
    while cut > 0 and words[cut - 1].lower() in PARTICLES:
        cut -= 1
    return cased(words[cut:]), cased(words[:cut])


def born(value, office):
    value = value.replace(" ", "")
    a, b, year = (int(x) for x in value.split("/"))
    if year < 100:
        year += 2000 if year <= 26 else 1900
    month, day = (a, b) if office.startswith("U") else (b, a)
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def phone(value, office):
    digits = re.sub(r"[^0-9+]", "", value)
    if not digits:
        return ""
    if digits.startswith("00"):
        return "+" + digits[2:]
    if digits.startswith("+"):
        return digits
    return "+" + {"U": "1", "D": "49"}.get(office[0], "44") + digits.removeprefix("0")


records, back = [], []
text = (inputs / "transcripts.txt").read_text(encoding="utf-8")
for form, office, body in re.findall(r"== (\S+), office (\S+)\n(.*?)(?=\n== |\Z)", text, re.S):
    raw = {k: unstruck(v) for k, v in re.findall(r"^(\w+):(.*)$", body, re.M)}
    out = dict.fromkeys(("family_name", "given_names", "born", "postal_code", "town", "phone"))
    if "?" not in raw["name"]:
        out["family_name"], out["given_names"] = (n or None for n in names(raw["name"]))
    if "?" not in raw["born"]:
        out["born"] = born(raw["born"], office)
    if raw["code"] in TOWNS:
        out["postal_code"], out["town"] = raw["code"], TOWNS[raw["code"]]
    elif "?" not in raw["town"]:
        out["town"] = raw["town"] or None
    if "?" not in raw["phone"]:
        out["phone"] = phone(raw["phone"], office)
    back += [{"form": form, "field": k} for k, v in out.items() if v is None]
    records.append({"form": form, **out})
print(json.dumps({"records": records, "send_back": back}, ensure_ascii=False, indent=1))
