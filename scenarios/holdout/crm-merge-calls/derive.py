"""Inputs folder (argv[1]) -> expected.json: merge calls, end records and refused pairs."""
import csv
import json
import re
import sys
from itertools import combinations
from pathlib import Path

inputs = Path(sys.argv[1])
with (inputs / "contacts.csv").open(encoding="utf-8", newline="") as file:
    people = {r["id"]: r for r in csv.DictReader(file)}


def mail(text):
    return re.sub(r"\+[^@]*@", "@", text.lower())


def digits(text):
    return re.sub(r"\D", "", text)


def role(address):
    return address.split("@")[0] in ("info", "office")


def shares(a, b):
    """-> (address shared, telephone shared)"""
    same_mail = bool(a["email"]) and mail(a["email"]) == mail(b["email"])
    return same_mail, bool(a["phone"]) and digits(a["phone"]) == digits(b["phone"])


group = {i: i for i in people}
for i, j in combinations(people, 2):
    a, b = people[i], people[j]
    by_mail, by_phone = shares(a, b)
    if by_mail and not role(mail(a["email"])) or by_phone and a["name"].lower() == b["name"].lower():
        old, new = group[j], group[i]
        group = {k: new if g == old else g for k, g in group.items()}


def rank(i):
    r = people[i]
    kept = r["legal_hold"] == "yes"
    newest = "" if kept else "".join(chr(255 - ord(c)) for c in r["last_activity"])
    return not kept, r["billing_lock"] != "yes", r["verified"] != "yes", newest, i


def winner_of(ids):
    held = [i for i in ids if people[i]["legal_hold"] == "yes"]
    return min(held) if held else min(ids, key=rank)


calls, ends, end_of = [], [], {i: i for i in people}
persons = {}
for i, g in group.items():
    persons.setdefault(g, []).append(i)
for ids in sorted((v for v in persons.values() if len(v) > 1), key=winner_of):
    top = winner_of(ids)
    now = dict(people[top])
    losers = [i for i in ids if i != top and people[i]["legal_hold"] == "no" and people[i]["billing_lock"] == "no"]
    for i in sorted(losers, key=lambda i: people[i]["last_activity"]):
        loser, take = people[i], []
        free = now["legal_hold"] == "no"
        if free and loser["email"] and mail(loser["email"]) != mail(now["email"]) and (loser["verified"] > now["verified"] or not now["email"]):
            take.append("email")
            now.update(email=loser["email"], verified=loser["verified"])
        for field, same in (("phone", digits), ("address", str)):
            if not free or not loser[field]:
                continue
            if same(loser[field]) == same(now[field]):
                now[field + "_date"] = max(now[field + "_date"], loser[field + "_date"])
            elif loser[field + "_date"] > now[field + "_date"]:
                take.append(field)
                now[field], now[field + "_date"] = loser[field], loser[field + "_date"]
        if loser["consent"] == "no" and now["consent"] == "yes":
            take.append("consent")
            now["consent"] = "no"
        calls.append({"winner": top, "loser": i, "take": take})
        end_of[i] = top
    if losers:
        ends.append({"id": top, "email": mail(now["email"]), "phone": digits(now["phone"]), "address": now["address"], "consent": now["consent"]})
refused = []
for i, j in combinations(people, 2):
    a, b = people[i], people[j]
    by_mail, by_phone = shares(a, b)
    if not (by_mail or by_phone) or end_of[i] == end_of[j]:
        continue
    if group[i] == group[j]:
        reason = "lock" if "yes" in (a["billing_lock"], b["billing_lock"]) else "hold"
    else:
        reason = "role" if by_mail and role(mail(a["email"])) and not by_phone else "other-person"
    refused.append({"pair": f"{i} {j}", "reason": reason})
print(json.dumps({"order": [c["loser"] for c in calls], "calls": calls, "end_records": ends, "refused": refused}, indent=1))
