"""boundary: every request and answer is kept, limits hold, strangers are told apart."""

from __future__ import annotations

import http.client
import json
import socket
import time

import pytest

from clawpro_artifact.adapters import unixhttp
from clawpro_artifact.adapters.boundary import BoundaryServer, Recorder
from clawpro_artifact.adapters.boundary.server import _Handler
from clawpro_artifact.adapters.models.answer import ModelAnswer, ModelCall, ModelFault
from clawpro_artifact.adapters.unixhttp import UnixConnection
from clawpro_artifact.errors import InfraError
from clawpro_artifact.model.manifest import Limits

LIMITS = Limits(wall_seconds=60, requests=3, output_tokens=100)


class Parrot:
    """Says what it is given, one answer after the other."""

    name = "parrot"
    secrets = ()

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def answer(self, request, conversation, position):
        self.asked.append((conversation, position))
        return self.answers.pop(0) if self.answers else ModelAnswer(text="done")


def user(*texts):
    return {"model": "m", "messages": [{"role": "user", "content": t} for t in texts]}


@pytest.fixture
def server(tmp_path):
    found = BoundaryServer(tmp_path / "m.sock")
    yield found
    found.close()


def ask(server, request):
    return unixhttp.post(server.socket, "/v1/chat/completions", request, {}, 10)


def test_every_request_and_answer_is_kept_whole(server):
    server.begin(Recorder(Parrot(ModelAnswer(text="one")), LIMITS))
    request = {**user("hello"), "tools": [{"type": "function"}], "temperature": 0.5}
    status, value = ask(server, request)
    rows = server.end().exchanges
    assert (status, value["choices"][0]["message"]["content"]) == (200, "one")
    assert rows[0].request == request
    assert rows[0].response["text"] == "one"
    assert rows[0].ended_ms >= rows[0].started_ms >= 0


def test_a_stream_ends_with_finish_usage_and_done(server):
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    calls = (ModelCall("c1", "exec", '{"command": "ls"}'),)
    server.begin(Recorder(Parrot(ModelAnswer("", calls, "tool_calls", usage)), LIMITS))
    connection = UnixConnection(server.socket, 10)
    connection.request("POST", "/v1/chat/completions", json.dumps(user("x") | {"stream": True}))
    lines = connection.getresponse().read().decode().split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]
    assert chunks[1]["choices"][0]["delta"]["tool_calls"][0]["function"]["name"] == "exec"
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"
    assert chunks[-1]["usage"] == usage


def test_past_the_request_limit_the_model_is_not_asked(server):
    parrot = Parrot(*(ModelAnswer(calls=(ModelCall(f"c{i}", "x", "{}"),)) for i in range(9)))
    server.begin(Recorder(parrot, LIMITS))
    for i in range(5):
        ask(server, user(*["again"] * (i + 1)))
    boundary = server.end()
    assert len(parrot.asked) == 3
    assert boundary.limits == ({"limit": "requests", "value": 3},)
    assert [e.error for e in boundary.exchanges] == [None, None, None, "limit", "limit"]


def test_the_output_token_limit_counts_over_answers(server):
    big = ModelAnswer(text="x", usage={"completion_tokens": 60})
    server.begin(Recorder(Parrot(big, big, big), LIMITS))
    for i in range(3):
        ask(server, user(*["a"] * (i + 1)))
    assert server.end().limits == ({"limit": "output_tokens", "value": 100},)


def test_a_request_that_continues_no_conversation_is_flagged(server):
    server.begin(Recorder(Parrot(), LIMITS))
    ask(server, user("the task"))
    ask(server, user("something the agent's own code asks"))
    rows = server.end().exchanges
    assert [(e.conversation, e.continues) for e in rows] == [("main", True), ("sub-1", False)]


def test_a_spawned_child_is_a_conversation_of_its_own(server):
    spawn = ModelAnswer(calls=(ModelCall("c1", "sessions_spawn", '{"task": "t"}'),))
    server.begin(Recorder(Parrot(spawn), LIMITS))
    ask(server, user("the task"))
    ask(server, user("[Subagent Task] t"))
    rows = server.end().exchanges
    assert [(e.conversation, e.continues) for e in rows] == [("main", True), ("sub-1", True)]


def test_a_repeated_request_gets_the_same_step_again(server):
    parrot = Parrot()
    server.begin(Recorder(parrot, LIMITS))
    ask(server, user("the task"))
    ask(server, user("the task"))
    server.end()
    assert parrot.asked == [("main", 0), ("main", 0)]


def test_a_fault_of_the_endpoint_is_infrastructure(server):
    parrot = Parrot(ModelAnswer(fault=ModelFault(503, "busy", True)))
    server.begin(Recorder(parrot, LIMITS))
    status, value = ask(server, user("x"))
    boundary = server.end()
    assert (status, value["error"]["message"]) == (503, "busy")
    assert boundary.faults == ("busy",)
    assert boundary.exchanges[0].response is None


def test_a_bug_in_the_model_is_never_the_agents_doing(server):
    class Broken(Parrot):
        def answer(self, request, conversation, position):
            raise KeyError("oops")

    server.begin(Recorder(Broken(), LIMITS))
    status, _ = ask(server, user("x"))
    assert status == 500
    assert server.end().faults == ("KeyError: 'oops'",)


def test_a_runtime_that_hangs_up_is_on_record(server):
    class Slow(Parrot):
        def answer(self, request, conversation, position):
            client.close()
            return ModelAnswer(text="x" * 4_000_000)

    recorder = Recorder(Slow(), LIMITS)
    server.begin(recorder)
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(server.socket))
    body = json.dumps(user("x")).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n"
    client.sendall(head.encode() + body)
    for _ in range(200):
        if recorder.close().faults:
            break
        time.sleep(0.02)
    assert server.end().faults[0].startswith("connection dropped")


def test_between_trials_nobody_is_served(server):
    status, _ = ask(server, user("x"))
    assert status == 503
    assert server.strays == 1


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b""])
def test_what_is_no_json_object_is_refused(server, body):
    server.begin(Recorder(Parrot(), LIMITS))
    connection = UnixConnection(server.socket, 10)
    connection.request("POST", "/v1/chat/completions", body)
    assert connection.getresponse().status == 400
    assert server.end().exchanges == ()


def test_the_model_list_names_the_model(server):
    server.begin(Recorder(Parrot(), LIMITS))
    connection = UnixConnection(server.socket, 10)
    connection.request("GET", "/v1/models")
    response: http.client.HTTPResponse = connection.getresponse()
    assert json.loads(response.read())["data"][0]["id"] == "parrot"


def test_a_socket_path_that_is_too_long_is_refused(tmp_path):
    with pytest.raises(InfraError, match="too long"):
        BoundaryServer(tmp_path / ("x" * 120))


def test_a_runtime_that_hangs_up_at_done_has_dropped_nothing(tmp_path, monkeypatch):
    class Gone:
        """The peer is gone as soon as it has read [DONE]."""

        def __init__(self, file):
            self.file, self.done = file, False

        def write(self, data):
            if self.done:
                raise BrokenPipeError
            self.done = b"[DONE]" in data
            return self.file.write(data)

        def __getattr__(self, name):
            return getattr(self.file, name)

    plain = _Handler.setup

    def setup(handler):
        plain(handler)
        handler.wfile = Gone(handler.wfile)

    monkeypatch.setattr(_Handler, "setup", setup)
    server = BoundaryServer(tmp_path / "m.sock")
    server.begin(Recorder(Parrot(ModelAnswer(text="all of it")), LIMITS))
    try:
        connection = UnixConnection(server.socket, 5)
        connection.request("POST", "/v1/chat/completions", json.dumps({"stream": True, **user()}))
        assert b"all of it" in connection.getresponse().read()
        assert server.end().faults == ()
    finally:
        server.close()
