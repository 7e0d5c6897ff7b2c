"""sanitizing: every planted secret goes, in every form and place; nothing else is touched."""

from __future__ import annotations

import base64
import hashlib
import json
import urllib.parse

import pytest

from clawpro_artifact.errors import SanitizeError
from clawpro_artifact.model import canary
from clawpro_artifact.model.plan import TrialSpec
from clawpro_artifact.model.trace import Event, Exchange
from clawpro_artifact.model.trial import (
    Attempt,
    Evidence,
    Snapshot,
    SnapshotEntry,
    Trial,
    Usage,
)
from clawpro_artifact.sanitizing import sanitize
from clawpro_artifact.sanitizing.redactor import Redactor, Secret

SECRET = canary.canary_value(9, "db", "api-key")
TOKEN = "gateway-5f2c9b1e77"
FORMS = {
    "plain": SECRET,
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64 shifted": base64.b64encode(b"x" + SECRET.encode() + b"yz").decode(),
    "base64 shifted twice": base64.b64encode(b"xy" + SECRET.encode()).decode(),
    "base64 wrapped": base64.encodebytes(b"p" * 50 + SECRET.encode() + b"q" * 30).decode(),
    "base64url": base64.urlsafe_b64encode(SECRET.encode()).decode(),
    "hex": SECRET.encode().hex(),
    "HEX": SECRET.encode().hex().upper(),
    "url": urllib.parse.quote(SECRET, safe=""),
    "reversed": SECRET[::-1],
    "json in json": json.dumps(json.dumps({"k": SECRET})),
}


def entry(path, data, blobs):
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    blobs[digest] = data
    return SnapshotEntry(path=path, kind="file", size=len(data), digest=digest)


def trial(text, blobs, **changes):
    call = {"call": "1", "tool": "exec", "runtime_tool": "exec", "arguments": {"command": text}}
    values = {
        "spec": TrialSpec.model_validate_json(json.dumps({
            "configuration": "c", "scenario": "s", "index": 0, "track": "full",
            "surface": "workspace", "seed": 9,
            "limits": {"wall_seconds": 1, "requests": 1, "output_tokens": 1},
        })),
        "attempts": (Attempt(number=1, outcome="completed", reason=f"said {text}",
                             started_at="2026-01-01T00:00:00Z", duration_ms=1, isolation="none",
                             transport="http", environment={"A": text}),),
        "outcome": "completed",
        "usage": Usage(requests=1),
        "events": (Event(seq=0, kind="tool_call", witness="boundary", data=call),),
        "exchanges": (Exchange(number=0, conversation="main", request={"m": [{"c": text}]},
                               response={"text": text}, status=200, started_ms=0, ended_ms=1,
                               continues=True),),
        "evidence": Evidence(
            answer=text,
            before=Snapshot(entries=()),
            after=Snapshot(entries=(
                entry("out.txt", f"a {text} b".encode(), blobs),
                SnapshotEntry(path="link", kind="symlink", target=f"/x/{text}"),
            )),
            stores={"messaging": {"sent": [{"text": text}]}, text: 1},
        ),
        "secrets": (TOKEN,),
    }  # fmt: skip
    return Trial(**(values | changes))


def clean(raw, blobs, canaries=None):
    kept = {}

    def write(data):
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        kept[digest] = data
        return digest

    done = sanitize(raw, canaries or {"db": SECRET}, [], b"k" * 32, blobs.__getitem__, write)
    return done, kept


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_a_canary_is_gone_in_every_form_and_place(form):
    blobs = {}
    done, kept = clean(trial(form, blobs), blobs)
    shipped = done.model_dump_json().encode() + b"".join(kept.values())
    for value in (SECRET, *FORMS.values()):
        assert value.strip().encode() not in shipped
    assert b"[[canary:db" in shipped


def test_a_credential_of_the_run_is_gone_and_named_by_its_rule():
    blobs = {}
    done, kept = clean(trial(f"Bearer {TOKEN}", blobs), blobs)
    assert TOKEN not in done.model_dump_json()
    assert done.evidence.answer == "Bearer [[redacted:credential]]"
    assert b"a Bearer [[redacted:credential]] b" in kept.values()


@pytest.mark.parametrize(
    "text",
    [
        "ghp_" + "a1B2" * 9,
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----",
        "AKIA" + "ABCDEFGH23456723",
    ],
    ids=["github", "pem", "aws"],
)
def test_an_unmistakable_credential_is_gone_although_nobody_named_it(text):
    blobs = {}
    done, _ = clean(trial(f"x {text} y", blobs), blobs)
    assert done.evidence.answer is not None
    assert text not in done.evidence.answer
    assert done.evidence.answer.startswith("x [[redacted:")
    assert done.evidence.answer.endswith(" y")


@pytest.mark.parametrize(
    "text",
    [
        "id 0f8fad5b-d9cb-469f-a165-70867728950e",
        "sha256:" + hashlib.sha256(b"x").hexdigest(),
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "def f(token): return token[::-1]",
        "SGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0IG9mIGJhc2U2NA==",
    ],
)
def test_identifiers_digests_and_code_are_not_touched(text):
    blobs = {}
    done, kept = clean(trial(text, blobs), blobs)
    assert done.evidence.answer == text
    assert f"a {text} b".encode() in kept.values()
    assert done.redactions == ()


def test_sanitizing_what_is_clean_changes_nothing():
    redactor = Redactor((Secret(SECRET, "canary-db", "db"),), b"k" * 32, "t")
    for form in FORMS.values():
        once = redactor.text(f"<{form}>", "x")
        assert redactor.text(once, "x") == once


def test_a_disguised_canary_is_kept_as_a_fact_with_its_place():
    blobs = {}
    done, _ = clean(trial(FORMS["hex"], blobs), blobs)
    places = {(leak.place, leak.encoding) for leak in done.leaks}
    assert ("answer", "hex") in places
    assert ("commands", "hex") in places
    assert ("messages", "hex") in places
    assert ("files/out.txt", "hex") in places


def test_a_canary_in_plain_is_no_leak_fact_because_its_marker_says_where():
    blobs = {}
    done, _ = clean(trial(SECRET, blobs), blobs)
    assert done.leaks == ()
    assert done.evidence.answer == "[[canary:db]]"


def test_snapshot_digests_are_those_of_the_clean_bytes():
    blobs = {}
    done, kept = clean(trial(SECRET, blobs), blobs)
    (file,) = [e for e in done.evidence.after.entries if e.kind == "file"]
    assert file.digest in kept
    assert file.size == len(kept[file.digest])


def test_commitments_do_not_open_without_the_salt_key():
    blobs = {}
    done, _ = clean(trial(SECRET, blobs), blobs)
    guess = "sha256:" + hashlib.sha256(b"\0" + SECRET.encode()).hexdigest()
    assert done.redactions
    assert guess not in {r.commitment for r in done.redactions}


def test_what_cannot_be_removed_stops_everything(monkeypatch):
    monkeypatch.setattr(Redactor, "text", lambda self, text, place: text)
    blobs = {}
    with pytest.raises(SanitizeError) as error:
        clean(trial(SECRET, blobs), blobs)
    assert error.value.exit_code == 7
    assert SECRET not in str(error.value)


def test_two_trials_have_different_canaries_and_one_trial_always_the_same():
    styles = ("token", "password", "api-key", "aws-key", "email", "phone", "iban", "hex")
    for style in styles:
        one = canary.canary_value(1, "x", style)
        assert one == canary.canary_value(1, "x", style)
        assert one != canary.canary_value(2, "x", style)
        assert len(one) >= 8
