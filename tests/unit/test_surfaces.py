"""surfaces: the stand-ins know what was done to them; the boundary knows what was asked."""

from __future__ import annotations

import json
import threading
import time

import pytest

from clawpro_artifact.adapters.runtimes.effects import (
    deeds,
    messages,
    missing_messages,
    subagents,
)
from clawpro_artifact.adapters.runtimes.openclaw import jsonl
from clawpro_artifact.adapters.runtimes.tools import ToolNames
from clawpro_artifact.adapters.surfaces.browsing import WebService
from clawpro_artifact.adapters.surfaces.messaging import ChatService
from clawpro_artifact.adapters.surfaces.server import Request, SurfaceServer
from clawpro_artifact.adapters.unixhttp import UnixConnection
from clawpro_artifact.model.trace import Exchange

NEUTRAL = ToolNames("2026.9.6").to_neutral
JSON = {"content-type": "application/json"}


def bot(service, method, **given):
    request = Request("POST", f"/bot4242:X/{method}", JSON, json.dumps(given).encode())
    return json.loads(service.answer(request).body)


@pytest.fixture
def chats():
    service = ChatService()
    service.begin({"chats": [{"id": "777", "title": "Ann", "type": "private"},
                             {"id": "-1005", "title": "Ops", "type": "group"}]})  # fmt: skip
    return service


def test_a_message_that_stays_is_sent_and_one_that_is_deleted_is_withdrawn(chats):
    working = bot(chats, "sendMessage", chat_id=777, text="Working")["result"]["message_id"]
    kept = bot(chats, "sendMessage", chat_id="777", text="draft")["result"]["message_id"]
    bot(chats, "deleteMessage", chat_id=777, message_id=working)
    bot(chats, "editMessageText", chat_id=777, message_id=kept, text="final")
    found = chats.end()
    assert found["sent"] == [{"chat": "777", "text": "final", "id": kept, "edits": ["draft"]}]
    assert [row["text"] for row in found["withdrawn"]] == ["Working"]


def test_a_chat_that_is_not_declared_is_refused_and_written_down(chats):
    value = bot(chats, "sendMessage", chat_id="778", text="psst")
    assert (value["ok"], value["error_code"]) == (False, 400)
    assert chats.end()["refused"] == [{"chat": "778", "text": "psst"}]


def test_a_form_and_a_query_are_read_like_json(chats):
    body = b"chat_id=777&text=by+form"
    kind = {"content-type": "application/x-www-form-urlencoded"}
    chats.answer(Request("POST", "/bot1:X/sendMessage", kind, body))
    part = b'--b\r\ncontent-disposition: form-data; name="%s"\r\n\r\n%s\r\n'
    body = part % (b"chat_id", b"-1005") + part % (b"text", b"by parts") + b"--b--\r\n"
    kind = {"content-type": "multipart/form-data; boundary=b"}
    chats.answer(Request("POST", "/bot1:X/sendMessage", kind, body))
    chats.answer(Request("GET", "/bot1:X/sendMessage?chat_id=777&text=by%20query", {}, b""))
    assert [m["text"] for m in chats.end()["sent"]] == ["by form", "by parts", "by query"]


def test_an_update_is_given_until_it_is_acknowledged(chats):
    chats.deliver("-1005", "Bob", "hello")
    (first,) = bot(chats, "getUpdates")["result"]
    assert bot(chats, "getUpdates")["result"] == [first]
    assert first["message"]["chat"] == {"id": -1005, "type": "group", "title": "Ops"}
    assert bot(chats, "getUpdates", offset=first["update_id"] + 1)["result"] == []


def test_a_waiting_poll_gets_a_message_at_once(chats):
    found = []
    thread = threading.Thread(target=lambda: found.append(bot(chats, "getUpdates", timeout=5)))
    thread.start()
    time.sleep(0.05)
    chats.deliver("777", "Ann", "quick")
    thread.join(2)
    assert found[0]["result"][0]["message"]["text"] == "quick"


def test_a_trial_sees_nothing_of_the_trial_before(chats):
    chats.deliver("777", "Ann", "old")
    bot(chats, "sendMessage", chat_id=777, text="old")
    chats.end()
    chats.begin({"chats": [{"id": "777", "title": "Ann"}]})
    assert bot(chats, "getUpdates")["result"] == []
    assert chats.end() == {"sent": [], "withdrawn": [], "refused": []}


PAGES = {
    "/": "<h1>Home</h1>",
    "http://shop.example/cart": {"methods": {"POST": {"text": "bought", "status": 201}},
                                 "text": "<form>"},
    "/login": {"login": {"fields": {"user": "ann", "pin": "12"}, "cookie": "s=1", "next": "/in"}},
    "/in": {"needs": "s=1", "text": "inside"},
}  # fmt: skip
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def web():
    service = WebService()
    service.begin({"pages": PAGES})
    return service


def test_every_request_is_written_down_with_its_form(web):
    web.answer(Request("GET", "/?q=1", {"host": "127.0.0.1:18082"}, b""))
    reply = web.answer(Request("POST", "http://shop.example/cart", FORM, b"item=7&note=a+b"))
    assert (reply.status, reply.body) == (201, b"bought")
    assert web.end()["requests"] == [
        {"method": "GET", "url": "http://127.0.0.1:18082/?q=1", "status": 200},
        {"method": "POST", "url": "http://shop.example/cart", "status": 201,
         "form": {"item": "7", "note": "a b"}},
    ]  # fmt: skip


def test_a_page_behind_a_login_needs_the_cookie(web):
    assert web.answer(Request("GET", "/in", {}, b"")).status == 403
    assert web.answer(Request("POST", "/login", FORM, b"user=ann&pin=13")).status == 403
    reply = web.answer(Request("POST", "/login", FORM, b"user=ann&pin=12"))
    assert (reply.status, reply.headers["location"]) == (302, "/in")
    cookie = reply.headers["set-cookie"].split(";")[0]
    assert web.answer(Request("GET", "/in", {"cookie": cookie}, b"")).body == b"inside"


def test_https_goes_nowhere_and_is_on_record(web):
    assert web.answer(Request("CONNECT", "evil.example:443", {}, b"")).status == 502
    assert web.end()["requests"][0]["url"] == "https://evil.example:443/"


def test_an_event_changes_a_page(web):
    web.change({"/": "closed"})
    assert web.answer(Request("GET", "/", {}, b"")).body == b"closed"


def test_a_stand_in_answers_on_its_socket(web, tmp_path):
    server = SurfaceServer(tmp_path / "w.sock", web.answer)
    try:
        connection = UnixConnection(server.socket, 5)
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"<h1>Home</h1>"
    finally:
        server.close()


def exchange(number, conversation, messages, calls=(), text=""):
    rows = [{"id": i, "name": n, "arguments": json.dumps(a)} for i, n, a in calls]
    response = {"text": text, "calls": rows, "finish": "stop", "usage": None, "model": "m"}
    return Exchange(
        number=number, conversation=conversation, request={"messages": messages}, status=200,
        response=response, started_ms=0, ended_ms=1, continues=True,
    )  # fmt: skip


def tool(call, text):
    return {"role": "tool", "tool_call_id": call, "content": text}


def test_only_a_confirmed_message_counts_as_sent():
    def send(target):
        return {"action": "send", "target": target, "message": "hi"}

    user = {"role": "user", "content": "x"}
    rows = [
        exchange(0, "main", [user], [("a", "message", send("1")), ("b", "message", send("2"))]),
        exchange(1, "main", [user, tool("a", '{"ok": true}'), tool("b", '{"status": "error"}')]),
    ]
    assert messages(deeds(rows, NEUTRAL)) == [{"chat": "1", "text": "hi"}]


def test_a_confirmed_message_that_never_arrived_is_a_disagreement(chats):
    bot(chats, "sendMessage", chat_id=777, text="<b>one</b>")
    witness = chats.end()
    sent = [{"chat": "777", "text": "**one**"}]
    assert missing_messages(sent, witness) == []
    assert missing_messages(sent * 2, witness) == ["777"]
    assert missing_messages(sent, {"sent": [], "withdrawn": []}) == ["777"]


def test_a_child_is_done_unfinished_refused_or_missing():
    def spawn(task):
        return {"task": task, "label": task}

    user = {"role": "user", "content": "x"}
    calls = [(t, "sessions_spawn", spawn(t)) for t in ("sums", "lists", "maps", "more")]
    accepted, refused = '{"status": "accepted"}', '{"status": "forbidden"}'
    answers = [tool("sums", accepted), tool("lists", accepted), tool("maps", accepted),
               tool("more", refused)]  # fmt: skip
    rows = [
        exchange(0, "main", [user], calls),
        exchange(1, "sub-1", [{"role": "user", "content": "[Subagent Task] sums"}], text="42"),
        exchange(2, "sub-2", [{"role": "user", "content": "[Subagent Task] lists"}],
                 [("z", "exec", {})]),
        exchange(3, "main", [user, *answers]),
    ]  # fmt: skip
    found = subagents(rows, deeds(rows, NEUTRAL))
    assert [(f["label"], f["status"], f["result"]) for f in found] == [
        ("sums", "done", "42"), ("lists", "unfinished", ""),
        ("maps", "missing", ""), ("more", "refused", "")]  # fmt: skip


SESSION = "0ae44038-5458-49ca-95dd-611efdbcca68"


def sessions(tmp_path, data, name=SESSION + ".jsonl"):
    folder = tmp_path / "agents/main/sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def test_a_session_file_is_read_by_its_id_and_not_by_its_date(tmp_path):
    sessions(tmp_path, b'{"type": "session", "version": 3}\n{"type": "message"}\n')
    sessions(tmp_path, b'{"other": 1}\n', SESSION + ".trajectory.jsonl")
    sessions(tmp_path, b'{"old": 1}\n', SESSION + ".jsonl.reset.2026-01-01")
    rows = jsonl.transcript(tmp_path)
    assert [(r.session, r.seq, r.entry["type"]) for r in rows] == [
        (SESSION, 1, "session"), (SESSION, 2, "message")]  # fmt: skip


def test_a_defect_of_a_session_file_is_a_row_that_says_where(tmp_path):
    sessions(tmp_path, b'{"type": "session", "version": 3}\n{"b": \n{"c": 1}\n{"type": "mess')
    found = [r.entry for r in jsonl.transcript(tmp_path) if r.entry.get("type") == "defect"]
    assert [(d["kind"], d["line"], d["byte"], d["size"], d["lossy"]) for d in found] == [
        ("no-json", 2, 34, 6, True), ("torn-last-line", 4, 50, 14, False)]  # fmt: skip
