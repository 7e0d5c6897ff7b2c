"""our harness and Inspect AI on one endpoint with a fixed reply -> samples per second of both.

Both get the prompts of the whole holdout, three times and thirty times, one after the other on this
machine in this run, each in a process of its own. Ours runs a whole trial each (recorded boundary,
sealed attempt, sanitized, checked); Inspect runs its own with its plainest scorer and its default
of ten connections. The time counted is that of the run, without starting Python.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.model.prompt import compose_prompt

PEER = ("inspect-ai==0.3.285", "openai==3.57.0")
TARGET = 3.0
MOST_MEMORY = 200.0  # MB
# Memory may not follow the number of trials: ten times the trials, at most a tenth more.
MOST_GROWTH = 1.1
_ROOT = Path(__file__).parents[2]

_OURS = """
import json, resource, sys, time
from pathlib import Path
from clawpro_artifact import pipeline
from clawpro_artifact.adapters.checkout import Checkout
class Elsewhere(Checkout):
    work = Path(sys.argv[2])
checkout = Elsewhere(Checkout.find().root)
planned = pipeline.planned(checkout, sys.argv[1], "fixed")
began = time.monotonic()
judged = pipeline.run_trials(checkout, planned, pipeline.Watch())
seconds = time.monotonic() - began
assert len(judged) == len(planned.plan.trials)
assert all(j.trial.outcome == "completed" for j in judged.values())
print(json.dumps({"samples": len(judged), "seconds": seconds,
                  "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""
_THEIRS = """
import json, resource, sys, time
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import match
prompts = json.load(open(sys.argv[1]))
samples = [Sample(id=k, input=v, target="x") for k, v in prompts.items()]
task = Task(dataset=MemoryDataset(samples), scorer=match())
began = time.monotonic()
(log,) = eval(task, model="openai-api/fixed/fixed", model_base_url=sys.argv[3],
              epochs=int(sys.argv[2]), display="none", log_dir=sys.argv[4])
seconds = time.monotonic() - began
assert log.status == "success", log.status
print(json.dumps({"samples": len(log.samples), "seconds": seconds,
                  "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def main() -> int:
    """Print a table; exit 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10, help="how many times the trials, second")
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory(prefix="clawpro-speed-") as place, Endpoint() as url:
        folder = Path(place)
        python = _peer(folder)
        prompts = folder / "prompts.json"
        prompts.write_text(json.dumps(_prompts()))
        rows = {}
        for k in (3, 3 * times):
            rows["clawpro", k] = _ours(folder, k, url)
            rows["inspect", k] = _run(
                [str(python), "-c", _THEIRS, str(prompts), str(k), url, str(folder / "logs")],
                {"FIXED_API_KEY": "none", "PATH": "/usr/bin:/bin", "HOME": place},
            )
    for (who, _), row in rows.items():
        print(f"{who}: {row['samples']} samples, {row['samples'] / row['seconds']:.1f} a second, "
              f"{row['mb']:.0f} MB")  # fmt: skip
    good = True
    for k in (3, 3 * times):
        ratio = _rate(rows["clawpro", k]) / _rate(rows["inspect", k])
        print(f"k = {k}: {ratio:.2f} times the samples a second of {PEER[0]} (target {TARGET})")
        good = good and ratio >= TARGET
    small, large = rows["clawpro", 3]["mb"], rows["clawpro", 3 * times]["mb"]
    print(f"memory at {times} times the trials: {large / small:.2f} times (at most {MOST_GROWTH})")
    return 0 if good and large < MOST_MEMORY and large <= small * MOST_GROWTH else 1


def _rate(row: dict[str, Any]) -> float:
    return float(row["samples"] / row["seconds"])


def _prompts() -> dict[str, str]:
    folders = Checkout(_ROOT).scenario_folders().values()
    return {
        f.scenario.id: compose_prompt(f.scenario, f.prompt_texts())
        for f in folders
        if f.scenario.track == "holdout"
    }


def _peer(folder: Path) -> Path:
    """A virtual environment with the pinned peer; its Python."""
    venv = folder / "peer"
    subprocess.run([sys.executable, "-m", "uv", "venv", "-q", str(venv)], check=True)
    python = venv / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "install", "-q", "--python", str(python), *PEER],
        check=True,
    )
    return python


def _ours(folder: Path, k: int, url: str) -> dict[str, Any]:
    text = (_ROOT / "manifests" / "holdout-endpoint.toml").read_text()
    text = text.replace("trials = 3", f"trials = {k}").replace("count = 3", f"count = {k}")
    manifest = folder / f"k{k}.toml"
    # What is measured needs no frozen set, which may be in the making.
    manifest.write_text(text.replace("demonstration = false", "demonstration = true"))
    return _run(
        [sys.executable, "-c", _OURS, str(manifest), str(folder / f"work{k}")],
        {"CLAWPRO_MODEL_URL": url, "CLAWPRO_ROOT": str(_ROOT), "HOME": str(folder),
         "PATH": "/usr/bin:/bin"},
    )  # fmt: skip


def _run(command: list[str], environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-4000:])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


class Endpoint:
    """`POST /v1/chat/completions` on a free loopback port; the same answer to everybody."""

    def __init__(self) -> None:
        reply = {
            "id": "fixed", "object": "chat.completion", "created": 0, "model": "fixed",
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": '{"total": 1}'}}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 5, "total_tokens": 1005},
        }  # fmt: skip
        body = json.dumps(reply).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
        self._reply = head.encode() + b"\r\n\r\n" + body
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        started = asyncio.start_server(self._serve, "127.0.0.1", 0)
        server = asyncio.run_coroutine_threadsafe(started, self._loop).result()
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                for line in head.lower().split(b"\r\n"):
                    if line.startswith(b"content-length:"):
                        await reader.readexactly(int(line.split(b":")[1]))
                writer.write(self._reply)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


if __name__ == "__main__":
    sys.exit(main())
