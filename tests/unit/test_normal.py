"""the declared normaliser: what differs from run to run is no difference, and nothing else is."""

from __future__ import annotations

import pytest

from clawpro_artifact.formats.normal import first_difference, request, text


def said(*tool_results):
    rows = [{"role": "user", "content": "Go."}]
    return {"messages": [*rows, *({"role": "tool", "content": r} for r in tool_results)]}


def test_what_differs_from_run_to_run_is_no_difference():
    a = {"stream": True, "messages": [
        {"role": "system", "content": "Today is 2026-12-01, pid 31"},
        {"role": "user", "content": "[Tue 2026-12-01 11:19 UTC] go"},
        {"role": "tool", "content": '{"durationMs": 12, "at": 1796123456789, "u": "http://127.0.0.1:40123/"}'},
    ]}  # fmt: skip
    b = {"stream": False, "messages": [
        {"role": "system", "content": "Today is 2027-01-03, pid 977"},
        {"role": "user", "content": "[Sun 2027-01-03 09:01 UTC] go"},
        {"role": "tool", "content": '{"durationMs": 7, "at": 1799999999999, "u": "http://127.0.0.1:9999/x"}'},
    ]}  # fmt: skip
    pointer, old, new = first_difference(request(a), request(b))
    assert (pointer, old[-3:], new[-4:]) == ("/messages/2/content", '/"}', '/x"}')


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('CONTENT id="cca5289fd7ea913e"', 'CONTENT id="22b5cc81edb81d67"'),
        ("E44E29D8ABBE79BA1B93C9C00A797430", "7BBA6C63C33E6B7B99EF6D2ACA41610F"),
        ("11111111-2222-3333-4444-555555555555", "A1111111-2222-3333-4444-555555555555"),
        ("/tmp/tmp.Ab12Cd/x", "/tmp/tmp.Zz99Yy/x"),
        ("-rw-r--r-- 1 a a 5 Dec  1 11:19 f", "-rw-r--r-- 1 a a 5 Jan 12 09:01 f"),
        ("trial-00aa11bb22cc33", "trial-ffaa11bb22cc33"),
        ("took 12 ms", "took 4031 ms"),
    ],
)
def test_names_and_times_made_up_anew_are_no_difference(one, other):
    assert first_difference(request(said(one)), request(said(other))) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("due 2026-11-02", "due 2026-11-03"),
        ("total 41", "total 42"),
        ("invoice 17961234", "invoice 17961235"),
        ("/tmp/report.csv", "/tmp/other.csv"),
        ("deadbeefdeadbeef", "deadbeefdeadbeee"),
    ],
)
def test_what_an_agent_works_with_is_a_difference(one, other):
    assert first_difference(request(said(one)), request(said(other))) is not None


def test_the_first_difference_is_named_by_pointer():
    assert first_difference({"a": [1, {"b~/": 2}]}, {"a": [1, {"b~/": True}]}) == (
        "/a/1/b~0~1", 2, True)  # fmt: skip
    assert first_difference([1], [1, 2]) == ("/1", None, 2)
    assert first_difference(1, True) == ("", 1, True)


def test_normalising_twice_changes_nothing():
    once = text("at 2026-12-01T11:19:02Z pid 31 11111111-2222-3333-4444-555555555555 took 3 ms")
    assert text(once) == once
