"""Inputs folder (argv[1]) -> expected.json: parse the headers, then the rules in their order."""
import csv
import json
import re
import sys
from pathlib import Path

inputs = Path(sys.argv[1])
OUR_GATE = "mx1.tolvmark.example"


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


records = {r["domain"]: r["policy"] for r in rows("domain_records.csv")}
suffixes = {r["suffix"] for r in rows("public_suffixes.csv")}
allowed = {r["domain"] for r in rows("allow_list.csv")}
partners = {r["domain"] for r in rows("partners.csv")}


def organisation(domain):
    labels = domain.split(".")
    suffix = ".".join(labels[-2:])
    return ".".join(labels[-3:]) if suffix in suffixes else suffix


def look(domain):
    for a, b in (("rn", "m"), ("vv", "w"), ("0", "o"), ("1", "l"), ("-", "")):
        domain = domain.replace(a, b)
    return domain


result = []
for block in (inputs / "reported_mails.txt").read_text(encoding="utf-8").split("=== ")[1:]:
    head, _, rest = block.partition("\n")
    number, boxes = re.fullmatch(r"(M\d) \(delivered to (\d+) mailbox(?:es)?\)", head).groups()
    lines = [x.split(" ", 1) for x in rest.split("\n\n")[0].splitlines()]
    sender = next((i, x) for i, x in lines if x.startswith("From: "))
    domain = re.search(r"@([a-z0-9.-]+)>", sender[1]).group(1)
    dkim = spf = last = None
    for i, x in lines:
        if x.startswith(f"Authentication-Results: {OUR_GATE};"):
            last = i
            d = re.search(r"dkim=pass header.d=([a-z0-9.-]+)", x)
            s = re.search(r"spf=pass smtp.mailfrom=(?:[^@ ]*@)?([a-z0-9.-]+)", x)
            if d and organisation(d.group(1)) == organisation(domain):
                dkim = dkim or i
            if s and organisation(s.group(1)) == organisation(domain):
                spf = spf or i
    org = organisation(domain)
    if org not in partners and any(look(org) == look(p) for p in partners):
        verdict, evidence = "phish", sender[0]
    elif dkim or spf:
        verdict, evidence = "clean", dkim or spf
    else:
        verdict, evidence = ("suspicious" if records.get(org, "none") == "none" else "phish"), last
    if verdict == "phish":
        action = "purge" if int(boxes) > 1 else "block"
    elif verdict == "suspicious":
        action = "hold"
    else:
        action = "release" if org in allowed else "release-with-banner"
    result.append({"mail": number, "verdict": verdict, "evidence": evidence, "action": action})
print(json.dumps({"mails": result}, indent=1))
