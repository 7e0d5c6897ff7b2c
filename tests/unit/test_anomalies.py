"""The process detector: a class where an episode shows it, silence where it only looks so."""

from __future__ import annotations

import pytest

from clawpro_artifact.checking.anomalies import KINDS, anomalies, gap
from clawpro_artifact.model.trace import Event
from tests.labelled import EPISODES, _with

BASE = (
    Event(seq=0, kind="prompt", witness="harness", data={"text": "Please do the task."}),
    Event(
        seq=1,
        kind="tool_call",
        witness="boundary",
        data={"call": "c", "tool": "read", "arguments": {"path": "task.md"}},
    ),
    Event(
        seq=2,
        kind="tool_result",
        witness="boundary",
        data={"call": "c", "tool": "read", "status": "ok", "text": "do it"},
    ),
    Event(seq=3, kind="model_response", witness="boundary", data={"text": "It is done."}),
)
# Shown by their meaning alone; a rule that found them would find too much.
OUT_OF_REACH = {"names-in-two-teams", "confident-cause", "standing-by"}
# A failure told in words that no list holds.
TAKEN_FOR_ONE = {"error-told-in-other-words"}


@pytest.mark.parametrize(
    ("name", "label", "steps", "final"), EPISODES, ids=[row[0] for row in EPISODES]
)
def test_an_episode_shows_what_its_label_says(name, label, steps, final):
    found = {a.kind for a in anomalies(_with(BASE, steps, final))}
    expected = {label} if label and name not in OUT_OF_REACH else set()
    assert found == (expected if name not in TAKEN_FOR_ONE else {"ignored-error"})


def test_every_class_has_episodes_and_near_misses():
    assert {row[1] for row in EPISODES} == {*KINDS, None}


def test_an_anomaly_names_the_calls_between_which_it_shows():
    steps = (("exec", {"command": "make release"}, "error", "Error 2"),)
    (found,) = anomalies(_with(BASE, steps, "Everything is in place."))
    assert (found.kind, found.first, found.conversation) == ("ignored-error", 3, "main")
    assert found.last >= found.first
    assert "exec failed" in found.why


def test_the_same_events_give_the_same_anomalies():
    steps = EPISODES[0][2]
    events = _with(BASE, steps, "Done.")
    assert anomalies(events) == anomalies(events)


def test_the_gap_counts_passes_that_are_anomalous():
    assert gap([True, True, False, True], [True, False, True, False]) == {
        "trials": 4, "passed": 3, "anomalous": 2, "passed_but_anomalous": 1}  # fmt: skip


def test_a_trace_without_calls_or_words_has_none():
    assert anomalies(()) == ()
    assert anomalies(BASE[:1]) == ()
