"""trace facts: how failures were answered, counted from events alone."""

from __future__ import annotations

from clawpro_artifact.formats.tracefacts import facts


def call(number, tool="exec", arguments="make", conversation="main"):
    data = {"call": number, "tool": tool, "arguments": {"command": arguments}}
    return {"kind": "tool_call", "conversation": conversation, "data": data}


def result(number, status, conversation="main"):
    return {"kind": "tool_result", "conversation": conversation,
            "data": {"call": number, "status": status}}  # fmt: skip


def spawn():
    return {"kind": "subagent_spawn", "conversation": "main", "data": {}}


def of(*events):
    found = facts(events, 4)
    assert found["requests"] == 4
    return found["repeated_errors"], found["ignored_errors"], found["abandoned_subagents"]


def test_the_same_call_right_after_its_failure_is_repeated():
    events = [call(1), result(1, "error"), call(2), result(2, "error"), call(3), result(3, "ok")]
    assert of(*events) == (2, 0, 0)


def test_another_call_after_a_failure_repeats_nothing():
    events = [call(1), result(1, "error"), call(2, arguments="ls"), result(2, "ok")]
    assert of(*events, call(3), result(3, "ok")) == (0, 0, 0)


def test_a_failure_in_one_conversation_is_not_repeated_by_another():
    events = [call(1), result(1, "error"), call(2, conversation="sub-1")]
    assert of(*events, result(2, "ok", "sub-1"))[0] == 0


def test_a_failure_after_which_nothing_is_tried_is_ignored():
    assert of(call(1), result(1, "error")) == (0, 1, 0)
    assert of(call(1), result(1, "error"), call(2, "read"), result(2, "ok")) == (0, 0, 0)


def test_a_child_that_never_spoke_is_abandoned():
    assert of(spawn(), spawn(), call(1, conversation="sub-1"), result(1, "ok", "sub-1"))[2] == 1


def test_nothing_happened():
    assert of() == (0, 0, 0)
