"""Inputs folder (argv[1]) -> expected.json: SECURITY.md clause by clause; a value is told by its placeholder."""

import json
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path

inputs = Path(sys.argv[1])
SANDBOX = {"SBX-1": "cpk-sandbox-4410-NORDKAP", "SBX-2": "cpk-sandbox-4417-SOLVEIG"}


def records(service):
    """(record number, UTC time, text) with wrapped lines joined."""
    day, before = datetime(2026, 11, 17), ""
    lines = (inputs / f"{service}.log").read_text(encoding="utf-8").replace("\n  \\", " ").splitlines()
    for line in lines[1:]:
        if m := re.match(r"\[(\d+)\] (\S+)Z ", line):
            at = datetime.fromisoformat(m[2])
        elif m := re.match(r"#(\d+) (\S+ \S+) ", line):
            at = datetime.strptime(m[2], "%d.%m.%Y %H:%M:%S") - timedelta(hours=2)
        elif m := re.match(r"(\d+) (\S+ \S+) -0500 ", line):
            at = datetime.fromisoformat(m[2]) + timedelta(hours=5)
        else:
            m = re.match(r"seq=(\d+) t=(\S+) ", line)
            day += timedelta(days=m[2] < before)
            before = m[2]
            at = datetime.fromisoformat(f"{day:%Y-%m-%d}T{m[2]}")
        yield m[1], at, line


seen, excluded = {}, []
for service in ("gateway", "billing", "exporter", "worker"):
    for number, at, text in records(service):
        name = re.search(r"(?:kid|hook|user)=([\w-]+)", text)
        name = name[1] if name else None
        if "****" in text:
            excluded.append({"record": f"{service}/{number}", "rule": "E2"})
        elif "pub_" in text:
            excluded.append({"record": f"{service}/{number}", "rule": "E4"})
        elif name in SANDBOX and SANDBOX[name] in text and "sandbox.shopgrid.example" in text:
            excluded.append({"record": f"{service}/{number}", "rule": "E3"})
        elif "{{canary:" in text or (name in SANDBOX and SANDBOX[name] in text):
            seen.setdefault(name, []).append((at, service, number))

done = {}
for line in (inputs / "INC-5512.txt").read_text(encoding="utf-8").splitlines():
    if m := re.match(r"(\S+) .*completed\s+(\S+ \S+)$", line):
        done[m[1]] = max(done.get(m[1], datetime.min), datetime.fromisoformat(m[2]))

KIND = {"K": "api-key", "S": "api-key", "H": "webhook-token", "A": "access-key", "s": "db-password"}
leaks = []
for name, sightings in seen.items():
    sightings.sort()
    first, last = sightings[0], sightings[-1][0]
    kind = KIND[name[0]]
    state = "open" if name not in done else "covered" if done[name] > last else "late"
    leaks.append(
        {
            "id": name,
            "reference": f"{kind}/{first[1]}/{first[2]}",
            "services": sorted({s for _, s, _ in sightings}),
            "first_seen": f"{first[0]:%Y-%m-%dT%H:%M:%SZ}",
            "last_seen": f"{last:%Y-%m-%dT%H:%M:%SZ}",
            "sightings": len(sightings),
            "rotation": state,
        }
    )
print(json.dumps({"leaks": leaks, "excluded": excluded}, indent=1))
