"""Inputs folder (argv[1]) -> expected.json on standard output.

What a person reads out of a ticket's prose stands in READ (impact, topic); everything else follows
from the tables under the triage rules.
"""

import csv
import json
import re
import sys
from datetime import datetime, time, timedelta, timezone
from pathlib import Path

inputs = Path(sys.argv[1])
# ticket: impact as the rules define it, topic of the request
READ = {
    "T-7001": ("outage", "export"),
    "T-7002": ("degraded", "signing in"),
    "T-7003": ("degraded", "import"),
    "T-7004": ("outage", "signing in"),
    "T-7005": ("question", "invoice"),
    "T-7006": ("outage", "import"),
    "T-7007": ("degraded", "partner synchronisation"),
}
QUEUE = {"invoice": "billing", "signing in": "identity", "import": "data", "export": "data"}
LEVEL = {("outage", "premium"): 1, ("outage", "standard"): 2, ("degraded", "premium"): 2}

with (inputs / "accounts.csv").open(encoding="utf-8", newline="") as file:
    accounts = {r["account"]: r for r in csv.DictReader(file)}
heads = re.findall(
    r"=== (T-\d+)\s+(A-\d+)\s+received (\S+)", (inputs / "tickets.txt").read_text(encoding="utf-8")
)


def business(start, hours):
    """`hours` business hours after `start`, in start's own offset."""
    left, now = timedelta(hours=hours), start
    while True:
        opening = datetime.combine(now.date(), time(9), now.tzinfo)
        closing = datetime.combine(now.date(), time(17), now.tzinfo)
        now = max(now, opening)
        if now.weekday() < 5 and now < closing:
            if now + left <= closing:
                return now + left
            left -= closing - now
        now = opening + timedelta(days=1)


tickets = []
for ticket, number, received in heads:
    account = accounts[number]
    impact, topic = READ[ticket]
    level = LEVEL.get((impact, account["plan"]), 3)
    if account["status"] == "overdue" and account["sector"] != "clinical":
        level = min(3, level + 1)
    if topic == "partner synchronisation":
        queue = "partner-relay" if account["relay_addendum"] == "signed" else "data"
    else:
        queue = QUEUE[topic]
    start = datetime.fromisoformat(received)
    due = start + timedelta(hours=1) if level == 1 else business(start, {2: 4, 3: 8}[level])
    tickets.append(
        {
            "ticket": ticket,
            "queue": queue,
            "priority": f"P{level}",
            "respond_by": due.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%MZ"),
            "reference": f"{number}/{ticket}",
            "handover": f"{impact}, {topic}",
        }
    )
overdue = sorted({n for _, n, _ in heads if accounts[n]["status"] == "overdue"})
print(json.dumps({"tickets": tickets, "overdue_accounts": overdue}, indent=1))
