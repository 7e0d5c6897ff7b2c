"""holdout ScenarioFolder -> Findings: derivation, policies, worthless answers, twins, leaks."""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from clawpro_artifact.adapters.programs import run_python
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical, jsonio
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model.manifest import Limits
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.prompt import compose_prompt
from clawpro_artifact.model.trial import (
    Attempt,
    CleanTrial,
    Evidence,
    Snapshot,
    Usage,
)
from clawpro_artifact.validating.answers import filled, malformed, random_answer, words_of
from clawpro_artifact.validating.findings import (
    Finding,
    Judged,
    Tools,
    against,
    judged,
    worthless,
)

RANDOM_SEEDS = 100
_PLACEHOLDER = re.compile(r"\{\{canary:([a-z0-9.-]+(?::[a-z0-9-]+)?)\}\}")
_ATTEMPT = Attempt(
    number=1,
    outcome="completed",
    reason="given answer",
    started_at="1970-01-01T00:00:00Z",
    duration_ms=0,
    isolation="none",
    transport="simulation",
)
_LIMITS = Limits(wall_seconds=60, requests=10, output_tokens=10_000)


class Desk:
    """Judges answers to one scenario (or twin) that are given as text."""

    def __init__(self, folder: ScenarioFolder, tools: Tools) -> None:
        self.folder = folder
        self._judge = tools.judge(folder)
        s = folder.scenario
        self._spec = TrialSpec(
            configuration="given",
            scenario=s.id,
            index=0,
            track=s.track,
            surface=s.surface,
            seed=0,
            limits=s.limits or _LIMITS,
        )

    def judge(self, answer: str | None) -> Judged:
        """The judgement of one answer; canaries stand as the sanitizer would leave them."""
        answer = None if answer is None else _PLACEHOLDER.sub(r"[[canary:\1]]", answer)
        empty = Snapshot(entries=())
        trial = CleanTrial(
            spec=self._spec,
            attempts=(_ATTEMPT,),
            outcome="completed",
            usage=Usage(requests=1),
            events=(),
            exchanges=(),
            evidence=Evidence(answer=answer, before=empty, after=empty),
            sanitizer="none",
        )
        return judged(self.folder.scenario, self._judge(trial, _no_blob))

    def text_of(self, file: str) -> str:
        """The final text that a policy file gives."""
        return self.folder.policy(file).steps[-1].text


def _no_blob(digest: str) -> bytes:
    raise KeyError(digest)


def validate_holdout(folder: ScenarioFolder, tools: Tools) -> list[Finding]:
    """All findings of one holdout scenario."""
    schema_findings = _schema(folder)
    if schema_findings:
        return schema_findings
    desk = Desk(folder, tools)
    found = _derivation(folder)
    s = folder.scenario
    for policy in s.policies:
        found += against(s, policy, desk.judge(desk.text_of(policy.file)))
    found += _worthless(desk)
    for number in range(len(s.sensitivity)):
        found += _twin(desk, number, tools)
    return found + _leaks(folder)


def reference_text(desk: Desk) -> str:
    """The first reference answer."""
    policy = next(p for p in desk.folder.scenario.policies if p.kind == "reference")
    return desk.text_of(policy.file)


def _schema(folder: ScenarioFolder) -> list[Finding]:
    say = Finding.of(folder.scenario.id, "schema")
    schema = folder.schema() or {}
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return [say(f"the answer's schema is no JSON Schema: {error.message}")]
    found = []
    for place, node in _nodes(schema, ""):
        if not isinstance(node, dict):
            continue
        if place.endswith("/properties"):
            continue
        if set(node) & {"const", "default", "examples"} or len(node.get("enum", [0, 0])) < 2:
            found.append(say(f"a const, default, example or single choice states a value: {place}"))
        if "properties" in node and node.get("additionalProperties") is not False:
            found.append(say(f"an object must say additionalProperties = false: '{place}'"))
    problem = next(Draft202012Validator(schema).iter_errors(folder.expected()), None)
    if problem is not None:
        found.append(say(f"expected.json breaks the schema: {problem.message}"))
    return found


def _nodes(node: Any, place: str) -> Iterator[tuple[str, Any]]:
    yield place, node
    children = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, child in children:
        if key not in ("enum", "required", "description"):
            yield from _nodes(child, f"{place}/{key}")


def _derivation(folder: ScenarioFolder) -> list[Finding]:
    """`derive.py` over the inputs prints exactly expected.json."""
    assert folder.scenario.answer is not None
    say = Finding.of(folder.scenario.id, "derivation")
    with tempfile.TemporaryDirectory(prefix="clawpro-") as place:
        for name, path in folder.files("inputs").items():
            target = Path(place) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
        out = run_python(folder.path(folder.scenario.answer.derivation), place)
    if out.exit_code != 0 or out.timed_out:
        return [
            say(f"it ended with {out.exit_code}: {out.stderr.decode('utf-8', 'replace')[-400:]}")
        ]
    try:
        derived = jsonio.parse(out.stdout, "standard output of derive.py")
    except InputError as error:
        return [say(str(error))]
    expected = folder.expected()
    if canonical.digest(derived) != canonical.digest(expected):
        where = "twin" if folder.overlay else "scenario"
        return [
            say(
                f"{where}: derived {json.dumps(derived, ensure_ascii=False)[:600]} is not "
                f"expected {json.dumps(expected, ensure_ascii=False)[:600]}"
            )
        ]
    return []


def _worthless(desk: Desk) -> list[Finding]:
    folder, s = desk.folder, desk.folder.scenario
    schema = folder.schema() or {}
    texts = folder.prompt_texts()
    prompt = compose_prompt(s, texts)
    inputs = "\n".join(texts[i] for i in s.inputs)
    found: list[Finding] = []
    for what, answer in (
        ("doing nothing", None),
        ("an empty answer", ""),
        ("an empty object", "{}"),
        ("the prompt as answer", prompt),
        ("the inputs as answer", inputs),
    ):
        found += worthless(s, what, desk.judge(answer), exactly_zero=True)
    for what, text in (("the prompt pasted", prompt), ("the inputs pasted", inputs)):
        answer = json.dumps(filled(schema, text), ensure_ascii=False)
        found += worthless(s, f"{what} into every field", desk.judge(answer), exactly_zero=False)
    words = words_of([texts[i] for i in s.inputs])
    for seed in range(RANDOM_SEEDS):
        answer = json.dumps(random_answer(schema, words, random.Random(seed)), ensure_ascii=False)
        found += worthless(s, f"random answer {seed}", desk.judge(answer), exactly_zero=False)
    for what, spoiled in malformed(reference_text(desk)).items():
        found += worthless(s, f"malformed: {what}", desk.judge(spoiled), exactly_zero=True)
    return found


def _twin(desk: Desk, number: int, tools: Tools) -> list[Finding]:
    """The twin's inputs have another right answer, which the same derivation gives."""
    folder, s = desk.folder, desk.folder.scenario
    sensitivity = s.sensitivity[number]
    say = Finding.of(s.id, f"sensitivity {sensitivity.overlay}")
    twin = folder.twin(sensitivity)
    changed = [n for n, p in twin.files("inputs").items() if p != folder.folder / "inputs" / n]
    if not changed:
        return [say("the overlay changes no input")]
    if canonical.digest(twin.expected()) == canonical.digest(folder.expected()):
        return [say("the twin expects the same as the original")]
    found = [Finding(f.scenario, say("").rule, f.detail) for f in _derivation(twin)]
    there = Desk(twin, tools)
    right = there.text_of(sensitivity.reference)
    score = there.judge(right)
    if score.score != 1:
        found.append(say(f"the twin's reference scores {score.score}: {sorted(score.fails)}"))
    if there.judge(reference_text(desk)).passes:
        found.append(say("the original reference passes on the twin"))
    if desk.judge(right).passes:
        found.append(say("the twin's reference passes on the original"))
    return found


def _leaks(folder: ScenarioFolder) -> list[Finding]:
    """Nothing in the prompt states the result: no part of it, no line with most of its values."""
    say = Finding.of(folder.scenario.id, "leak")
    prompt = compose_prompt(folder.scenario, folder.prompt_texts())
    expected = folder.expected()
    squeezed = "".join(prompt.split())
    found = []
    for place, node in _nodes(expected, ""):
        if isinstance(node, dict | list) and len(_leaves(node)) >= 3:
            text = json.dumps(node, ensure_ascii=False, separators=(",", ":"))
            if "".join(text.split()) in squeezed:
                found.append(say(f"the expected value at '{place}' stands in the prompt"))
    leaves = {str(v) for v in _leaves(expected) if len(str(v)) >= 3 and not isinstance(v, bool)}
    for line in prompt.splitlines():
        held = [v for v in leaves if v in line]
        if len(held) >= 4 and len(held) * 2 > len(leaves):
            found.append(say(f"one line holds {len(held)} of {len(leaves)} values: {line[:120]}"))
    return found


def _leaves(node: Any) -> list[Any]:
    if isinstance(node, dict):
        return [leaf for v in node.values() for leaf in _leaves(v)]
    if isinstance(node, list):
        return [leaf for v in node for leaf in _leaves(v)]
    return [node]
