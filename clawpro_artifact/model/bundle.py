"""bundling -> Claim, verifying -> Finding, Verdict; the names of everything in a bundle.

Plain dataclasses, not pydantic: the verifier also runs as one file beside `cryptography` alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

PREDICATE_TYPE = "urn:clawpro:predicate:release:v1"
CLAIM_FORMAT = "clawpro.release.v1"
BUNDLE_FORMAT = "clawpro.bundle.v1"

DATA = "data/"
KEYS = "keys/"
SIGNATURES = "signatures/"
ATTESTATIONS = "attestations/"
ALLOWED_SIGNERS = "keys/allowed_signers"
PRINCIPAL = "release"
README_NAME = "VERIFY.md"
SCRIPT_NAME = "verify.sh"
LOG_PROOF = "signatures/log-proof.txt"
LOG_LIST = "signatures/log-list.txt"
LOG_KEY = "keys/log.pem"
KEY_STEM = 16  # hex digits of a keyid in the names of its files

MANIFEST = "data/manifest.json"
LOCK = "data/lock.json"
PLAN = "data/plan.json"
RECORDS = "data/results/records.jsonl"
SCENARIOS = "data/results/scenarios.jsonl"
CHECKS = "data/results/checks.jsonl"
ATTEMPTS = "data/results/attempts.jsonl"
SCORES = "data/results/scores.json"
REDACTIONS = "data/results/redactions.json"
REPORT = "data/report/report.json"
REPORT_PAGE = "data/report/report.html"
NOTES = "data/release-notes.md"
RO_CRATE = "data/ro-crate-metadata.json"
# Documents that the signed claim names by digest.
CLAIMED = (MANIFEST, LOCK, PLAN, RECORDS, SCENARIOS, CHECKS, ATTEMPTS, SCORES, REPORT)
# Folders of our own code and schemas, by the field of the lock that pins them.
CODE = ("checking", "sanitizing", "schemas", "scoring")
TRIAL_FILES = ("events.jsonl", "exchanges.jsonl", "trial.json")

Status = Literal["passed", "failed", "not_checked"]
Answer = Literal["yes", "no", "undecided"]

STEPS = (
    "the container is well-formed and safe to read",
    "the index lists every file and no other",
    "every digest matches",
    "the signature is by a key that the caller trusts, valid at signing time",
    "the statement's subject is this index and its predicate type is ours",
    "the lock names these images, scenarios, checks and scoring code",
    "every planned trial is present, k >= 3, every attempt accounted for",
    "no secret pattern and no canary remains",
    "re-scoring reproduces every number exactly",
    "the report says what the scores say",
    "this release does not roll back the one last seen",
)
# Without these a verdict is never yes; the last step needs a memory that a stranger has not.
REQUIRED_STEPS = range(10)
# What can be said about one trial without reading the others.
PART_STEPS = (1, 2, 3, 4, 6, 7)


@dataclass(frozen=True)
class Finding:
    """One result of a step. `code` is a stable word; `exit_code` counts if it failed: 1 or 8."""

    step: int
    status: Status
    code: str
    detail: str
    exit_code: int = 1

    @property
    def title(self) -> str:
        """The step in words."""
        return STEPS[self.step]

    def as_json(self) -> dict[str, Any]:
        """The same, for `--json`."""
        return {
            "step": self.step,
            "title": self.title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
        }


@dataclass(frozen=True)
class Claim:
    """What the signer says about a bundle: the predicate of its statement.

    `documents`: digest of each document in CLAIMED. `created`: RFC 3339, UTC, whole seconds.
    `sequence` counts the releases of this name; `previous` is the bundle id before it.
    `bundle_id`: sha256 of the tag manifest, which names all other bytes.
    """

    name: str
    version: str
    sequence: int
    previous: str | None
    created: str
    software: str
    documents: dict[str, str]
    payload_manifest: str
    payload_files: int
    payload_bytes: int

    def as_json(self) -> dict[str, Any]:
        """The predicate."""
        return {
            "format": CLAIM_FORMAT,
            "name": self.name,
            "version": self.version,
            "sequence": self.sequence,
            "previous": self.previous,
            "created": self.created,
            "software": self.software,
            "documents": dict(self.documents),
            "payload": {
                "manifest": self.payload_manifest,
                "files": self.payload_files,
                "bytes": self.payload_bytes,
            },
        }


@dataclass(frozen=True)
class LastSeen:
    """What a reader remembers of the newest release of a name that he accepted."""

    name: str
    sequence: int
    bundle_id: str
    log_size: int | None = None
    log_root: str | None = None


@dataclass(frozen=True)
class Verdict:
    """All findings in the order of the steps; `claim` and `keys` only once step 4 has passed.

    `log`: size and root (hex) of the release log that the bundle came with. `part`: the trial that
    alone was looked at; the answer is about it.
    """

    bundle_id: str | None
    findings: tuple[Finding, ...]
    claim: Claim | None = None
    keys: tuple[str, ...] = ()
    log: tuple[int, str] | None = None
    part: str | None = None

    @property
    def answer(self) -> Answer:
        """no: something failed; undecided: a step that every verdict needs was not checked."""
        if any(f.status == "failed" for f in self.findings):
            return "no"
        passed = {f.step for f in self.findings if f.status == "passed"}
        open_steps = {f.step for f in self.findings if f.status == "not_checked"}
        required = REQUIRED_STEPS if self.part is None else PART_STEPS
        return "yes" if set(required) <= passed - open_steps else "undecided"

    @property
    def exit_code(self) -> int:
        """0 yes; 8 if only trust is missing; else 1."""
        if self.answer == "yes":
            return 0
        failed = {f.exit_code for f in self.findings if f.status == "failed"}
        return failed.pop() if len(failed) == 1 else 1

    def remembered(self) -> LastSeen:
        """What a reader keeps after a yes; ValueError after anything else."""
        if self.answer != "yes" or self.part or self.claim is None or self.bundle_id is None:
            raise ValueError("only a release that was accepted is remembered")
        size, root = self.log or (None, None)
        return LastSeen(self.claim.name, self.claim.sequence, self.bundle_id, size, root)

    def status_of(self, step: int) -> Status:
        """failed if anything of the step failed, passed only if all of it passed."""
        states = {f.status for f in self.findings if f.step == step}
        if "failed" in states:
            return "failed"
        return "passed" if states == {"passed"} else "not_checked"

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "format": "clawpro.verdict.v1",
            "answer": self.answer,
            "exit_code": self.exit_code,
            "bundle": self.bundle_id,
            "part": self.part,
            "claim": self.claim.as_json() if self.claim else None,
            "keys": list(self.keys),
            "log": None if self.log is None else {"size": self.log[0], "root": self.log[1]},
            "steps": [
                {"step": n, "title": title, "status": self.status_of(n)}
                for n, title in enumerate(STEPS)
            ],
            "findings": [f.as_json() for f in self.findings],
        }
