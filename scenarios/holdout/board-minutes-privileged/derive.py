"""Inputs folder (argv[1]) -> expected.json: items of the minutes one by one under section 14.

What a reader takes from the prose (who is out, what a passage changes) is read by patterns from the text.
"""

import json
import re
import sys
from datetime import date, timedelta
from pathlib import Path

inputs = Path(sys.argv[1])
MEETING = date(2026, 11, 12)
MONTH = {"November": 11, "December": 12}
text = (inputs / "minutes.txt").read_text(encoding="utf-8").split("Note for whoever")[0]
parts = re.split(r"^(OPEN|CLOSED|PRIVILEGED) PART.*$", text, flags=re.MULTILINE)[1:]
items = []
for kind, body in zip(parts[::2], parts[1::2]):
    for number, item in re.findall(r"^(\d+) +(.*?)(?=^\d+ +|\Z)", body, re.MULTILINE | re.DOTALL):
        items.append((kind, int(number), " ".join(item.split())))

resolutions, actions, released = {}, {}, set()
for kind, number, item in items:
    for r, rest in re.findall(r"(R-\d\d): (.*?)(?=R-\d\d: |Action A|$)", item):
        votes = {"for": 0, "against": 0, "abstained": 0}
        for word, n in re.findall(r"(for|against|abstained) (\d)", rest, re.IGNORECASE):
            votes[word.lower()] = int(n)
        if "recused" in item and "among them" in rest:
            votes["for"] -= 1  # the hand of the recused member
        if votes["for"] == votes["against"] and "casting vote for it" in rest:
            votes["for"] += 1
        resolutions[r] = {"part": kind, "item": number, **votes, "carried": votes["for"] > votes["against"]}
        if kind == "CLOSED" and "is released" in rest:
            released |= set(re.findall(r"(R-\d\d) is released", rest)) if votes["for"] > votes["against"] else set()
    for a, about, owner, what in re.findall(r"Action (A-\d): (?:for (\w+), )?the (general manager|treasurer|network engineer|secretary) (.*?)(?=Action A|$)", item):
        # an action for another item by name belongs to that item
        of = next((n for _, n, i in items if about and about in i.split(".")[0]), number)
        r = [x for x, v in resolutions.items() if v["item"] == of]
        actions[a] = {"part": kind, "resolution": r[0] if r else None, "owner": owner}
        when = re.search(r"within (\d+) days|on (\d+) (November|December)", what)
        actions[a]["when"] = when[0]
    if m := re.search(r"(A-\d) is moved to \d+ \w+ \(\"(on \d+ \w+)\"", item):
        actions[m[1]]["when"], actions[m[1]]["written"] = m[2], True
    if m := re.search(r"moves (A-\d) to \"(within \d+ days)\"", item):
        actions[m[1]]["when"] = m[2]
    if m := re.search(r"\((A-\d)\) goes to the (general manager|treasurer|network engineer|secretary)", item):
        actions[m[1]]["owner"] = m[2]


def due(action):
    if m := re.match(r"within (\d+) days", action["when"]):
        day = MEETING + timedelta(days=int(m[1]))
        return day + timedelta(days=max(0, 7 - day.weekday()) if day.weekday() > 4 else 0)
    _, day, month = action["when"].split()
    return date(2026, MONTH[month], int(day))  # the board wrote the date itself


published = [r for r, v in resolutions.items() if v["part"] == "OPEN" or r in released]
public = []
for a, action in sorted(actions.items()):
    resolution = resolutions.get(action["resolution"])
    void = resolution is not None and not resolution["carried"]
    if not void and (action["part"] == "OPEN" or action["resolution"] in published):
        public.append({"action": a, "owner": action["owner"], "due": str(due(action))})
print(
    json.dumps(
        {
            "resolutions": [
                {"resolution": r, **{k: resolutions[r][k] for k in ("for", "against", "abstained", "carried")}}
                for r in published
            ],
            "actions": public,
        },
        indent=1,
    )
)
