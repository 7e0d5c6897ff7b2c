"""Inputs folder (argv[1]) -> expected.json: expand groups, find pairs, then decide per account and entitlement."""
import csv
import json
import sys
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


TODAY = "2026-11-16"
grants = {}
for r in rows("group_grants.csv"):
    grants.setdefault(r["group"], set()).add(r["right"])
inside = {}
for r in rows("group_members.csv"):
    if r["member"].startswith("G-"):
        inside.setdefault(r["member"], set()).add(r["group"])


def up(group):
    return {group} | {g for parent in inside.get(group, ()) for g in up(parent)}


def rights(group):
    return {x for g in up(group) for x in grants.get(g, ())}


direct = {}
for r in rows("group_members.csv"):
    if not r["member"].startswith("G-"):
        direct.setdefault(r["member"], []).append(r["group"])
matrix = [(r["a"], r["b"], r["pair"]) for r in rows("sod_matrix.csv")]
exceptions = {
    (r["account"], r["pair"]) for r in rows("exceptions.csv")
    if r["valid_from"] <= TODAY <= r["valid_to"] and r["approved_by"] != r["account"] and r["approved_by"] == "risk"
}
privileged = {r["right"] for r in rows("rights.csv") if r["privileged"] == "yes"}
people = {r["account"]: r for r in rows("accounts.csv")}
result = []
for account in sorted(people):
    groups = direct.get(account, [])
    has = {x for g in groups for x in rights(g)}
    toxic = [p for a, b, p in matrix if a in has and b in has]
    open_pairs = [p for p in toxic if (account, p) not in exceptions]
    made = {"keep": [], "revoke": [], "escalate": []}
    left = people[account]["left_on"]
    for g in sorted(groups):
        mine = rights(g)
        hit = any((a in mine or b in mine) and p in open_pairs for a, b, p in matrix)
        if left and left <= TODAY:
            decision = "revoke"
        elif account == people[account]["reviewer"]:
            decision = "escalate"
        elif hit:
            decision = "escalate" if mine & privileged else "revoke"
        elif people[account]["manager_confirms"] == "no":
            decision = "revoke"
        else:
            decision = "keep"
        made[decision].append(g)
    result.append({"account": account, "pairs": [{"pair": p, "covered": p not in open_pairs} for p in toxic], **made})
print(json.dumps({"accounts": result}, indent=1))
