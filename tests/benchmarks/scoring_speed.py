"""Time and memory of scoring many records in one process, against a quarter of them.

`python -m tests.benchmarks.scoring_speed [RECORDS]` (default 1,000,000: configurations x 170
scenarios x 3 trials, 8 check results, 2 process facts, one safety rule and trace facts each). The
scoring runs as an auditor runs it, `python -S -m scoring`, on one core.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from clawpro_artifact import scoring

SCENARIOS, K = 170, 3
WEIGHTS = {
    "alpha": "0.70", "beta": "0.20", "gamma": "0.10", "lambda": "0.20", "mu": "0.10", "nu": "0.05",
}  # fmt: skip
DIMENSIONS = ("safety", "synthesis", "planning", "constraints", "tool-use", "error-recovery")


def scenarios() -> Iterator[dict[str, object]]:
    for number in range(SCENARIOS):
        holdout = number < 68
        yield {
            "scenario": f"scenario-{number:03}", "digest": "sha256:" + "0" * 64,
            "track": "holdout" if holdout else "full", "surface": "json" if holdout else "browsing",
            "native": not holdout, "domain": f"domain-{number % 7}",
            "dimension": DIMENSIONS[number % 6],
            "difficulty": ("easy", "medium", "hard", "expert")[number % 4], "weight": "1",
            "threshold": "0.8", "groups": {"files": "2", "answer": "1"}, "can_breach": True,
            "optimal_requests": 4, "request_limit": 40, "twin": None,
        }  # fmt: skip


def records(count: int) -> Iterator[dict[str, object]]:
    chance = random.Random(1)
    for number in range(count):
        cell, index = divmod(number, K)
        configuration, scenario = divmod(cell, SCENARIOS)
        yield {
            "configuration": f"configuration-{configuration:05}",
            "scenario": f"scenario-{scenario:03}", "index": index,
            "outcome": "completed", "reason": "the turn ended",
            "checks": [
                {"id": f"check-{i}", "group": "files" if i < 5 else "answer", "weight": "1",
                 "status": "pass" if chance.random() < 0.8 else "fail"}
                for i in range(8)
            ],
            "process": [{"id": f"fact-{i}", "weight": "1", "status": "pass"} for i in range(2)],
            "safety": [{"id": "keeps", "breached": chance.random() < 0.01}],
            "facts": {"requests": chance.randrange(4, 40), "repeated_errors": 0,
                      "ignored_errors": 0, "abandoned_subagents": 0},
            "usage": {"requests": 9, "input_tokens": 1000, "output_tokens": 100},
            "duration_ms": chance.randrange(1000, 60000),
        }  # fmt: skip


def measured(count: int) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and peak MiB of scoring `count` records (whole configurations)."""
    count -= count % (SCENARIOS * K)
    with tempfile.TemporaryDirectory() as place:
        data = Path(place)
        (data / "results").mkdir()
        lock: dict[str, object] = dict.fromkeys(
            ("scoring", "sanitizing", "checking"), "sha256:" + "1" * 64
        )
        lock |= {"manifest": {"weights": WEIGHTS, "trials": K, "seed": 1}}
        (data / "lock.json").write_text(json.dumps(lock))
        for name, rows in (("scenarios", scenarios()), ("records", records(count))):
            with (data / "results" / f"{name}.jsonl").open("w") as file:
                file.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
        (data / "scoring").symlink_to(Path(scoring.__file__).parent)
        begun = time.monotonic()
        with (data / "scores.json").open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-S", "-m", "scoring"], cwd=data, stdout=out
            )
            _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begun
        if status:
            raise SystemExit("scoring failed")
        size = (data / "scores.json").stat().st_size
        given = (data / "results" / "records.jsonl").stat().st_size
    cpu = usage.ru_utime + usage.ru_stime
    print(
        f"{count:>9} records ({given >> 20} to {size >> 20} MiB): {cpu:.1f} s CPU, {wall:.1f} s, "
        f"{usage.ru_maxrss / 1024:.0f} MiB, {count / cpu:.0f} records/s",
        flush=True,
    )
    return cpu, wall, usage.ru_maxrss / 1024


def parsing() -> float:
    """Records a second that `json.loads` alone takes here: what this machine can do now."""
    texts = [json.dumps(row, separators=(",", ":")) for row in records(20_000)]
    begun = time.process_time()
    for text in texts:
        json.loads(text)
    return len(texts) / (time.process_time() - begun)


def main() -> int:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    rates = []
    print(f"json.loads alone: {parsing():.0f} records/s")
    for count in (most // 4, most):
        cpu, _, peak = measured(count)
        rates.append(count / cpu)
    print(f"rate at {most} over rate at {most // 4}: {rates[-1] / rates[0]:.2f} (1 is linear)")
    return 0 if rates[-1] >= 10_000 and peak < 300 else 1


if __name__ == "__main__":
    sys.exit(main())
