"""direct and command: a refusal, a cut, an empty answer or a crash is an outcome, never ours."""

from __future__ import annotations

import json

import pytest

from clawpro_artifact.adapters.models.answer import ModelAnswer, ModelFault
from clawpro_artifact.adapters.runtimes.command import CommandHost
from clawpro_artifact.adapters.runtimes.direct import DirectHost
from clawpro_artifact.formats.scenarios import ScenarioFolder
from clawpro_artifact.model.manifest import Command, Limits
from clawpro_artifact.model.plan import TrialSpec
from tests.unit import make
from tests.unit.test_boundary import Parrot

SPEC = TrialSpec(configuration="c", scenario="three-way-match", index=0, track="holdout",
                 surface="json", seed=1,
                 limits=Limits(wall_seconds=5, requests=5, output_tokens=1000))  # fmt: skip


@pytest.fixture
def task(tmp_path):
    folder = tmp_path / "three-way-match"
    folder.mkdir()
    (folder / "prompt.md").write_text("Match it.\n")
    (folder / "answer.schema.json").write_text("{}")
    return ScenarioFolder(make.scenario(), folder)


def run(host, task, tmp_path):
    attempt = tmp_path / "attempt"
    attempt.mkdir()
    try:
        return host.run(SPEC, task.scenario, task.folder, attempt)
    finally:
        host.close()


def direct(answer, task, tmp_path):
    return run(DirectHost(lambda *_: Parrot(answer), lambda _: task), task, tmp_path)


@pytest.mark.parametrize(
    ("answer", "text", "reason"),
    [
        (ModelAnswer(text='{"total": 1}'), '{"total": 1}', "answered"),
        (ModelAnswer(refusal="I will not."), "I will not.", "the model refused"),
        (ModelAnswer(text="", finish="content_filter"), "", "the model refused"),
        (
            ModelAnswer(text='{"tot', finish="length"),
            '{"tot',
            "the answer was cut at the token limit",
        ),
        (ModelAnswer(text=""), "", "the answer is empty"),
    ],
)
def test_whatever_the_model_says_is_an_outcome(answer, text, reason, task, tmp_path):
    raw = direct(answer, task, tmp_path)
    assert (raw.outcome, raw.answer, raw.reason) == ("completed", text, reason)
    assert len(raw.exchanges) == 1
    assert "Match it." in raw.exchanges[0].request["messages"][0]["content"]


def test_a_broken_endpoint_is_infrastructure(task, tmp_path):
    raw = direct(ModelAnswer(fault=ModelFault(503, "busy", True)), task, tmp_path)
    assert (raw.outcome, raw.reason, raw.answer) == ("infra_failed", "busy", None)


def test_a_request_that_the_model_cannot_take_is_the_configurations(task, tmp_path):
    raw = direct(ModelAnswer(fault=ModelFault(400, "too long", False)), task, tmp_path)
    assert (raw.outcome, raw.reason) == ("agent_failed", "the runtime answered HTTP 400")


def command(words, task, tmp_path, **more):
    files = {k: more.pop(k) for k in ("prompt_file", "answer_file") if k in more}
    called = Command(arguments=tuple(words), **files)
    return run(CommandHost(called, lambda _: task, **more), task, tmp_path)


def test_a_program_gets_the_prompt_and_gives_the_answer(task, tmp_path):
    raw = command(["bash", "-c", "head -c 9; echo kept > out.txt"], task, tmp_path)
    assert (raw.outcome, raw.answer) == ("completed", "Match it.")
    assert [e.path for e in raw.after.entries] == ["out.txt"]
    assert raw.file_changes[0]["change"] == "created"


@pytest.mark.parametrize(
    ("script", "outcome", "reason"),
    [
        ("exit 3", "agent_failed", "exit code 3"),
        ("exec /no/such/program", "infra_failed", "the program did not run: exit code 127"),
        ("kill -9 $$", "agent_failed", "exit code -9"),
    ],
)
def test_how_a_program_ends_decides_the_outcome(script, outcome, reason, task, tmp_path):
    raw = command(["bash", "-c", script], task, tmp_path)
    assert (raw.outcome, raw.reason) == (outcome, reason)


def test_a_program_that_is_missing_is_infrastructure(task, tmp_path):
    assert command(["/no/such/program"], task, tmp_path).outcome == "infra_failed"


def test_a_program_sees_nothing_of_our_environment(task, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_OF_OURS", "x")
    raw = command(["env"], task, tmp_path, pass_on={"AGENT_KEY": "key-of-the-agent"})
    names = {line.split("=")[0] for line in raw.answer.splitlines()}
    assert "SECRET_OF_OURS" not in names
    assert {"AGENT_KEY", "CLAWPRO_TRIAL"} <= names
    assert raw.secrets == ("key-of-the-agent",)


def test_a_program_may_ask_the_boundary(task, tmp_path):
    body = json.dumps({"messages": [{"role": "user", "content": "x"}]})
    script = (
        "curl -s --unix-socket $CLAWPRO_MODEL_SOCKET http://m/v1/chat/completions "
        f"-d '{body}' | grep -o 'from the model'"
    )
    raw = command(["bash", "-c", script], task, tmp_path,
                  model_for=lambda *_: Parrot(ModelAnswer(text="from the model")))  # fmt: skip
    assert (raw.outcome, raw.answer.strip(), len(raw.exchanges)) == (
        "completed", "from the model", 1)  # fmt: skip


def test_prompt_and_answer_may_be_files(task, tmp_path):
    script = "mkdir out; head -c 9 in/prompt.txt > out/answer.json; echo noise"
    raw = command(["bash", "-c", script], task, tmp_path,
                  prompt_file="in/prompt.txt", answer_file="out/answer.json")  # fmt: skip
    assert (raw.outcome, raw.answer) == ("completed", "Match it.")


@pytest.mark.parametrize("script", ["true", "mkdir answer.json", "ln -s /etc/passwd answer.json"])
def test_a_program_that_leaves_no_answer_file_has_given_none(script, task, tmp_path):
    raw = command(["bash", "-c", script], task, tmp_path, answer_file="answer.json")
    assert (raw.outcome, raw.answer) == ("completed", None)
