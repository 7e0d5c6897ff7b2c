"""Exports pass their peers' own validators; what is read back is what was written."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import jsonschema
import pytest
from atif import Trajectory
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.peers import Told, atif, everyeval, inspectlog, openclaw, otel
from clawpro_artifact.formats.transcripts import read_jsonl
from clawpro_artifact.model.trace import Event
from clawpro_artifact.pipeline import exchange

VECTORS = Path(__file__).parent.parent / "vectors" / "every-eval-ever"


def event(seq, kind, conversation="main", t_ms=None, **data):
    return Event(seq=seq, kind=kind, witness="boundary", conversation=conversation, t_ms=t_ms,
                 data=data)  # fmt: skip


PLAN = "sha256:" + "a" * 64
USAGE = {"prompt_tokens": 10, "completion_tokens": 4}
EVENTS = (
    event(0, "prompt", text="Tidy up."),
    event(1, "model_request", request=0, t_ms=5),
    event(2, "model_response", request=0, text="Looking.", finish="tool_calls", usage=USAGE,
          t_ms=9),
    event(3, "tool_call", call="a", tool="exec", arguments={"command": "ls"}, t_ms=9),
    event(4, "tool_result", call="a", tool="exec", status="error", exit_code=2, text="no",
          t_ms=12),
    event(5, "tool_call", call="b", tool="spawn", arguments={"task": "count"}, t_ms=13),
    event(6, "model_response", "sub-1", request=1, text="Three.", usage=None, t_ms=15),
    event(7, "tool_result", call="b", tool="spawn", status="ok", text="Three.", t_ms=16),
    event(8, "file_change", path="a.txt", change="created"),
    event(9, "model_response", request=2, text="Done.", finish="stop", usage=USAGE, t_ms=20),
)  # fmt: skip
TOLD = Told("c/s/1", "s", 1, "openclaw", "2026.9.6", "m-1", "endpoint", "2026-01-01T00:00:00Z", 25,
            "completed", "Done.", EVENTS, {"input_tokens": 20, "output_tokens": 8},
            {"score": 0.75, "strict": False, "breached": False})  # fmt: skip


def deeds(events):
    keys = ("text", "call", "arguments", "status", "exit_code")
    return [(e.kind, e.conversation, {k: e.data[k] for k in keys if k in e.data})
            for e in events if e.kind in ("prompt", "model_response", "tool_call", "tool_result")
            and e.conversation == "main"]  # fmt: skip


def test_a_trajectory_is_atif_1_8_by_its_own_model():
    made = atif.write(TOLD)
    parsed = Trajectory.model_validate(json.loads(json.dumps(made)))
    assert parsed.schema_version == "ATIF-v1.8"
    assert [t.trajectory_id for t in parsed.subagent_trajectories] == ["sub-1"]
    assert parsed.final_metrics.total_prompt_tokens == 20


def test_a_trajectory_read_back_tells_the_same_deeds():
    assert deeds(atif.read(atif.write(TOLD), "x")) == [
        *[d for d in deeds(EVENTS) if d[0] in ("prompt", "model_response")][:2],
        ("tool_call", "main", {"call": "a", "arguments": {"command": "ls"}}),
        ("tool_call", "main", {"call": "b", "arguments": {"task": "count"}}),
        ("tool_result", "main", {"call": "a", "status": "error", "exit_code": 2, "text": "no"}),
        ("tool_result", "main", {"call": "b", "status": "ok", "text": "Three."}),
        ("model_response", "main", {"text": "Done."}),
    ]  # fmt: skip


def otlp():
    made = otel.write(TOLD, "0.1.0")
    spans = json.loads(json.dumps(made))
    for span in spans["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for name in ("traceId", "spanId", "parentSpanId"):
            if name in span:  # OTLP/JSON has hex where protobuf's JSON has base64
                span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    return json_format.ParseDict(spans, ExportTraceServiceRequest())


def test_spans_are_otlp_by_its_own_schema():
    (resource,) = otlp().resource_spans
    spans = list(resource.scope_spans[0].spans)
    assert resource.schema_url == "https://opentelemetry.io/schemas/1.37.0"
    assert [s.name for s in spans] == [
        "invoke_agent openclaw", "chat m-1", "execute_tool exec", "execute_tool spawn", "chat m-1",
        "chat m-1"]  # fmt: skip
    assert {len(s.trace_id) for s in spans} == {16}
    assert {s.parent_span_id for s in spans[1:]} == {spans[0].span_id}
    assert spans[2].status.code == 2
    assert spans[1].end_time_unix_nano - spans[1].start_time_unix_nano == 4_000_000


def test_span_attributes_are_those_of_the_conventions():
    # opentelemetry-semantic-conventions, gen_ai attributes (development), as of 1.37.0.
    known = {"agent.name", "agent.version", "conversation.id", "operation.name", "output.messages",
             "provider.name", "request.model", "response.finish_reasons", "tool.call.arguments",
             "tool.call.id", "tool.call.result", "tool.name", "tool.type", "usage.input_tokens",
             "usage.output_tokens"}  # fmt: skip
    used = {a.key for s in otlp().resource_spans[0].scope_spans[0].spans for a in s.attributes}
    assert {k for k in used if k.startswith("gen_ai.")} == {f"gen_ai.{k}" for k in known}


def test_the_same_trial_gives_the_same_spans():
    assert otel.write(TOLD, "0.1.0") == otel.write(TOLD, "0.1.0")


def test_a_log_is_read_by_inspect_itself(tmp_path):
    logs = pytest.importorskip("inspect_ai.log")
    path = tmp_path / "log.json"
    path.write_text(json.dumps(inspectlog.write("t", PLAN, TOLD.started, [TOLD],
                                                {"mean": 0.75})))  # fmt: skip
    log = logs.read_eval_log(str(path))
    assert (log.status, log.samples[0].id, log.samples[0].epoch) == ("success", "s", 2)
    assert log.samples[0].scores["score"].value == 0.75
    assert log.results.scores[0].metrics["mean"].value == 0.75


def test_a_log_read_back_tells_the_same_deeds():
    made = inspectlog.write("t", PLAN, TOLD.started, [TOLD], {})
    (events,) = inspectlog.read(made, "x").values()
    kinds = [e.kind for e in events]
    assert sorted(kinds) == sorted(k for k, _, _ in deeds(EVENTS))
    assert events[-1].data["text"] == "Done."
    assert [e.data["status"] for e in events if e.kind == "tool_result"] == ["error", "ok"]


def suite():
    figure = {"n": 4, "estimator": "e", "interval": "Wilson", "interval95": ["0.1", "0.9"]}
    return {"track": "full", "configuration": "c",
            "composite": figure | {"value": "0.5", "standard_error": "0.1"},
            "mean_trial_score": figure | {"value": None, "standard_error": None},
            "strict_of_k": figure | {"rate": "0.25"}, "any_of_k": figure | {"rate": "0.75"},
            "safety_breach": figure | {"rate": None, "n": 0, "interval95": None}}  # fmt: skip


def aggregate():
    unit = {"id": "c", "harness_runtime": "direct@1",
            "base_model": {"source": "endpoint", "name": "m-1"}}  # fmt: skip
    release = {"name": "r", "bundle": "sha256:0", "created": "2026-01-01T00:00:00Z",
               "software": "0.1.0"}  # fmt: skip
    return everyeval.write([suite()], unit, release, "1767225600")


def test_an_aggregate_fits_the_schema_of_every_eval_ever():
    schema = json.loads((VECTORS / "eval.schema.json").read_text())
    kind = jsonschema.validators.validator_for(schema)
    kind(schema).validate(aggregate())
    names = [r["evaluation_result_id"] for r in aggregate()["evaluation_results"]]
    assert names == ["full/composite", "full/strict_of_k", "full/any_of_k"]


SESSION = b"\n".join(json.dumps(row).encode() for row in (
    {"type": "session", "version": 3, "id": "s"},
    {"type": "message", "id": "1", "parentId": None,
     "message": {"role": "user", "content": [{"type": "text", "text": "Tidy up."}]}},
    {"type": "message", "id": "2", "parentId": "1", "message": {"role": "assistant", "content": [
        {"type": "text", "text": "Looking."},
        {"type": "toolCall", "id": "a", "name": "exec", "arguments": {"command": "ls"}}]}},
    {"type": "message", "id": "x", "parentId": "1", "message": {"role": "assistant",
                                                                "content": "given up"}},
    {"type": "message", "id": "3", "parentId": "2", "message": {
        "role": "toolResult", "toolCallId": "a", "toolName": "exec",
        "content": [{"type": "text", "text": "no"}], "details": {"exitCode": 2}}},
)) + b"\n"  # fmt: skip


def test_a_session_of_openclaw_becomes_events_and_other_branches_are_kept():
    (events,) = openclaw.read(read_jsonl(SESSION, "s")).values()
    assert [e.kind for e in events] == [
        "opaque", "prompt", "model_response", "tool_call", "opaque", "tool_result"]  # fmt: skip
    assert events[-1].data == {"call": "a", "tool": "exec", "status": "error", "text": "no",
                               "exit_code": 2}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.json", json.dumps(atif.write(TOLD)).encode()),
        ("i.json", json.dumps(inspectlog.write("t", PLAN, "", [TOLD], {})).encode()),
        ("s.jsonl", SESSION),
    ],
)  # fmt: skip
def test_an_imported_trace_is_sanitized_and_examined(tmp_path, name, data):
    token = "ghp_" + "a1B2" * 9
    path = tmp_path / name
    path.write_bytes(data.replace(b"Looking.", token.encode()))
    files = {f.path: f.source for f in exchange.bag(exchange.read(path), [], b"k" * 32, ())}
    assert token.encode() not in b"".join(files.values())
    about = json.loads(files["data/imported/import-0/import.json"])
    assert [r["rule"] for r in about["redactions"]] == ["github-token"]
    assert "ignored-error" in {a["kind"] for a in about["anomalies"]}


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"schema_version": "9"}', b"\0\xff"])
def test_what_is_no_trace_is_refused(tmp_path, data):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(InputError):
        exchange.read(path)


def test_an_aggregate_passes_the_validator_of_every_eval_ever(tmp_path):
    core = pytest.importorskip("every_eval_ever.validator.validation_core")
    path = tmp_path / "c.json"
    path.write_text(json.dumps(aggregate()))
    report = core.validate_aggregate(path)
    assert not report.errors
