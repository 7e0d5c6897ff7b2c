"""surface diff: what a model sees changed, and whether what is needed is still there."""

from __future__ import annotations

import pytest

from clawpro_artifact.comparing.surfaces import surface_diff
from clawpro_artifact.formats.canonical import bytes_digest, digest
from clawpro_artifact.model.surface import SurfaceInventory, Tool

D = "sha256:" + "1" * 64
OBJECT = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


def tool(name, description="Does it.", parameters=OBJECT):
    body = {"name": name, "description": description, "parameters": parameters}
    return Tool(**body, digest=digest(body))


def inventory(*tools, deferred=(), prompt="You are an agent.", **more):
    return SurfaceInventory(
        format="clawpro.surface.v1", runtime="openclaw@2026.9.6", image=D, surfaces=("memory",),
        setting="trial", normaliser="v", request_bytes=more.pop("size", 1000), tools=tools,
        deferred=deferred, prompt=prompt, prompt_digest=bytes_digest(prompt.encode()),
        settings=more.pop("settings", {}), config=more.pop("config", {}),
        stores=more.pop("stores", {}),
    )  # fmt: skip


BASE = inventory(tool("exec"), tool("read"))


def changed(after, needed=None):
    found = surface_diff(BASE, after, needed)
    return [(c.kind, c.name, c.breaking) for c in found.changes if c.kind != "size"], found.verdict


def test_the_same_surface_is_compatible():
    assert changed(BASE) == ([], "compatible")


def test_more_and_hidden_tools_are_counted_in_one_line():
    after = inventory(tool("exec"), deferred=("read", "other"), size=36_000)
    (size, *_) = surface_diff(inventory(tool("exec"), tool("read"), size=90_000), after).changes
    assert (size.before, size.after) == (
        "2 tools in 90 KB", "1 tools in 36 KB, 2 more behind tool search")  # fmt: skip


def test_a_tool_that_is_gone_breaks_only_what_needs_it():
    after = inventory(tool("exec"))
    assert changed(after) == ([("tool", "read", False)], "changed")
    assert changed(after, {"read": "read"}) == ([("tool", "read", True)], "breaking")


def test_a_needed_tool_behind_tool_search_is_breaking():
    found = surface_diff(BASE, inventory(tool("exec"), deferred=("read",)), {"read": "read"})
    (change,) = [c for c in found.changes if c.kind == "tool"]
    assert (change.after, change.breaking) == ("behind tool search", True)


def test_a_rename_that_the_adapter_knows_breaks_nothing():
    after = inventory(tool("exec"), tool("open"))
    found = surface_diff(BASE, after, {"read": "open"})
    (gone,) = [c for c in found.changes if c.name == "read"]
    assert (gone.after, found.verdict) == ("offered as open", "changed")


@pytest.mark.parametrize(
    ("parameters", "breaking"),
    [
        ({**OBJECT, "required": ["command", "cwd"]}, True),
        ({**OBJECT, "properties": {"command": {"type": "array"}}}, True),
        ({**OBJECT, "properties": {}, "additionalProperties": False}, True),
        ({**OBJECT, "properties": {**OBJECT["properties"], "cwd": {"type": "string"}}}, False),
        ({**OBJECT, "required": []}, False),
    ],
)
def test_a_schema_breaks_where_it_demands_or_refuses_more(parameters, breaking):
    after = inventory(tool("exec", parameters=parameters), tool("read"))
    rows, _ = changed(after, {"exec": "exec"})
    assert rows == [("schema", "exec", breaking)]


def test_a_whole_number_is_a_number():
    def with_limit(kind):
        return inventory(tool("exec", parameters={"properties": {"n": {"type": kind}}}))

    found = surface_diff(with_limit("number"), with_limit("integer"), {"exec": "exec"})
    assert found.verdict == "changed"
    assert surface_diff(with_limit("integer"), with_limit("string"), {"exec": "exec"}).verdict == (
        "breaking")  # fmt: skip


def test_prompt_description_and_defaults_are_changes_with_their_lines():
    after = inventory(tool("exec", "Runs it."), tool("read"), prompt="You are.\nBe brief.",
                      settings={"max_tokens": 1})  # fmt: skip
    found = surface_diff(BASE, after)
    kinds = {c.kind: c for c in found.changes if c.kind != "size"}
    assert set(kinds) == {"description", "prompt", "setting"}
    assert "+Be brief." in kinds["prompt"].lines


def test_configuration_keys_and_stores_alone_are_not_seen_by_a_model():
    after = inventory(tool("exec"), tool("read"), config={"a.b": "boolean = false"},
                      stores={"x.sqlite": "sqlite, user_version 23"})  # fmt: skip
    rows, verdict = changed(after)
    assert (rows, verdict) == ([("config", "a.b", False), ("store", "x.sqlite", False)],
                               "compatible")  # fmt: skip
