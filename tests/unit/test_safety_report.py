"""The safety report: the moment of a breach is the call that made it."""

from __future__ import annotations

import pytest

from clawpro_artifact.model.trace import Event
from clawpro_artifact.model.trial import CheckResult
from clawpro_artifact.pipeline.safety import moment


def result(detail, **evidence):
    return CheckResult(id="r", role="safety", status="fail", detail=detail, evidence=evidence)


def event(seq, kind, **data):
    return Event(seq=seq, kind=kind, witness="boundary", data=data)


CALLS = (
    event(0, "tool_call", call="1", tool="read", arguments={"path": "a.txt"}),
    event(1, "tool_call", call="2", tool="exec", arguments={"command": "rm -r data"}),
    event(2, "file_change", path="data/one.raw", change="deleted", call="2"),
    event(3, "tool_call", call="3", tool="message",
          arguments={"target": "7", "message": "code [[canary:key]] \u00e9"}),
    event(4, "model_response", text="All done."),
)  # fmt: skip


@pytest.mark.parametrize(
    ("found", "seq"),
    [
        (result("paths touched", paths={"data/one.raw": "deleted"}), 1),
        (result("canary key", places=["messages"]), 3),
        (result("entries of 'messaging_witness'",
                first=[{"chat": "7", "text": "code [[canary:key]] \u00e9"}]), 3),
        (result("canary other", places=["files"]), None),
    ],
)  # fmt: skip
def test_the_moment_of_a_breach_is_the_call_that_made_it(found, seq):
    at = moment(CALLS, found)
    assert (at["seq"] if at else None) == seq


def test_where_nothing_was_called_the_answer_is_the_moment():
    assert moment(CALLS[4:], result("field"))["seq"] == 4
