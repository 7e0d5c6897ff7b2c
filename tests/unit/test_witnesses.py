"""Three witnesses: each disagreement is a finding with the consequence that its rule says."""

from __future__ import annotations

from typing import Any

import pytest

from clawpro_artifact.adapters.runtimes.host import RawAttempt, TranscriptRow
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.trace import Exchange
from clawpro_artifact.model.trial import Snapshot
from clawpro_artifact.tracing import assemble
from clawpro_artifact.tracing.findings import RULES
from tests.unit.test_sanitizing import trial

SPEC: TrialSpec = trial("x", {}).spec
CALL = {"id": "1", "name": "exec", "arguments": '{"command":"ls"}'}


def exchange(number: int, messages: list[Any], calls: list[Any], **more: Any) -> Exchange:
    response = {"text": "", "calls": calls, "finish": "stop", "usage": None}
    values = {"number": number, "conversation": "main", "request": {"messages": messages},
              "response": response, "status": 200, "started_ms": 0, "ended_ms": 1,
              "continues": True}  # fmt: skip
    return Exchange(**(values | more))


USER = {"role": "user", "content": "do it"}
ASKED = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "exec"}}]}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "out"}
STORED = [
    TranscriptRow("s", 1, {"type": "message", "message": {"role": "user", "content": "do it"}}),
    TranscriptRow("s", 2, {"type": "message", "message": {
        "role": "toolResult", "toolCallId": "1", "content": [{"type": "text", "text": "out"}]}}),
]  # fmt: skip


def attempt(**changes: Any) -> RawAttempt:
    values: dict[str, Any] = {
        "outcome": "completed", "reason": "done", "started_at": "2026-01-01T00:00:00Z",
        "duration_ms": 1, "answer": "x", "transport": "gateway", "prompt": "do it",
        "exchanges": (exchange(0, [USER], [CALL]), exchange(1, [USER, ASKED, RESULT], [])),
        "transcript": tuple(STORED), "before": Snapshot(entries=()), "after": Snapshot(entries=()),
    }  # fmt: skip
    return RawAttempt(**(values | changes))


def found(raw: RawAttempt) -> tuple[str, dict[str, str]]:
    done = assemble(raw, SPEC, lambda name, arguments: (name, arguments))
    rows = {e.data["finding"]: e.data["consequence"] for e in done.events if e.kind == "finding"}
    return done.outcome, rows


def defect(lossy: bool) -> TranscriptRow:
    value = {"type": "defect", "lossy": lossy, "kind": "no-json", "line": 3, "byte": 9, "size": 2}
    return TranscriptRow("s", 3, value)


CASES: dict[str, RawAttempt] = {
    "prompt-not-delivered": attempt(prompt="something else"),
    "no-trace-source": attempt(transcript=()),
    "result-without-call": attempt(exchanges=(exchange(0, [USER, RESULT], []),)),
    "call-without-result": attempt(
        exchanges=(exchange(0, [USER], [CALL]), exchange(1, [USER], []))
    ),
    "synthetic-result": attempt(exchanges=(
        exchange(0, [USER], [CALL]),
        exchange(1, [USER, ASKED, RESULT | {"content":
            "[openclaw] missing tool result in session history; inserted synthetic error result "
            "for transcript repair."}], []),
    )),
    "transcript-lossy": attempt(transcript=(*STORED, defect(True))),
    "transcript-defect": attempt(transcript=(*STORED, defect(False))),
    "head-not-seen": attempt(
        exchanges=(exchange(0, [{"role": "assistant", "content": "hm"}, USER], []),)
    ),
    "unannounced-request": attempt(exchanges=(exchange(0, [USER], [], continues=False),)),
    "result-not-in-store": attempt(transcript=tuple(STORED[:1])),
    "result-differs": attempt(exchanges=(
        exchange(0, [USER], [CALL]),
        exchange(1, [USER, ASKED, RESULT | {"content": "other"}], []),
    )),
    "prompt-not-in-store": attempt(transcript=(
        TranscriptRow("s", 1, {"message": {"role": "user", "content": "hello"}}), STORED[1])),
    "change-without-call": attempt(
        exchanges=(exchange(0, [USER], []),),
        file_changes=({"before_exchange": 1, "path": "a", "change": "created", "digest": None,
                       "t_ms": 1},)),
}  # fmt: skip


def test_every_rule_has_a_case() -> None:
    assert CASES.keys() == RULES.keys()


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_disagreement_has_the_consequence_of_its_rule(name: str) -> None:
    outcome, rows = found(CASES[name])
    assert rows[name] == RULES[name]
    assert (outcome == "infra_failed") == ("infra" in rows.values())


def test_witnesses_that_agree_give_no_finding() -> None:
    assert found(attempt()) == ("completed", {})


def test_a_call_that_the_end_cut_off_is_noted_only() -> None:
    raw = CASES["call-without-result"]
    outcome, rows = found(attempt(exchanges=raw.exchanges, outcome="timed_out"))
    assert (outcome, rows["call-without-result"]) == ("timed_out", "noted")
