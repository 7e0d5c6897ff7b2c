"""Inputs folder (argv[1]) -> expected.json: each hit by digest, register, joins and samples."""
import csv
import datetime
import json
import re
import sys
from pathlib import Path

inputs = Path(sys.argv[1])
TODAY = datetime.date(2026, 11, 16)


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


register = {r["digest"]: r for r in rows("key_register.csv")}
samples = {r["digest"] for r in rows("vendor_samples.csv")}
joined = {r["expression"]: r["digest"] for r in rows("assembled.csv")}
context = {}
for block in (inputs / "contexts.txt").read_text(encoding="utf-8").split("--- ")[1:]:
    head, _, body = block.partition("\n")
    context[head.strip()] = body
everything = "\n".join(context.values())
LEVELS = ["low", "medium", "high", "critical"]
SCOPE = {"production write": 3, "production read": 2, "staging": 1}


def name_of(hit):
    m = re.search(r"^>\s*(?:export )?(?:const )?(\w+)\s*[:=]", context[hit], re.M)
    return m.group(1) if m else None


hits, entries = [], []
for r in rows("scanner_report.csv"):
    digest, published = r["digest"], r["path"].startswith(("sdk/", "docs/"))
    for expression, whole in joined.items():
        parts = [p.strip() for p in expression.split("+")]
        if name_of(r["hit"]) in parts and expression in everything:
            digest = whole
    verdict, severity, reason, until = None, "none", None, None
    if digest in register:
        revoked = register[digest]["revoked_on"]
        if revoked and datetime.date.fromisoformat(revoked) <= TODAY:
            verdict, severity, reason = "rotated", "low", "rotated"
            until = datetime.date.fromisoformat(revoked) + datetime.timedelta(90)
        else:
            verdict = "true"
            level = SCOPE[register[digest]["scope"]] + published
            severity = LEVELS[min(3, level)]
    elif digest in samples:
        verdict, reason = "false", "sample"
    elif re.search(r"^>.*(integrity|sha256|checksum)", context[r["hit"]], re.M):
        verdict, reason = "false", "checksum"
    elif re.search(r"^>.*(\$\{|<[A-Z_]+>|environ)", context[r["hit"]], re.M):
        verdict, reason = "false", "placeholder"
    else:
        verdict = "true"
        severity = LEVELS[min(3, 2 + published)]
    if verdict == "false":
        until = TODAY + datetime.timedelta(180)
    if reason and until > TODAY and not (verdict == "rotated" and published):
        entries.append({"digest": r["digest"], "path": r["path"], "reason": reason, "expires": str(until)})
    hits.append({"hit": r["hit"], "verdict": verdict, "severity": severity})
print(json.dumps({"hits": hits, "suppressions": entries}, indent=1))
