"""`python -m tests.benchmarks.anomalies`: precision and recall of the detector, class by class."""

from __future__ import annotations

import json
import sys
from collections import Counter

from clawpro_artifact.checking.anomalies import KINDS, anomalies
from tests.labelled import labelled

# What was measured; a change that makes it worse has to be argued.
LEAST_PRECISION, LEAST_RECALL = 0.75, 0.75


def main() -> int:
    """Measure, print, judge; `--json` for numbers, `--misses` for every miss."""
    hit: Counter[str] = Counter()
    false: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    rows = list(labelled())
    for row in rows:
        found = {a.kind for a in anomalies(row.events)}
        hit.update(found & row.labels)
        false.update(found - row.labels)
        missed.update(row.labels - found)
        if "--misses" in sys.argv and found != row.labels:
            print(row.name, sorted(found - row.labels), sorted(row.labels - found))
    table = {}
    for kind in KINDS:
        precision = hit[kind] / max(1, hit[kind] + false[kind])
        recall = hit[kind] / max(1, hit[kind] + missed[kind])
        table[kind] = {"hit": hit[kind], "false": false[kind], "missed": missed[kind],
                       "precision": round(precision, 3), "recall": round(recall, 3)}  # fmt: skip
    clean = sum(not row.labels for row in rows)
    if "--json" in sys.argv:
        print(json.dumps({"traces": len(rows), "without": clean, "classes": table}))
    else:
        print(f"{len(rows)} labelled traces, {clean} without an anomaly")
        for kind, n in table.items():
            print(f"{kind:<38} precision {n['precision']:.2f}  recall {n['recall']:.2f}  "
                  f"({n['hit']} hit, {n['false']} false, {n['missed']} missed)")  # fmt: skip
    good = all(n["precision"] >= LEAST_PRECISION and n["recall"] >= LEAST_RECALL
               for n in table.values())  # fmt: skip
    return 0 if good and len(rows) >= 150 else 1


if __name__ == "__main__":
    sys.exit(main())
