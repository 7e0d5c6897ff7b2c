"""Inputs folder (argv[1]) -> expected.json: whose part is whose, what the reply may say, what is moved."""
import csv
import json
import re
import sys
from datetime import date
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


orders = rows("orders.csv")
SIGNS = {}  # sign -> (strength, customer): town before article before order number
for r in orders:
    SIGNS[r["town"].lower()] = (3, r["customer"])
    SIGNS[r["order"].lower()] = (1, r["customer"])
    for word in (r["article"], r["article"].split()[-1]):
        SIGNS[word.lower()] = (2, r["customer"])
parts = []
text = (inputs / "thread.txt").read_text(encoding="utf-8")
for mail, sender, day, body in re.findall(r"\[(M\d+)\] From: (\S+) +(\S+)\n(.*?)(?=\n\[M|\Z)", text, re.S):
    forwarded = re.search(r"\[b\] \(\w+, From: (\S+), (\S+)\) (.*?)(?=\nP\.S\.|\Z)", body, re.S)
    own = body.replace(forwarded[0], "") if forwarded else body
    own = own.split("P.S.")[0]  # the postscript asks about the other address, and is no sign
    parts.append({"part": mail + ("a" if forwarded else ""), "from": sender, "day": day, "text": own})
    if forwarded:
        parts.append({"part": mail + "b", "from": forwarded[1], "day": forwarded[2], "text": forwarded[3]})


def by_signs(said):
    said = re.sub(r"\bno \w+", "", said.lower())  # "I have no sofa" is no sign of a sofa
    found = [SIGNS[s] for s in SIGNS if re.search(r"\b" + re.escape(s) + r"\b", said)]
    top = max((f[0] for f in found), default=0)
    whose = {f[1] for f in found if f[0] == top}
    return whose.pop() if len(whose) == 1 else None


for p in parts:
    p["who"] = by_signs(p["text"])
for i, p in enumerate(parts):
    if p["who"] is None:
        same = lambda q: q["from"] == p["from"] and by_signs(q["text"])
        before = [q for q in parts[:i] if same(q)]
        after = [q for q in parts[i + 1 :] if same(q)]
        p["who"] = by_signs((before[-1:] or after[:1])[0]["text"])
last = parts[-2] if parts[-1]["part"].endswith("b") else parts[-1]
me = last["who"]
mine = [p for p in parts if p["who"] == me and "@alderholt" not in p["from"]]
# The reply is about the piece that the last writer still complains of.
article = next(r["article"] for r in orders if r["customer"] == me and r["article"].split()[-1] in ("sideboard", "sofa"))
order = next(r["order"] for r in orders if r["customer"] == me)
delivered = next(d["delivered_on"] for d in rows("deliveries.csv") if d["order"] == order and article in d["articles"])
claim = min(p["day"] for p in mine if p["from"] == last["from"] and re.search("door|seam", p["text"]))
gap = (date.fromisoformat(claim) - date.fromisoformat(delivered)).days
answer = {
    "attribution": [{"part": p["part"], "customer": p["who"]} for p in parts],
    "moved": [p["part"] for p in parts if p["who"] != me],
    "reply_facts": {
        "customer": me,
        "order": order,
        "article": article,
        "delivered_on": delivered,
        "claimed_on": claim,
        "remedy": "exchange" if gap <= 14 else "repair" if gap <= 60 else "voucher",
    },
}
print(json.dumps(answer, indent=1))
