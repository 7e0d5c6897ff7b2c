"""cases of a signer who lies, or was lied to: the signature is good and the content is not."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clawpro_artifact.formats import canonical, embedded
from tests.tampered.kit import TRACE, Case, Kit, edit_json, edit_lines

CASES: list[Case] = []
Files = dict[str, bytes]
CLAW = "data/traces/claw-reference/three-way-match"
LOCK, PLAN = "data/lock.json", "data/plan.json"
RESULTS = "data/results/"


def content(name: str, step: int, code: str) -> Callable[[Callable[[Files], Files]], None]:
    def keep(edit: Callable[[Files], Files]) -> None:
        def make(kit: Kit, to: Path) -> Path:
            return kit.signed(to, edit(dict(kit.files)))

        CASES.append(Case(name, make, step, code, group="content"))

    return keep


def document(name: str, step: int, code: str, path: str, edit: Callable[[Any], Any]) -> None:
    content(name, step, code)(lambda files: edit_json(files, path, edit))


def rows(name: str, step: int, code: str, path: str, edit: Callable[[list[Any]], Any]) -> None:
    content(name, step, code)(lambda files: edit_lines(files, path, edit))


def relocked(name: str, code: str, edit: Callable[[Any], Any], step: int = 5) -> None:
    """An edit of the lock, with manifest, plan and report made to fit."""

    def make(files: Files) -> Files:
        files = edit_json(files, LOCK, edit)
        lock = json.loads(files[LOCK])
        digest = canonical.bytes_digest(files[LOCK])
        files["data/manifest.json"] = canonical.encode(lock["manifest"])
        files = edit_json(files, PLAN, lambda v: v.update(lock=digest))
        files = edit_json(files, "data/report/report.json", lambda v: v.update(lock=digest))
        report = files["data/report/report.json"]
        return files | {"data/report/report.html": embedded.embed(report)}

    content(name, step, code)(make)


# -- step 5


def swap(path: str, old: bytes, new: bytes) -> Callable[[Files], Files]:
    def edit(files: Files) -> Files:
        assert old in files[path], (path, old)
        return files | {path: files[path].replace(old, new, 1)}

    return edit


DEFINITION = "data/definitions/three-way-match/"
content("prompt-edited", 5, "scenario-differs")(swap(DEFINITION + "prompt.md", b"Do ", b"Don't "))
content("threshold-lowered", 5, "scenario-differs")(
    swap(DEFINITION + "scenario.toml", b'threshold = "0.8"', b'threshold = "0.1"')
)
content("definition-file-added", 5, "scenario-differs")(lambda f: f | {DEFINITION + "hint": b"x"})
content("definition-file-removed", 5, "scenario-differs")(
    lambda f: {p: d for p, d in f.items() if p != DEFINITION + "prompt.md"}
)
content("scenario-not-locked", 5, "misplaced-file")(
    lambda f: f | {"data/definitions/other/scenario.toml": b"x"}
)
for part in ("scoring", "checking", "sanitizing"):
    content(f"{part}-code-swapped", 5, "code-differs")(
        lambda f, part=part: f | {f"data/{part}/__init__.py": b"# swapped\n"}  # type: ignore[misc]
    )
content("scoring-code-added", 5, "code-differs")(
    lambda f: f | {"data/scoring/sitecustomize.py": b""}
)
content("schema-swapped", 5, "code-differs")(lambda f: f | {"data/schemas/lock.schema.json": b"{}"})
content("image-lock-swapped", 5, "image-lock-differs")(
    lambda f: f | {"data/images/openclaw-2026.9.6/lock.json": b"{}"}
)
content("image-of-nobody", 5, "misplaced-file")(
    lambda f: f | {"data/images/other/lock.json": b"{}"}
)
content("configuration-of-nobody", 5, "misplaced-file")(
    lambda f: f | {"data/configurations/other.json": b"{}"}
)
content("trace-of-nobody", 5, "misplaced-file")(
    lambda f: f | {"data/traces/direct-reference/three-way-match/3/trial.json": b"{}"}
)
content("program-to-run", 5, "misplaced-file")(lambda f: f | {"data/install.sh": b"#!/bin/sh\n"})
document(
    "configuration-edited",
    5,
    "configuration-differs",
    "data/configurations/direct-reference.json",
    lambda v: v.update(transport="stdio"),
)
document(
    "manifest-of-another-lock",
    5,
    "manifest-differs",
    "data/manifest.json",
    lambda v: v.update(seed=8),
)
document(
    "weights-edited",
    5,
    "manifest-differs",
    "data/manifest.json",
    lambda v: v["weights"].update(alpha="1"),
)
document(
    "plan-of-another-lock",
    5,
    "plan-of-another-lock",
    PLAN,
    lambda v: v.update(lock="sha256:" + "1" * 64),
)
document("lock-edited", 5, "plan-of-another-lock", LOCK, lambda v: v.update(version="9"))
document("lock-with-unknown-field", 5, "malformed", LOCK, lambda v: v.update(extra=1))
document("plan-without-trials", 5, "malformed", PLAN, lambda v: v.pop("trials"))
content("lock-with-white-space", 5, "malformed")(lambda f: f | {LOCK: f[LOCK] + b"\n"})
content("lock-with-duplicate-key", 5, "malformed")(
    lambda f: f | {LOCK: f[LOCK].replace(b"{", b'{"format":"clawpro.lock.v1",', 1)}
)
relocked(
    "holdout-root-edited", "holdout-root", lambda v: v.update(holdout_root="sha256:" + "1" * 64)
)
relocked(
    "scenario-pinned-twice", "scenario-twice", lambda v: v["scenarios"].append(v["scenarios"][0])
)
relocked(
    "scenario-version-edited", "scenario-differs", lambda v: v["scenarios"][0].update(version=2)
)
relocked(
    "runtime-on-another-image",
    "image-missing",
    lambda v: v["images"][0].update(runtime="openclaw@2026.9.5"),
)
relocked(
    "image-lock-repinned",
    "image-lock-differs",
    lambda v: v["images"][0].update(lock="sha256:" + "1" * 64),
)
for field, value in (
    ("weight", "5"),
    ("threshold", "0.1"),
    ("difficulty", "hard"),
    ("groups", {"totals": "9"}),
    ("can_breach", False),
    ("track", "full"),
    ("digest", "sha256:" + "1" * 64),
    ("optimal_requests", 9),
):
    rows(
        f"scenario-facts-{field}",
        5,
        "scenario-facts",
        RESULTS + "scenarios.jsonl",
        lambda r, field=field, value=value: next(
            x for x in r if x["scenario"] == "three-way-match"
        ).update({field: value}),
    )  # type: ignore[misc]
rows("scenario-facts-missing", 5, "scenario-facts", RESULTS + "scenarios.jsonl", lambda r: r[:1])
rows("scenario-facts-twice", 5, "scenario-facts", RESULTS + "scenarios.jsonl", lambda r: r + r)

# -- step 6


def without(prefix: str) -> Callable[[Files], Files]:
    return lambda files: {p: d for p, d in files.items() if not p.startswith(prefix)}


content("trial-dropped", 6, "trial-missing")(without(TRACE + "/"))
content("events-dropped", 6, "trial-missing")(without(TRACE + "/events.jsonl"))
content("exchanges-dropped", 6, "trial-missing")(without(TRACE + "/exchanges.jsonl"))
content("trace-edited", 6, "trace-differs")(
    swap(TRACE + "/events.jsonl", b"shortened", b"lengthned")
)
content("cassette-edited", 6, "trace-differs")(
    swap(TRACE + "/exchanges.jsonl", b'"done"', b'"gone"')
)
content("trace-line-dropped", 6, "trace-differs")(
    lambda f: f | {TRACE + "/events.jsonl": f[TRACE + "/events.jsonl"].split(b"\n", 1)[1]}
)
content("trials-swapped", 6, "trial-of-another-plan")(
    lambda f: (
        f
        | {f"{TRACE}/trial.json": f[f"{TRACE[:-1]}1/trial.json"]}
        | {f"{TRACE[:-1]}1/trial.json": f[f"{TRACE}/trial.json"]}
    )
)


def replan(name: str, code: str, edit: Callable[[Any], Any]) -> None:
    """An edit of the plan, with the traces of nobody taken away."""

    def make(files: Files) -> Files:
        files = edit_json(files, PLAN, edit)
        planned = {
            f"data/traces/{s['configuration']}/{s['scenario']}/{s['index']}"
            for s in json.loads(files[PLAN])["trials"]
        }
        return {
            p: d
            for p, d in files.items()
            if not p.startswith("data/traces/") or p.rpartition("/")[0] in planned
        }

    content(name, 6, code)(make)


replan("k-of-two", "trials-not-k", lambda v: v["trials"].pop(0))
replan("cell-dropped", "cell-missing", lambda v: v.update(trials=v["trials"][3:]))
replan(
    "cell-excused-without-reason",
    "cell-missing",
    lambda v: v.update(trials=v["trials"][3:], not_applicable=[]),
)
replan("trial-planned-twice", "trial-twice", lambda v: v["trials"].append(v["trials"][0]))
replan("trial-of-index-k", "trials-not-k", lambda v: v["trials"][0].update(index=7))
replan("seed-chosen", "seed-differs", lambda v: v["trials"][0].update(seed=1))
replan(
    "cell-planned-and-excused",
    "cell-missing",
    lambda v: v["not_applicable"].append(
        {"configuration": "claw-reference", "scenario": "three-way-match", "reason": "x"}
    ),
)
relocked("k-of-one", "malformed", lambda v: v["manifest"].update(trials=1))

rows("attempt-not-listed", 6, "attempts-differ", RESULTS + "attempts.jsonl", lambda r: r[:-1])
rows("attempt-invented", 6, "attempts-differ", RESULTS + "attempts.jsonl", lambda r: [*r, r[-1]])
rows("attempts-out-of-order", 6, "attempts-differ", RESULTS + "attempts.jsonl", lambda r: r[::-1])


def retried(
    name: str, code: str, edit: Callable[[dict[str, Any]], object], at: str = CLAW + "/1"
) -> None:
    """An edit of a trial document, with the list of attempts made to fit."""

    def make(files: Files) -> Files:
        files = edit_json(files, at + "/trial.json", edit)
        plan = json.loads(files[PLAN])
        listed = []
        for spec in plan["trials"]:
            trial_id = f"{spec['configuration']}/{spec['scenario']}/{spec['index']}"
            trial = json.loads(files[f"data/traces/{trial_id}/trial.json"])
            listed += [{"trial": trial_id, "attempt": a} for a in trial["attempts"]]
        data = b"".join(canonical.encode(row) + b"\n" for row in listed)
        return files | {RESULTS + "attempts.jsonl": data}

    content(name, 6, code)(make)


retried("failed-attempt-hidden", "attempt-missing", lambda v: v["attempts"].pop(0))
retried(
    "attempts-renumbered-from-zero", "attempt-missing", lambda v: v["attempts"][1].update(number=3)
)
retried(
    "tried-until-good",
    "attempt-selected",
    lambda v: v["attempts"][0].update(outcome="agent_failed"),
)
retried(
    "more-attempts-than-allowed",
    "attempt-selected",
    lambda v: v.update(
        attempts=[
            *({**v["attempts"][0], "number": n} for n in (1, 2)),
            {**v["attempts"][1], "number": 3},
        ]
    ),
)
retried(
    "given-up-too-early",
    "attempt-missing",
    lambda v: (v["attempts"].pop(), v.update(outcome="infra_failed")),
)
retried("outcome-of-nothing", "outcome-differs", lambda v: v.update(outcome="timed_out"))
retried(
    "ran-in-another-image",
    "image-differs",
    lambda v: v["attempts"][1].update(image="sha256:" + "d" * 64),
)
retried("ran-in-no-image", "image-differs", lambda v: v["attempts"][1].update(image=None))
retried(
    "direct-ran-in-an-image",
    "image-differs",
    lambda v: v["attempts"][0].update(image="sha256:" + "d" * 64),
    TRACE,
)
document(
    "trial-with-unknown-field",
    6,
    "malformed",
    TRACE + "/trial.json",
    lambda v: v.update(secrets=[]),
)
document(
    "trial-with-nan-number",
    6,
    "malformed",
    TRACE + "/trial.json",
    lambda v: v["usage"].update(requests="nan"),
)
document(
    "trial-with-flag-as-count",
    6,
    "malformed",
    TRACE + "/trial.json",
    lambda v: v["usage"].update(requests=True),
)


def blob_of(files: Files) -> str:
    return next(p for p in sorted(files) if p.startswith("data/blobs/"))


content("blob-dropped", 6, "blob-missing")(
    lambda f: {p: d for p, d in f.items() if p != blob_of(f)}
)
content("blob-edited", 6, "blob-differs")(lambda f: f | {blob_of(f): b"edited"})
content("blob-smuggled", 6, "blob-unused")(
    lambda f: f | {"data/blobs/" + hashlib.sha256(b"x").hexdigest(): b"x"}
)

# -- step 8: records


def first(edit: Callable[[dict[str, Any]], object]) -> Callable[[list[Any]], None]:
    return lambda r: edit(r[0]) and None


RECORDS, CHECKS = RESULTS + "records.jsonl", RESULTS + "checks.jsonl"
rows("record-dropped", 8, "records-differ", RECORDS, lambda r: r[:-1])
rows("record-added", 8, "records-differ", RECORDS, lambda r: [*r, r[0]])
rows("records-swapped", 8, "records-differ", RECORDS, lambda r: [r[1], r[0], *r[2:]])
rows(
    "record-check-passed",
    8,
    "records-differ",
    RECORDS,
    lambda r: next(x for x in r if x["checks"][0]["status"] == "fail")["checks"][0].update(
        status="pass"
    ),
)
rows(
    "record-check-weight",
    8,
    "records-differ",
    RECORDS,
    first(lambda v: v["checks"][0].update(weight="9")),
)
rows("record-check-dropped", 8, "records-differ", RECORDS, first(lambda v: v["checks"].pop()))
rows(
    "record-breach-hidden",
    8,
    "records-differ",
    RECORDS,
    lambda r: next(x for x in r if any(s["breached"] for s in x["safety"]))["safety"][0].update(
        breached=False
    ),
)
rows(
    "record-process-failed",
    8,
    "records-differ",
    RECORDS,
    lambda r: next(x for x in r if x["process"])["process"][0].update(status="fail"),
)
rows(
    "record-outcome",
    8,
    "records-differ",
    RECORDS,
    first(lambda v: v.update(outcome="infra_failed")),
)
rows("check-result-dropped", 8, "checks-differ", CHECKS, first(lambda v: v["results"].pop()))
rows(
    "check-result-edited",
    8,
    "records-differ",
    CHECKS,
    first(lambda v: v["results"][0].update(status="fail")),
)
rows(
    "check-result-invented",
    8,
    "checks-differ",
    CHECKS,
    first(lambda v: v["results"].append(dict(v["results"][0]))),
)
rows(
    "check-status-unknown",
    8,
    "malformed",
    CHECKS,
    first(lambda v: v["results"][0].update(status="great")),
)
rows("checks-of-another-trial", 8, "records-differ", CHECKS, lambda r: [r[1], r[0], *r[2:]])

# -- step 9: the report

document(
    "report-of-other-scores",
    9,
    "report-differs",
    "data/report/report.json",
    lambda v: v["scores"].update(k=4),
)
document(
    "report-without-scores",
    9,
    "malformed",
    "data/report/report.json",
    lambda v: v.pop("scores"),
)
document(
    "report-of-another-lock",
    9,
    "report-differs",
    "data/report/report.json",
    lambda v: v.update(lock="sha256:" + "1" * 64),
)
REPORT = "data/report/report.json"
for field, edit in {
    "name": lambda v: v.update(name="other"),
    "version": lambda v: v.update(version="9.9.9"),
    "created": lambda v: v.update(created="2026-03-02T12:00:00Z"),
    "plan": lambda v: v.update(plan="sha256:" + "1" * 64),
    "images": lambda v: v.update(images=[]),
    "configurations": lambda v: v["configurations"].pop(),
    "breaches-hidden": lambda v: v.update(breaches=[]),
    "gaps-hidden": lambda v: v.update(not_applicable=[]),
    "attempts": lambda v: v["attempts"].update(infra_failed=0),
    "exclusion-invented": lambda v: v["exclusions"].append(
        {
            "trial": "claw-reference/tidy-notes/0",
            "outcome": "infra_failed",
            "reason": "x",
            "attempts": 1,
        }
    ),
}.items():
    document(f"report-{field}", 9, "report-differs", REPORT, edit)
document("report-without-its-label", 9, "label-missing", REPORT, lambda v: v.update(labels=[]))
content("page-of-another-report", 9, "page-differs")(
    lambda f: f | {"data/report/report.html": embedded.embed(b'{"scores":{"k":4}}')}
)
content("page-without-report", 9, "malformed")(
    lambda f: f | {"data/report/report.html": b"<!doctype html><title>100 %</title>"}
)
content("page-with-two-reports", 9, "malformed")(
    lambda f: f | {"data/report/report.html": f["data/report/report.html"] * 2}
)
for fact in ("requests", "repeated_errors", "ignored_errors", "abandoned_subagents"):
    rows(
        f"record-fact-{fact}",
        8,
        "records-differ",
        RECORDS,
        first(lambda v, fact=fact: v["facts"].update({fact: 9})),
    )


def rescored(name: str, edit: Callable[[Any], Any]) -> None:
    """An edit of the scores, with the report made to fit."""

    def make(files: Files) -> Files:
        files = edit_json(files, RESULTS + "scores.json", edit)
        scores = json.loads(files[RESULTS + "scores.json"])
        files = edit_json(files, "data/report/report.json", lambda v: v.update(scores=scores))
        report = files["data/report/report.json"]
        return files | {"data/report/report.html": embedded.embed(report)}

    content(name, 8, "scores-differ")(make)


rescored("scores-edited", lambda v: v.update({next(iter(v)): "edited"}))
rescored("scores-added", lambda v: v.update(extra="1"))

# -- step 7: secrets, with everything below them made to fit

GITHUB = b"ghp_" + b"a1B2" * 9


def leaked(name: str, secret: bytes, at: str = TRACE, code: str = "secret-left") -> None:
    def make(files: Files) -> Files:
        path = f"{at}/exchanges.jsonl"
        files = files | {path: files[path].replace(b'"done"', b'"done ' + secret + b'"', 1)}
        digest = canonical.bytes_digest(files[path])
        return edit_json(files, f"{at}/trial.json", lambda v: v.update(exchanges=digest))

    content(name, 7, code)(make)


leaked("secret-github", GITHUB)
leaked("secret-aws", b"AKIAIOSFODNN7EXAMPLE")
leaked("secret-private-key", b"-----BEGIN EC PRIVATE KEY-----")
leaked("secret-anthropic", b"sk-ant-api03-" + b"x" * 60)
leaked("secret-jwt", b"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + b"s" * 43)
content("secret-in-the-report", 7, "secret-left")(
    lambda f: f | {"data/report/report.html": f["data/report/report.html"] + GITHUB}
)
content("secret-in-the-vault", 7, "secret-left")(lambda f: f | {"data/safety/index.json": GITHUB})


def first_canary(files: Files) -> str:
    spec = next(s for s in json.loads(files[PLAN])["trials"] if s["scenario"] == "three-way-match")
    assert spec["configuration"] == "direct-reference" and spec["index"] == 0
    from clawpro_artifact.model.canary import canary_value

    return str(canary_value(spec["seed"], "pin", "token"))


def canary_left(name: str, disguise: Callable[[bytes], bytes]) -> None:
    def make(files: Files) -> Files:
        secret = disguise(first_canary(files).encode())
        path = f"{TRACE}/exchanges.jsonl"
        text = json.dumps(secret.decode())[1:-1].encode()
        files = files | {path: files[path].replace(b'"done"', b'"done ' + text + b'"', 1)}
        digest = canonical.bytes_digest(files[path])
        return edit_json(files, f"{TRACE}/trial.json", lambda v: v.update(exchanges=digest))

    content(f"canary-{name}", 7, "canary-left")(make)


canary_left("plain", lambda v: v)
canary_left("base64", base64.b64encode)
canary_left("base64-inside", lambda v: base64.b64encode(b"x" + v + b"yz"))
canary_left("base64url-inside", lambda v: base64.urlsafe_b64encode(b"ab" + v))
canary_left("hex", lambda v: v.hex().encode())
canary_left("hex-upper", lambda v: v.hex().upper().encode())
canary_left("percent", lambda v: "".join(f"%{b:02X}" for b in v).encode())
canary_left("reversed", lambda v: v[::-1])
content("canary-in-the-report", 7, "canary-left")(
    lambda f: (
        f | {"data/report/report.html": f["data/report/report.html"] + first_canary(f).encode()}
    )
)
content("canary-in-the-notes", 7, "canary-left")(
    lambda f: f | {"data/release-notes.md": first_canary(f).encode()}
)

for what, said in (
    ("another", b'"root":"sha256:' + b"1" * 64 + b'"'),
    ("none", b'"root":null'),
):
    content(f"openings-root-{what}", 6, "openings-root")(
        lambda f, said=said: f  # type: ignore[misc]
        | {"data/results/redactions.json":
           b'{"format":"clawpro.redactions.v1","redactions":0,' + said + b"}"}
    )  # fmt: skip
content("openings-counted-wrong", 6, "openings-root")(
    lambda f: f
    | {"data/results/redactions.json":
       b'{"format":"clawpro.redactions.v1","redactions":7,"root":"sha256:'
       b'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}'}
)  # fmt: skip
