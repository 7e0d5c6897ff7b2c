"""running: what is finished is never run again, what was tried never vanishes."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawpro_artifact import planning
from clawpro_artifact.adapters.runs import INTERRUPTED, RunFolder
from clawpro_artifact.adapters.runtimes.host import Assembled, RawAttempt
from clawpro_artifact.errors import InfraError, InputError
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.trial import Usage
from clawpro_artifact.running import run
from tests.unit import make
from tests.unit.test_planning import locked, scenarios


class FakeHost:
    """Answers from a list of outcomes by trial id; counts what it was asked."""

    def __init__(self, outcomes=None, fail=None):
        self.outcomes = outcomes or {}
        self.asked: list[str] = []
        self.closed = 0
        self.fail = fail

    def run(self, spec: TrialSpec, scenario, folder: Path, attempt_dir: Path) -> RawAttempt:
        if self.fail and len(self.asked) >= self.fail:
            raise KeyboardInterrupt
        self.asked.append(spec.id)
        queue = self.outcomes.get(spec.id, [])
        outcome = queue.pop(0) if queue else "completed"
        return RawAttempt(
            outcome=outcome, reason="made up", started_at="2026-01-01T00:00:00Z", duration_ms=5,
            answer="{}", exchanges=(), transport="http",
        )  # fmt: skip

    def close(self):
        self.closed += 1


def assemble(raw, spec, folder):
    return Assembled(outcome=raw.outcome, reason=raw.reason, events=(), usage=Usage(requests=0))


@pytest.fixture
def planned():
    known = scenarios("a", "b")
    lock = locked(make.manifest(), known)
    return planning.plan(lock, known), {i: (s, Path()) for i, s in known.items()}, lock


def go(planned, folder, host, **changes):
    plan, known, _ = planned
    options = {
        "folder": folder, "host_key": lambda s: s.configuration, "make_host": lambda s: host,
        "assemble": assemble, "max_attempts": 2, "workers": 1,
    } | changes  # fmt: skip
    return list(run(plan, known, **options))


def test_every_planned_trial_is_run_once(planned, tmp_path):
    host = FakeHost()
    trials = go(planned, RunFolder(tmp_path), host)
    assert sorted(t.spec.id for t in trials) == sorted(t.id for t in planned[0].trials)
    assert sorted(host.asked) == sorted(t.id for t in planned[0].trials)
    assert host.closed == 1


def test_finished_trials_are_not_run_again(planned, tmp_path):
    go(planned, RunFolder(tmp_path), FakeHost())
    again = FakeHost()
    trials = go(planned, RunFolder(tmp_path), again)
    assert again.asked == []
    assert len(trials) == 6


def test_what_was_finished_before_a_crash_counts_and_the_rest_is_run(planned, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        go(planned, RunFolder(tmp_path), FakeHost(fail=4))
    host = FakeHost()
    trials = go(planned, RunFolder(tmp_path), host)
    assert len(trials) == 6
    assert len(host.asked) == 2


def test_an_interrupted_attempt_is_listed_and_never_taken_up(planned, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        go(planned, RunFolder(tmp_path), FakeHost(fail=1))
    trials = go(planned, RunFolder(tmp_path), FakeHost())
    (cut,) = [t for t in trials if len(t.attempts) == 2]
    assert [a.reason for a in cut.attempts] == [INTERRUPTED, "made up"]
    assert [a.number for a in cut.attempts] == [1, 2]
    assert cut.outcome == "completed"


def test_only_infra_failures_are_attempted_again(planned, tmp_path):
    first, second = planned[0].trials[0].id, planned[0].trials[1].id
    host = FakeHost({first: ["infra_failed"], second: ["agent_failed"]})
    trials = {t.spec.id: t for t in go(planned, RunFolder(tmp_path), host)}
    assert [a.outcome for a in trials[first].attempts] == ["infra_failed", "completed"]
    assert [a.outcome for a in trials[second].attempts] == ["agent_failed"]


def test_a_used_up_attempt_policy_leaves_the_trial_undecided_with_every_attempt(planned, tmp_path):
    first = planned[0].trials[0].id
    host = FakeHost({first: ["infra_failed"] * 5})
    trials = {t.spec.id: t for t in go(planned, RunFolder(tmp_path), host)}
    assert trials[first].outcome == "infra_failed"
    assert len(trials[first].attempts) == 2


def test_a_host_that_cannot_run_is_an_infra_failed_attempt(planned, tmp_path):
    class Broken(FakeHost):
        def run(self, *a):
            raise InfraError("the engine went away")

    trials = go(planned, RunFolder(tmp_path), Broken())
    assert {t.outcome for t in trials} == {"infra_failed"}
    assert trials[0].attempts[0].reason == "the engine went away"


def test_an_error_nobody_classified_is_infrastructure_and_never_a_score(planned, tmp_path):
    class Buggy(FakeHost):
        def run(self, *a):
            raise ZeroDivisionError

    trials = go(planned, RunFolder(tmp_path), Buggy())
    assert {t.outcome for t in trials} == {"infra_failed"}
    assert trials[0].attempts[0].reason == "unclassified: ZeroDivisionError"


def test_two_workers_run_every_trial_exactly_once(planned, tmp_path):
    hosts = [FakeHost(), FakeHost()]
    spare = list(hosts)
    trials = go(planned, RunFolder(tmp_path), None, make_host=lambda s: spare.pop(), workers=2)
    assert len(trials) == 6
    assert sorted(hosts[0].asked + hosts[1].asked) == sorted(t.id for t in planned[0].trials)


def test_a_sealed_attempt_that_was_edited_is_refused(planned, tmp_path):
    go(planned, RunFolder(tmp_path), FakeHost())
    events = next(tmp_path.rglob("events.jsonl"))
    events.write_bytes(b'{"kind":"opaque"}\n')
    with pytest.raises(InputError, match="changed after it was sealed"):
        go(planned, RunFolder(tmp_path), FakeHost())


def test_a_folder_of_another_run_is_refused(planned, tmp_path):
    plan, _, lock = planned
    folder = RunFolder(tmp_path)
    with folder.hold(lock, plan):
        pass
    other = locked(make.manifest(seed=8), scenarios("a", "b"))
    with (
        pytest.raises(InputError, match=r"another lock\.json"),
        folder.hold(other, planning.plan(other, scenarios("a", "b"))),
    ):
        pass


def test_two_processes_cannot_work_on_one_run(planned, tmp_path):
    plan, _, lock = planned
    with (
        RunFolder(tmp_path).hold(lock, plan),
        pytest.raises(InfraError, match="another process"),
        RunFolder(tmp_path).hold(lock, plan),
    ):
        pass
