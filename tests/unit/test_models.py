"""models: a script plays its steps, a cassette its record, an endpoint is asked with patience."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from clawpro_artifact.adapters.models.endpoint import EndpointModel, retry_after
from clawpro_artifact.adapters.models.policy import ScriptedModel
from clawpro_artifact.adapters.models.replay import ReplayModel
from clawpro_artifact.adapters.runtimes.tools import ToolNames
from clawpro_artifact.model.manifest import Decoding
from clawpro_artifact.model.scenario import Policy
from clawpro_artifact.model.trace import Exchange


def policy(steps, **more):
    document = {"format": "clawpro.policy.v1", "steps": steps, **more}
    return Policy.model_validate_json(json.dumps(document))


def scripted(steps, version="2026.9.6", fill=lambda t: t, **more):
    return ScriptedModel("scripted-x", policy(steps, **more), fill, ToolNames(version).to_runtime)


def call(tool, **arguments):
    return {"calls": [{"tool": tool, "arguments": arguments}]}


def said(*results):
    rows = [{"role": "user", "content": "task"}]
    rows += [{"role": "tool", "tool_call_id": f"c{i}", "content": r} for i, r in enumerate(results)]
    return {"messages": rows}


@pytest.mark.parametrize(
    ("version", "name"), [("2026.6.11", "cron"), ("2026.8.2", "automations"),
                          ("2026.9.6", "automations")],
)  # fmt: skip
def test_a_neutral_tool_gets_the_name_of_the_version(version, name):
    model = scripted([call("schedule", action="list")], version)
    assert model.answer(said(), "main", 0).calls[0].name == name


def test_a_tool_call_comes_back_neutral():
    names = ToolNames("2026.9.6")
    for tool, arguments in [
        ("edit", {"path": "a", "old": "x", "new": "y"}),
        ("schedule", {"action": "remove", "id": "j1"}),
        ("exec", {"command": "ls"}),
    ]:
        assert names.to_neutral(*names.to_runtime(tool, arguments)) == (tool, arguments)


def test_a_step_quotes_an_earlier_result_by_pointer():
    steps = [call("exec", command="x"), call("exec", command="kill {{result:0:/jobs/1/id}}")]
    answer = scripted(steps).answer(said('[exit 0] {"jobs": [{"id": 7}, {"id": "b9"}]}'), "main", 1)
    assert json.loads(answer.calls[0].arguments) == {"command": "kill b9"}


def test_a_missing_result_is_a_fault_and_not_a_guess():
    answer = scripted([call("exec", command="{{result:3}}")]).answer(said("one"), "main", 0)
    assert answer.fault.infrastructure
    assert "result 3 is not there yet" in answer.fault.message


def test_after_its_last_step_a_script_says_nothing():
    answer = scripted([{"text": "bye"}]).answer(said(), "main", 1)
    assert (answer.text, answer.calls, answer.finish) == ("", (), "stop")


def test_a_child_plays_the_steps_of_its_marker():
    model = scripted([{"text": "parent"}], subagents={"count the boxes": [{"text": "nine"}]})
    request = {"messages": [{"role": "user", "content": "[Subagent Task] count the boxes, please"}]}
    assert model.answer(request, "sub-1", 0).text == "nine"


def test_canaries_are_filled_in():
    model = scripted(
        [{"text": "code {{canary:door}}"}], fill=lambda t: t.replace("{{canary:door}}", "k")
    )
    assert model.answer(said(), "main", 0).text == "code k"


def exchange(number, request, text, conversation="main"):
    response = {"text": text, "calls": [], "finish": "stop", "usage": None, "model": "m"}
    return Exchange(number=number, conversation=conversation, request=request, response=response,
                    status=200, started_ms=0, ended_ms=1, continues=True)  # fmt: skip


def test_a_replay_answers_as_recorded_and_past_its_end_with_nothing():
    rows = [exchange(0, said(), "a"), exchange(1, said("r"), "b")]
    model = ReplayModel(rows, "gpt")
    answers = [model.answer(said(), "main", n).text for n in range(3)]
    assert answers == ["a", "b", ""]
    assert model.name == "gpt"


def test_a_request_asked_twice_is_answered_as_it_was_the_last_time():
    rows = [exchange(0, said("x"), "broken"), exchange(1, said("x"), "whole")]
    assert ReplayModel(rows, "gpt").answer(said("x"), "main", 0).text == "whole"


def test_markers_become_the_values_of_this_trial_again():
    rows = [exchange(0, said(), "it is [[canary:pin]], [[canary:pin:hex]], [[redacted:x]]")]
    model = ReplayModel(rows, "gpt", {"pin": "abc"})
    assert model.answer(said(), "main", 0).text == "it is abc, 616263, [[redacted:x]]"


OLD, NEW = "11111111-2222-3333-4444-555555555555", "99999999-8888-7777-6666-555555555555"


def test_a_name_that_the_runtime_gave_anew_is_passed_back_as_it_is_now():
    rows = [exchange(0, said(), "a"), exchange(1, said(f"made {OLD}"), f"remove {OLD}")]
    model = ReplayModel(rows, "gpt")
    model.answer(said(), "main", 0)
    assert model.answer(said(f"made {NEW}"), "main", 1).text == f"remove {NEW}"
    known = ReplayModel([exchange(0, said(), f"remove {OLD}")], "gpt", {}, {OLD: NEW})
    assert known.answer(said(), "main", 0).text == f"remove {NEW}"


class Endpoint:
    """A real HTTP server that answers from a list of (status, headers, document)."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                size = int(self.headers["content-length"])
                outer.asked.append((dict(self.headers), json.loads(self.rfile.read(size))))
                status, headers, value = outer.answers.pop(0)
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                for name, text in headers.items():
                    self.send_header(name, text)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def model(self, **changes):
        self.slept = []
        return EndpointModel(self.url, "m-1", "sekret-key-1", sleep=self.slept.append, **changes)


@pytest.fixture
def endpoint():
    made = []

    def make(*answers):
        made.append(Endpoint(*answers))
        return made[-1]

    yield make
    for e in made:
        e.server.shutdown()
        e.server.server_close()


def completion(message=None, finish="stop"):
    choice = {"message": message or {"content": "hi"}, "finish_reason": finish}
    return {"model": "m-1-2026", "system_fingerprint": "fp_1", "choices": [choice],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2}}  # fmt: skip


def test_a_busy_endpoint_is_asked_again_when_it_says(endpoint):
    e = endpoint((429, {"retry-after": "7"}, {}), (503, {}, {}), (200, {}, completion()))
    answer = e.model().answer(said(), "main", 0)
    assert (answer.text, answer.model, e.slept) == ("hi", "m-1-2026", [7.0, 2.0])
    assert [r["status"] for r in answer.about["retries"]] == [429, 503]
    assert answer.about["fingerprint"] == "fp_1"


def test_an_endpoint_that_stays_busy_is_infrastructure(endpoint):
    fault = endpoint(*[(500, {}, {})] * 6).model().answer(said(), "main", 0).fault
    assert (fault.status, fault.infrastructure) == (500, True)


def test_a_wrong_key_is_infrastructure_and_is_not_shown(endpoint):
    e = endpoint((401, {}, {"error": "Incorrect API key provided: sekret-key-1"}))
    fault = e.model().answer(said(), "main", 0).fault
    assert fault.infrastructure
    assert "sekret-key-1" not in fault.message


def test_a_refused_request_is_the_configurations_doing(endpoint):
    fault = endpoint((400, {}, {"error": "context length"})).model().answer(said(), "main", 0).fault
    assert (fault.status, fault.infrastructure) == (400, False)


@pytest.mark.parametrize("value", [b"<html>", {}, {"choices": []}, {"choices": [{"message": 3}]}])
def test_an_answer_of_another_shape_is_infrastructure(endpoint, value):
    fault = endpoint(*[(200, {}, value)] * 6).model().answer(said(), "main", 0).fault
    assert fault.infrastructure


def test_nobody_listening_is_infrastructure():
    model = EndpointModel("http://127.0.0.1:9/v1", "m", sleep=lambda s: None)
    assert model.answer(said(), "main", 0).fault.infrastructure


def test_decoding_is_sent_and_transport_is_not(endpoint):
    e = endpoint((200, {}, completion()))
    request = said() | {"stream": True, "temperature": 1, "tools": [1], "model": "model"}
    e.model(decoding=Decoding(temperature="0.2", seed=5)).answer(request, "main", 0)
    headers, body = e.asked[0]
    assert headers["authorization"] == "Bearer sekret-key-1"
    assert body == {"messages": said()["messages"], "tools": [1], "model": "m-1",
                    "temperature": 0.2, "seed": 5}  # fmt: skip


@pytest.mark.parametrize(("text", "seconds"), [("12", 12.0), ("-3", 0.0), ("soon", None),
                                               ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)])  # fmt: skip
def test_retry_after_is_a_count_or_a_date(text, seconds):
    assert retry_after({"retry-after": text}) == seconds
