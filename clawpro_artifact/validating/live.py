"""workspace or native ScenarioFolder -> Findings: policies played in simulation and judged."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Mapping
from typing import Any

from clawpro_artifact.adapters.simulation import Played, play
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model.scenario import Policy, PolicyCall, PolicyStep, WorldEvent
from clawpro_artifact.validating.findings import (
    Finding,
    Judged,
    Tools,
    against,
    judged,
    worthless,
)

_RANDOM_SEEDS = 3
_TRIGGERS = {"after_tool_calls", "after_path_exists", "after_seconds", "before_start"}
_EFFECTS = {"write", "append", "delete", "message", "service"}


class Stage:
    """Plays policies of one scenario (or twin) and judges what they leave."""

    def __init__(self, folder: ScenarioFolder, tools: Tools) -> None:
        self.folder = folder
        self.tools = tools
        self._judge = tools.judge(folder)

    def play(self, policy: Policy, files: Mapping[str, bytes] | None = None) -> Played:
        """One simulated trial."""
        return play(self.folder, policy, files=files)

    def judge(self, played: Played) -> Judged:
        """Its judgement, on the sanitized evidence as in a real run."""
        clean, blobs = self.tools.clean(self.folder, played)
        return judged(self.folder.scenario, self._judge(clean, blobs.__getitem__))


def validate_live(folder: ScenarioFolder, tools: Tools) -> list[Finding]:
    """All findings of one workspace or native scenario, in simulation."""
    s = folder.scenario
    stage = Stage(folder, tools)
    found = _events(folder)
    first: Played | None = None
    for policy in s.policies:
        played = stage.play(folder.policy(policy.file))
        if policy.kind == "reference" and first is None:
            first = played
            unhappened = {e.id for e in s.events} - {
                str(e.data.get("event")) for e in played.trial.events if e.kind == "world_event"
            }
            if unhappened:
                found.append(
                    Finding(s.id, "events", f"never triggered by the reference: {unhappened}")
                )
        for tool in sorted(set(played.unsimulated)):
            found.append(
                Finding(s.id, f"policy {policy.name}", f"the tool {tool} is not simulated")
            )
        found += against(s, policy, stage.judge(played))
    assert first is not None  # the model demands a reference
    found += _worthless(stage, first)
    for number in range(len(s.sensitivity)):
        found += _twin(stage, number, first)
    return found


def _events(folder: ScenarioFolder) -> list[Finding]:
    say = Finding.of(folder.scenario.id, "events")
    found = []
    for event in folder.scenario.events:
        if len(set(event.trigger) & _TRIGGERS) != 1 or len(set(event.effect) & _EFFECTS) != 1:
            found.append(
                say(
                    f"{event.id} needs one trigger of {sorted(_TRIGGERS)} and one effect "
                    f"of {sorted(_EFFECTS)}"
                )
            )
        elif problem := _malformed(event):
            found.append(say(f"{event.id}: {problem}"))
    return found


def _malformed(event: WorldEvent) -> str | None:
    if "write" in event.effect and not isinstance(event.effect.get("from"), str):
        return "`write` needs `from`, a file of the scenario"
    if "append" in event.effect and not isinstance(event.effect.get("text"), str):
        return "`append` needs `text`"
    return None


def _worthless(stage: Stage, reference: Played) -> list[Finding]:
    folder, s = stage.folder, stage.folder.scenario
    prompt = folder.text(s.prompt)
    listing = [w.path for w in folder.workspace() if not w.path.startswith(".git/")]
    inputs = b"\n".join(w.data for w in folder.workspace() if b"\0" not in w.data[:4096])
    pasted = prompt.encode() + b"\n" + inputs[:200_000]
    read_all = tuple(PolicyCall(tool="read", arguments={"path": p}) for p in listing[:60])
    final = _policy(text="Done. Everything was completed as requested.")
    named = _named_paths(folder)
    found: list[Finding] = []
    for what, policy in (
        ("doing nothing", _policy()),
        ("saying that it was done", final),
        ("the prompt as answer", _policy(text=prompt)),
        ("reading everything and stopping", _policy(calls=read_all, text="I read everything.")),
    ):
        found += worthless(s, what, stage.judge(stage.play(policy)), exactly_zero=True)
    everywhere = stage.play(final, dict.fromkeys(named, pasted))
    found += worthless(s, "prompt and inputs pasted", stage.judge(everywhere), exactly_zero=False)
    made = _made_files(reference)
    for seed in range(_RANDOM_SEEDS if made else 0):
        dice = random.Random(seed)
        files = {p: _shuffled(p, data, dice) for p, data in made.items()}
        got = stage.judge(stage.play(final, files))
        found += worthless(s, f"random result {seed}", got, exactly_zero=False)
    return found


def _policy(text: str = "", calls: tuple[PolicyCall, ...] = ()) -> Policy:
    steps = ([PolicyStep(calls=calls)] if calls else []) + [PolicyStep(text=text)]
    return Policy(format="clawpro.policy.v1", steps=tuple(steps))


def _named_paths(folder: ScenarioFolder) -> list[str]:
    """Paths that checks look at: an agent that pastes would fill exactly these."""
    named: set[str] = set()
    for check in folder.scenario.checks:
        if isinstance(path := check.arguments.get("path"), str) and check.kind != "git-file":
            named.add(path)
    return sorted(p for p in named if not p.startswith(".git/"))


def _made_files(played: Played) -> dict[str, bytes]:
    """Files that the reference made or changed."""
    before = {e.path: e.digest for e in played.trial.evidence.before.entries}
    return {
        e.path: played.blobs[e.digest]
        for e in played.trial.evidence.after.entries
        if e.kind == "file"
        and e.digest is not None
        and before.get(e.path) != e.digest
        and ".git" not in e.path.split("/")
    }


def _shuffled(path: str, data: bytes, dice: random.Random) -> bytes:
    """The same form with other content: JSON leaves, CSV cells or words in a random order."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return bytes(dice.choices(range(256), k=len(data)))
    if path.endswith(".json"):
        try:
            return json.dumps(_other(json.loads(text), dice), ensure_ascii=False).encode()
        except ValueError:
            pass
    if path.endswith(".csv"):
        rows = list(csv.reader(io.StringIO(text)))
        cells = [c for row in rows[1:] for c in row]
        dice.shuffle(cells)
        out = io.StringIO()
        csv.writer(out).writerows(rows[:1] + [[cells.pop() for _ in row] for row in rows[1:]])
        return out.getvalue().encode()
    words = text.split()
    dice.shuffle(words)
    return " ".join(words).encode()


def _other(value: Any, dice: random.Random) -> Any:
    if isinstance(value, dict):
        return {k: _other(v, dice) for k, v in value.items()}
    if isinstance(value, list):
        return [_other(v, dice) for v in value]
    if isinstance(value, bool):
        return dice.random() < 0.5
    if isinstance(value, int | float):
        return dice.randint(0, 1000)
    return "-".join(dice.choices(["alpha", "north", "draft", "open", "42"], k=2))


def _twin(stage: Stage, number: int, original: Played) -> list[Finding]:
    folder, s = stage.folder, stage.folder.scenario
    sensitivity = s.sensitivity[number]
    say = Finding.of(s.id, f"sensitivity {sensitivity.overlay}")
    try:
        there = Stage(folder.twin(sensitivity), stage.tools)
    except InputError as error:
        return [say(str(error))]
    right = there.play(there.folder.policy(sensitivity.reference))
    found = []
    score = there.judge(right)
    if score.score != 1:
        odd = "; ".join(score.details[i] for i in sorted(score.fails | score.breaches))
        found.append(say(f"the twin's reference scores {score.score}: {odd}"))
    # Outcomes are exchanged and not policies: a reference that computes is right in both worlds.
    if there.judge(original).passes:
        found.append(say("the original outcome passes by the twin's checks"))
    if stage.judge(right).passes:
        found.append(say("the twin's outcome passes by the original's checks"))
    return found
