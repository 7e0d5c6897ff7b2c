"""Inputs folder (argv[1]) -> expected.json: the manual's evaluation, request by request, then each proposal."""
import copy
import json
import re
import sys
from pathlib import Path

inputs = Path(sys.argv[1])


def read(name):
    return json.loads((inputs / name).read_text(encoding="utf-8"))


def fits(pattern, value):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), value) is not None


def many(x):
    return x if isinstance(x, list) else [x]


def condition(statement, context):
    for operator, pairs in statement.get("Condition", {}).items():
        base = operator.removesuffix("IfExists")
        for key, wanted in pairs.items():
            if key not in context:
                if operator.endswith("IfExists") or base == "StringNotLike":
                    continue
                return False
            hit = any(fits(w, context[key]) for w in many(wanted))
            if hit == (base == "StringNotLike"):
                return False
    return True


def matches(s, request):
    if "Action" in s and not any(fits(a, request["action"]) for a in many(s["Action"])):
        return False
    if "NotAction" in s and any(fits(a, request["action"]) for a in many(s["NotAction"])):
        return False
    if not any(fits(r, request["resource"]) for r in many(s["Resource"])):
        return False
    if "Principal" in s:
        p, account = request["principal"], request["principal"].split(":")[0]
        if not any(w in ("*", p, account) for w in many(s["Principal"])):
            return False
    return condition(s, request["context"])


def evaluate(world, request):
    """-> decision, deciding statement or empty, missing layer or empty."""
    principal = world["principals"][request["principal"]]
    p_account, r_account = request["principal"].split(":")[0], request["resource"].split(":")[0]
    owner = max((k for k in world["resource_policies"] if fits(k + "*", request["resource"])), key=len, default=None)
    layers = [
        ("organisation", [s for level in world["organisation"][p_account] for s in level]),
        ("resource", world["resource_policies"].get(owner, [])),
        ("identity", [s for n in principal["policies"] for s in world["identity_policies"][n]]),
        ("boundary", world["identity_policies"][principal["boundary"]] if principal["boundary"] else None),
        ("session", request.get("session_policy")),
    ]
    for _, statements in layers:
        for s in statements or []:
            if s["Effect"] == "Deny" and matches(s, request):
                return "deny", s["Sid"], ""
    by = {}
    for name, statements in layers:
        by[name] = None if statements is None else next(
            (s for s in statements if s["Effect"] == "Allow" and matches(s, request)), None
        )
    for level in world["organisation"][p_account]:
        if not any(s["Effect"] == "Allow" and matches(s, request) for s in level):
            return "deny", "", "organisation"
    named = by["resource"] is not None and request["principal"] in many(by["resource"]["Principal"])
    if p_account != r_account:
        if by["resource"] is None:
            return "deny", "", "resource"
        if by["identity"] is None:
            return "deny", "", "identity"
    elif by["identity"] is None and by["resource"] is None:
        return "deny", "", "identity"
    direct = p_account == r_account and named
    if principal["boundary"] and by["boundary"] is None and not direct:
        return "deny", "", "boundary"
    if request.get("session_policy") is not None and by["session"] is None:
        return "deny", "", "session"
    return "allow", (by["identity"] or by["resource"])["Sid"], ""


world = read("policies.json")
requests = read("requests.json")
answers = []
for r in requests["requests"]:
    decision, statement, missing = evaluate(world, r)
    answers.append({"request": r["id"], "decision": decision, "statement": statement, "missing": missing})
wanted = requests["wanted"]
catalogue = requests["catalogue"]
every = [
    {"principal": p, "action": a, "resource": r, "context": catalogue["context"]}
    for p in catalogue["principals"] for a in catalogue["actions"] for r in catalogue["resources"]
]
before = [evaluate(world, x)[0] for x in every]
works = []
for c in read("proposals.json"):
    new = copy.deepcopy(world)
    new[c["where"]][c["policy"]].append(c["statement"])
    if evaluate(new, wanted)[0] == "allow":
        gained = sum(b == "deny" and evaluate(new, x)[0] == "allow" for b, x in zip(before, every))
        works.append((gained, c["proposal"]))
works.sort()
print(json.dumps({
    "requests": answers,
    "proposals_that_work": sorted(p for _, p in works),
    "add": works[0][1],
    "newly_allowed": works[0][0],
}, indent=1))
