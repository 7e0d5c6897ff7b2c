"""OpenClaw behind its gateway, on the real image: surfaces, limits, and what a trial leaves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clawpro_artifact.adapters.models.answer import ModelAnswer, ModelCall, ModelFault
from clawpro_artifact.model.manifest import Limits
from tests.container.trials import Bench, call, results, say

pytestmark = pytest.mark.container
VERSION = "2026.9.6"
SURFACES = ("memory", "messaging", "scheduling", "skills", "subagents")
CHATS = {"chats": [{"id": "777", "title": "Ann Arbor", "type": "private"},
                   {"id": "-1005", "title": "Ops", "type": "group"}]}  # fmt: skip


def job(name: str) -> dict[str, object]:
    schedule = {"kind": "cron", "expr": "0 6 * * *", "tz": "UTC"}
    payload = {"kind": "agentTurn", "message": name}
    return {"name": name, "schedule": schedule, "sessionTarget": "isolated", "payload": payload}


@pytest.fixture(scope="module")
def warm(engine, image, tmp_path_factory) -> Iterator[Bench]:
    bench = Bench(engine, image.tag, VERSION, SURFACES, "warm", tmp_path_factory.mktemp("warm"))
    yield bench
    print("recycled:", bench.host.recycled)
    bench.host.close()


def test_a_workspace_trial_leaves_files_changes_and_a_transcript(warm):
    raw = warm.play(
        call("read", path="in.txt"),
        call("write", path="out/a.txt", content="one\n"),
        call("edit", path="out/a.txt", old="one", new="two"),
        call("exec", command="cat out/a.txt; exit 3"),
        say("finished"),
        files={"workspace/in.txt": "hello\n"},
    )
    assert (raw.outcome, raw.answer, raw.faults) == ("completed", "finished", ())
    assert results(raw)[0] == "hello\n"
    assert "two" in results(raw)[3]
    assert [c["path"] for c in raw.file_changes] == ["out/a.txt", "out/a.txt"]
    assert {e.path for e in raw.after.entries} == {"in.txt", "out", "out/a.txt"}
    kinds = [r.entry.get("message", {}).get("role") for r in raw.transcript]
    assert kinds.count("toolResult") == 4


def test_a_seeded_note_is_found_by_memory_search(warm):
    raw = warm.play(
        call("memory_search", query="harbour badge"),
        say("ok"),
        files={"workspace/memory/2026-03-01.md": "# 2026-03-01\nThe harbour badge is with Ida.\n"},
    )
    assert "The harbour badge is with Ida" in results(raw)[0]
    assert raw.stores["memory"]["notes"]["memory/2026-03-01.md"].endswith("with Ida.\n")


def test_an_automation_stands_in_the_runtimes_store(warm):
    raw = warm.play(call("schedule", action="add", job=job("check tide")), say("set"))
    (found,) = raw.stores["scheduling"]["jobs"]
    assert (found["name"], found["schedule"]["expr"]) == ("check tide", "0 6 * * *")


def test_a_message_is_seen_by_two_witnesses(warm):
    raw = warm.play(
        call("message", action="send", channel="telegram", target="777", message="Tide at 6"),
        call("message", action="send", channel="telegram", target="999", message="lost"),
        say("sent"),
        surfaces={"messaging": CHATS},
    )
    assert raw.stores["messaging"]["sent"] == [{"chat": "777", "text": "Tide at 6"}]
    (seen,) = raw.stores["messaging_witness"]["sent"]
    assert (seen["chat"], seen["text"]) == ("777", "Tide at 6")
    assert raw.stores["messaging_witness"]["refused"] == [{"chat": "999", "text": "lost"}]


def test_a_message_to_the_agent_begins_the_next_turn_of_the_same_conversation(warm):
    raw = warm.play(
        call("exec", command="echo working"),
        say("task done"),
        say("Yes, Ann."),
        surfaces={"messaging": CHATS},
        events=[{"id": "ann-asks", "trigger": {"after_tool_calls": 1},
                 "effect": {"message": "Are you there?", "chat": "777", "from": "Ann"}}],
    )  # fmt: skip
    assert (raw.outcome, {e.conversation for e in raw.exchanges}) == ("completed", {"main"})
    assert all(e.continues for e in raw.exchanges)
    assert "Are you there?" in str(raw.exchanges[-1].request["messages"])
    assert [m["text"] for m in raw.stores["messaging_witness"]["sent"]] == ["Yes, Ann."]


def test_a_warm_host_serves_on_after_messages(warm):
    before = len(warm.host.recycled)
    send = call("message", action="send", channel="telegram", target="777", message="hello")
    raw = warm.play(send, say("sent"), surfaces={"messaging": CHATS})
    assert (raw.outcome, len(warm.host.recycled)) == ("completed", before)


def test_a_childs_result_comes_back_and_the_parent_goes_on(warm):
    raw = warm.play(
        call("spawn", task="COUNT the boxes", label="counter"),
        call("yield"),
        say("nine boxes, says the child"),
        subagents={"COUNT": [call("exec", command="sleep 1; echo 9"), say("nine")]},
    )
    assert raw.answer == "nine boxes, says the child"
    assert raw.stores["subagents"]["runs"] == [
        {"label": "counter", "task": "COUNT the boxes", "status": "done", "result": "nine"}
    ]
    assert {e.conversation for e in raw.exchanges} == {"main", "sub-1"}
    assert all(e.continues for e in raw.exchanges)


def test_a_workspace_skill_is_offered_by_name(warm):
    skill = "---\nname: tide-tables\ndescription: How to read our tide tables.\n---\nRead twice.\n"
    raw = warm.play(
        call("read", path="skills/tide-tables/SKILL.md"),
        say("ok"),
        files={"workspace/skills/tide-tables/SKILL.md": skill},
    )
    assert "How to read our tide tables." in str(raw.exchanges[0].request["messages"])
    assert "Read twice." in results(raw)[0]


def test_a_looping_model_is_stopped_at_the_limit(warm):
    class Loop:
        name, secrets = "scripted-loop", ()

        def answer(self, request, conversation, position):
            arguments = f'{{"command": "echo {position}"}}'
            return ModelAnswer(calls=(ModelCall(f"c{position}", "exec", arguments),),
                               finish="tool_calls")  # fmt: skip

    limits = Limits(wall_seconds=60, requests=5, output_tokens=1000)
    raw = warm.play(model=Loop(), limits=limits)
    assert (raw.outcome, raw.reason) == ("timed_out", "limit: requests")
    assert sum(e.error is None for e in raw.exchanges) == 5


def test_a_broken_endpoint_is_infrastructure(warm):
    class Broken:
        name, secrets = "broken", ()

        def answer(self, request, conversation, position):
            return ModelAnswer(fault=ModelFault(401, "no such key", True))

    raw = warm.play(model=Broken())
    assert (raw.outcome, raw.reason) == ("infra_failed", "no such key")


def test_code_that_asks_the_model_by_itself_is_flagged(warm):
    body = '{"messages":[{"role":"user","content":"psst"}]}'
    raw = warm.play(
        call("exec", command=f"curl -s -d '{body}' http://127.0.0.1:18080/v1/chat/completions"),
        say("ok"),
    )
    assert [(e.conversation, e.continues) for e in raw.exchanges] == [
        ("main", True), ("sub-1", False), ("main", True)]  # fmt: skip


def test_there_is_no_network(warm):
    raw = warm.play(
        call("exec", command="curl -sS -m 3 http://192.0.2.1/ ; cat /proc/net/dev | tail -n +3"),
        say("ok"),
    )
    assert "Failed to connect" in results(raw)[0] or "Couldn't connect" in results(raw)[0]
    assert [line.split(":")[0].strip() for line in results(raw)[0].splitlines() if ":" in line][
        -1
    ] == "lo"


LEAVE = (
    "mkdir -p ~/.config /tmp/d memory skills/x; for f in ~/.bashrc ~/.config/a /tmp/d/b "
    "/tmp/openclaw/c memory/note.md skills/x/SKILL.md $OPENCLAW_STATE_DIR/left "
    "$OPENCLAW_STATE_DIR/agents/main/left /dev/shm/z; do echo LEFT-{{canary:mark}} > $f; done; "
    "(setsid sh -c 'while :; do echo {{canary:mark}} > /tmp/again; sleep 0.2; done' &) ; echo left"
)
LOOK = (
    "grep -rl LEFT- / --exclude-dir=proc --exclude-dir=sys 2>/dev/null; ls -A ~ /tmp/d /dev/shm; "
    "ps ax | grep -c again"
)


@pytest.mark.parametrize("isolation", ["warm", "container"])
def test_two_trials_never_see_each_other(isolation, warm, engine, image, tmp_path):
    bench = warm
    if isolation == "container":
        bench = Bench(engine, image.tag, VERSION, SURFACES, isolation, tmp_path)
    canaries = [{"name": "mark", "style": "token"}]
    try:
        first = bench.play(
            call("exec", command=LEAVE),
            call("schedule", action="add", job=job("LEFT-job {{canary:mark}}")),
            say("LEFT-said"),
            canaries=canaries,
        )  # fmt: skip
        assert first.outcome == "completed"
        before = len(bench.host.recycled)
        second = bench.play(
            call("exec", command=LOOK), call("schedule", action="list"),
            call("memory_search", query="LEFT"), call("sessions_list"), say("ok"),
        )  # fmt: skip
    finally:
        if bench is not warm:
            bench.host.close()
    assert second.outcome == "completed"
    assert "LEFT-" not in "".join(results(second)[0].splitlines(keepends=True))
    assert not any("LEFT-job" in text for text in results(second)[1:])
    assert "real-trial" not in results(second)[3]
    assert len(bench.host.recycled) - before in (0, 1)
