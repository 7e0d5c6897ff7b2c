"""Inputs folder (argv[1]) -> expected.json: new-side line numbers of a diff, the checklist over added lines."""

import fnmatch
import json
import re
import sys
from pathlib import Path

inputs = Path(sys.argv[1])


def text(name):
    return (inputs / name).read_text(encoding="utf-8")


known = set(re.findall(r"^(\w+)=", text("ci.env"), re.MULTILINE))
rules = {
    "M1": lambda p, t: "float(" in t and "ratio" not in t and not p.startswith("tests/"),
    "S1": lambda p, t: re.search(r"execute\(f[\"']", t),
    "L1": lambda p, t: "log." in t and re.search(r"\.pan\b", t),
    "E1": lambda p, t: t.strip() == "pass",
    "H1": lambda p, t: re.search(r"httpx\.(get|post)\(", t)
    and "timeout" not in t
    and not p.startswith("tests/"),
    "V1": lambda p, t: any(v not in known for v in re.findall(r'environ\["(\w+)"\]', t)),
}
findings, changed = [], []
for line in text("pull-request.diff").splitlines():
    if line.startswith("+++ "):
        path = line.removeprefix("+++ b/")
        changed.append(path)
    elif m := re.match(r"@@ -\d+,\d+ \+(\d+),\d+ @@", line):
        number = int(m[1])
    elif line.startswith("+"):
        for rule, broken in rules.items():
            if broken(path, line[1:]):
                findings.append({"file": path, "line": number, "rule": rule})
        number += 1
    elif line.startswith(" "):
        number += 1

approvers = set()
for path in changed:
    for entry in text("CODEOWNERS").splitlines():
        pattern, owner = entry.split()
        pattern = pattern.lstrip("/")
        if fnmatch.fnmatch(path, pattern + "*" if pattern.endswith("/") else pattern):
            holder = owner
    approvers.add(holder)
if any(f["rule"] == "L1" and not f["file"].startswith("tests/") for f in findings):
    approvers.add("@nordlys/data-protection")
hit = {f["rule"] for f in findings}
verdict = "reject" if hit & {"S1", "L1"} else "changes" if hit else "approve"
print(json.dumps({"findings": findings, "verdict": verdict, "approvers": sorted(approvers)}, indent=1))
