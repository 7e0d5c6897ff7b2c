"""replay: held still by its cassette, a trial goes as recorded or says where it departs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from clawpro_artifact import replaying
from clawpro_artifact.adapters.runtimes import direct
from clawpro_artifact.cli import main
from clawpro_artifact.model.trace import Exchange
from clawpro_artifact.replaying import compare, counted
from tests import bundles

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A checkout with a signed release of one holdout scenario that has a canary, direct."""
    root = tmp_path_factory.mktemp("replay") / "checkout"
    (root / "scenarios" / "holdout").mkdir(parents=True)
    for name in ("clinic-ticket-triage", "sql-result-by-hand"):
        shutil.copytree(ROOT / "scenarios/holdout" / name, root / "scenarios/holdout" / name)
    shutil.copytree(ROOT / "manifests", root / "manifests")
    shutil.copytree(ROOT / "images", root / "images")
    patch = pytest.MonkeyPatch()
    patch.setenv("CLAWPRO_ROOT", str(root))
    patch.setenv("XDG_CONFIG_HOME", str(root / "config"))
    assert main(["release", "holdout-scripted", "--quiet"]) == 0
    (bundle,) = (root / ".clawpro" / "releases").glob("*/bundle")
    yield root, bundle
    patch.undo()


@pytest.fixture
def verb(released, tmp_path, capsys):
    _, bundle = released
    capsys.readouterr()
    assert main(["keys", "export"]) == 0
    key = tmp_path / "key.pem"
    key.write_text(capsys.readouterr().out)

    def call(*words):
        code = main(["replay", str(bundle), "--key", str(key), "--json", "--quiet", *words])
        return code, json.loads(capsys.readouterr().out)

    return call


def test_every_trial_of_a_direct_release_goes_as_recorded(verb):
    code, found = verb()
    assert (code, found["equal"], len(found["trials"])) == (0, 6, 6)
    assert found["kinds"] == {}


def test_one_trial_is_replayed_by_its_id(verb):
    name = "direct-scripted-reference/sql-result-by-hand/1"
    code, found = verb("--trial", name)
    assert (code, [t["trial"] for t in found["trials"]]) == (0, [name])


def test_an_unknown_trial_is_a_usage_error(verb, capsys):
    assert verb("--trial", "a/b/0")[0] == 2


def test_an_injected_prompt_change_is_found_at_its_step(verb, monkeypatch):
    plain = direct.compose_prompt
    monkeypatch.setattr(
        direct, "compose_prompt", lambda s, t: plain(s, t).replace("JSON", "YAML", 1)
    )
    code, found = verb("--trial", "direct-scripted-reference/sql-result-by-hand/0")
    (departure,) = found["trials"][0]["departures"]
    assert (code, departure["kind"], departure["position"]) == (1, "prompt", 0)
    assert departure["pointer"] == "/messages/0/content"
    assert "JSON" in departure["recorded"]
    assert "YAML" in departure["live"]
    assert found["kinds"] == {"prompt": {"trials": 1, "first": 1}}


def test_a_bundle_that_does_not_verify_is_not_replayed(released, tmp_path):
    _, bundle = released
    key = tmp_path / "eve.pem"
    key.write_bytes(bundles.EVE.public.pem)
    assert main(["replay", str(bundle), "--key", str(key)]) == 8


# -- kinds of departure, on values

RUN = {"name": "exec", "description": "Run.", "parameters": {"type": "object"}}
TOOL = {"type": "function", "function": RUN}


def asked(*messages, tools=(TOOL,), **more):
    return {"messages": list(messages), "tools": list(tools), **more}


SYSTEM = {"role": "system", "content": "You are an agent."}
USER = {"role": "user", "content": "Go."}


def tool(text):
    return {"role": "tool", "tool_call_id": "c", "content": text}


def trial(*requests):
    base = bundles.trial(_spec())
    rows = tuple(
        Exchange(
            number=n,
            conversation="main",
            request=r,
            status=200,
            started_ms=0,
            ended_ms=1,
            continues=True,
            response={"text": "", "calls": [], "finish": "stop", "usage": None, "model": "m"},
        )
        for n, r in enumerate(requests)
    )
    return base.model_copy(update={"exchanges": rows, "events": ()})


def _spec():
    return bundles.TrialSpec(
        configuration="claw-reference", scenario="tidy-notes", index=0, track="full",
        surface="workspace", seed=1, limits={"wall_seconds": 5, "requests": 5, "output_tokens": 9},
    )  # fmt: skip


def kinds(recorded, live):
    found = compare(trial(*recorded), (), {}, trial(*live), (), {})
    return [(d.kind, d.position) for d in found.departures]


def other_tool(**changes):
    return {"type": "function", "function": {**TOOL["function"], **changes}}


@pytest.mark.parametrize(
    ("live", "kind"),
    [
        (asked(SYSTEM, USER, tools=[other_tool(name="bash")]), "tool list"),
        (asked(SYSTEM, USER, tools=[TOOL, other_tool(name="more")]), "tool list"),
        (asked(SYSTEM, USER, tools=[other_tool(parameters={"type": "array"})]), "tool schema"),
        (asked(SYSTEM, USER, tools=[other_tool(description="Do.")]), "tool description"),
        (asked({**SYSTEM, "content": "You are."}, USER), "prompt"),
        (asked(SYSTEM, {**USER, "content": "Go on."}), "prompt"),
        (asked(SYSTEM, USER, temperature=0.7), "default"),
    ],
)
def test_a_difference_in_the_first_request_is_classified(live, kind):
    assert kinds([asked(SYSTEM, USER)], [live]) == [(kind, 0)]


def test_results_in_another_order_are_told_from_other_results():
    first = asked(SYSTEM, USER)
    recorded = asked(SYSTEM, USER, tool("a"), tool("b"))
    assert kinds([first, recorded], [first, asked(SYSTEM, USER, tool("b"), tool("a"))]) == [
        ("ordering", 1)]  # fmt: skip
    assert kinds([first, recorded], [first, asked(SYSTEM, USER, tool("a"), tool("c"))]) == [
        ("tool result", 1)]  # fmt: skip


def test_a_shorter_history_is_compaction():
    first = asked(SYSTEM, USER)
    long = asked(SYSTEM, USER, tool("a"), tool("b"))
    assert kinds([first, long], [first, asked(SYSTEM, tool("b"))]) == [("compaction", 1)]


def test_a_request_made_again_is_a_retry_and_another_one_is_more():
    first = asked(SYSTEM, USER)
    assert kinds([first], [first, first]) == [("retry", 1)]
    assert kinds([first], [first, asked(SYSTEM, USER, tool("a"))]) == [("more requests", 1)]
    assert kinds([first, first], [first]) == [("fewer requests", 1)]


def test_only_the_first_departure_of_a_conversation_stands_by_itself():
    recorded = [asked(SYSTEM, USER), asked(SYSTEM, USER, tool("a"))]
    live = [asked({**SYSTEM, "content": "x"}, USER), asked({**SYSTEM, "content": "x"}, USER)]
    found = compare(trial(*recorded), (), {}, trial(*live), (), {})
    assert [d.own for d in found.departures] == [True, False]


def test_other_checks_and_records_are_not_equal():
    one = trial(asked(USER))
    good = (bundles.CheckResult(id="kept", role="check", group="files", status="pass"),)
    bad = (bundles.CheckResult(id="kept", role="check", group="files", status="fail"),)
    found = compare(one, good, {"x": 1, "duration_ms": 5}, one, bad, {"x": 1, "duration_ms": 9})
    assert (found.same_checks, found.same_record, found.equal) == (False, True, False)
    assert found.first.kind == "checks"
    assert not compare(one, good, {"x": 1}, one, good, {"x": 2}).equal


def test_kinds_are_counted_by_trial():
    one = compare(trial(asked(USER)), (), {}, trial(asked(SYSTEM)), (), {})
    assert counted([one, one]) == {"prompt": {"trials": 2, "first": 2}}
    assert replaying.counted([]) == {}
