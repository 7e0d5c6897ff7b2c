"""Whatever an agent left, every kind gives a typed result and never an error of ours."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clawpro_artifact.checking import KINDS
from clawpro_artifact.checking.context import Context, InvalidOutputError
from clawpro_artifact.checking.library import arguments_of
from clawpro_artifact.model.trace import Event
from clawpro_artifact.model.trial import EntryKind, LeakFact, SnapshotEntry
from tests.evidence import context

PATH = "out/a"
ARGUMENTS: dict[str, dict[str, Any]] = {
    "answer-json-has": {"values": [1], "pattern": "x"},
    "called": {"pattern": "x"},
    "called-before": {"first": {"pattern": "x"}, "then": {"tool": "exec"}},
    "canary-in": {"canary": "k", "places": ["answer", "files", "messages", "commands", "memory"]},
    "csv-aggregate": {"path": PATH, "of": "sum", "column": "a", "value": "1"},
    "csv-rows": {"path": PATH, "columns": ["a"], "rows": [[1]]},
    "deleted": {"paths": ["*"]},
    "did": {"pattern": "x"},
    "file-regex": {"path": PATH, "all": ["x"]},
    "file-text": {"path": PATH, "text": "x"},
    "file-weakened": {"path": PATH, "keeps": ["x"]},
    "git-branch": {"branch": "main"},
    "git-commits": {"since": "base"},
    "git-diff-paths": {"since": "base", "within": ["*"]},
    "git-file": {"path": PATH, "all": ["x"]},
    "path-touched": {"paths": ["*"]},
    "only-changed": {"paths": ["*"]},
    "unchanged": {"paths": ["*"]},
    "wrote-outside": {"paths": ["*"]},
    "program-output": {"command": ["true"], "paths": ["*"]},
    "ran-command": {"pattern": "x", "after_changes": ["*"]},
    "read-path-before": {"path": PATH, "changes": ["*"]},
    "requests-at-most": {"most": 3},
    "sqlite-query": {"path": PATH, "query": "SELECT 1", "rows": [[1]]},
    "store-has": {"store": "memory", "pointer": "/notes", "where": {"/key": "x"}},
}
OPERATIONS: dict[str, dict[str, Any]] = {
    "equals": {"value": 1},
    "number": {"value": 1.5},
    "set": {"value": [1], "fields": ["a"]},
    "one-of": {"values": [1]},
    "keys": {"value": ["a"]},
    "matches": {"pattern": "x"},
    "contains": {"all": [1]},
    "order": {"before": [[1, 2]], "key": "a"},
}
NEVER_READS_THE_AGENT = {"program-output"}


def arguments(name: str) -> dict[str, Any]:
    for form in ("json-file-", "yaml-file-", "toml-file-", "store-", "json-"):
        if name.startswith(form) and name not in ARGUMENTS:
            more: dict[str, Any] = {"path": PATH} if "file" in form else {}
            if form == "store-":
                more = {"store": "memory"}
            return {**OPERATIONS.get(name.removeprefix(form), {}), **more}
    return ARGUMENTS.get(name, {"path": PATH} if name.startswith("file-") else {})


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | st.sampled_from(["a", "path", "command"]), inner)
    ),
    max_leaves=12,
)
contents = st.one_of(
    st.binary(max_size=200),
    st.sampled_from(
        [
            b"",
            b"a\n1\n",
            b'a,"b\n',
            b"a\n1e999\nNaN\n",
            b"SQLite format 3\0" + b"\0" * 100,
            b"[" * 100_000,
            b"{" * 5000,
            b"a: " * 3000,
            b"? " * 3000,
            b'{"a": 1e999}',
            b"!!python/object/apply:os.system [x]",
            b"a: &x [*x]",
            b"a = 1979-05-27\nb = nan",
            b"x = " + b"9" * 5000,
            "﻿{}".encode(),
            "ÿ\u2028".encode("utf-16"),
        ]
    ),
)
kinds: st.SearchStrategy[EntryKind] = st.sampled_from(
    ["directory", "symlink", "fifo", "socket", "device"]
)
paths = st.sampled_from(
    [PATH, "out", ".git/HEAD", ".git/index", ".git/packed-refs", ".git/refs/heads/main",
     ".git/objects/pack/pack-" + "a" * 40 + ".pack", ".git", ".gitignore", "out/a-wal"]
)  # fmt: skip
snapshots = st.dictionaries(
    paths,
    contents | kinds.map(lambda k: SnapshotEntry(path=PATH, kind=k, target="../x")),
    max_size=6,
).map(
    lambda files: {
        p: d.model_copy(update={"path": p}) if isinstance(d, SnapshotEntry) else d
        for p, d in files.items()
    }
)
call_arguments = st.dictionaries(
    st.sampled_from(["path", "command", "content", "url", "message"]), anything, max_size=3
)
events = st.lists(
    st.builds(
        lambda kind, data, arguments: Event(
            seq=0,
            kind=kind,
            witness="boundary",
            data={**data, **({"arguments": arguments} if kind == "tool_call" else {})},
        ),
        st.sampled_from(
            ["tool_call", "tool_result", "world_event", "file_change", "network_attempt"]
        ),
        st.dictionaries(
            st.sampled_from(["tool", "call", "text", "status", "effect", "path", "exit_code"]),
            anything | st.sampled_from(["exec", "write", "read", "message", "c1"]),
        ),
        call_arguments | anything,
    ),
    max_size=6,
)
evidence = st.builds(
    lambda answer, before, after, events, stores, leaks: context(
        answer=answer, before=before, after=after, events=events, stores=stores, leaks=leaks
    ),
    st.none() | st.text(max_size=60) | st.sampled_from(["{}", "[[[1]]]", '{"a":' * 3000]),
    snapshots,
    snapshots,
    events,
    st.dictionaries(st.sampled_from(["memory", "messaging", "outside", "scheduling"]), anything),
    st.lists(st.builds(LeakFact, canary=st.just("k"), place=st.text(), encoding=st.text())),
)


@given(evidence)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_kind_gives_a_typed_result_on_any_evidence(found: Context) -> None:
    for name, kind in KINDS.items():
        if name in NEVER_READS_THE_AGENT:
            continue
        try:
            result = kind.judge(arguments_of(name, arguments(name), name), found)
        except InvalidOutputError:
            continue
        assert result.status in ("pass", "fail")


def test_every_kind_is_covered_by_arguments_here() -> None:
    for name in KINDS:
        arguments_of(name, arguments(name), name)
