"""`clawpro verify` -> the verifier's argument, step by step."""

from __future__ import annotations

import argparse
from pathlib import Path

from clawpro_artifact import verifying
from clawpro_artifact.adapters import clock
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.errors import UsageError
from clawpro_artifact.formats import documents, publickey, trust
from clawpro_artifact.formats.publickey import PublicKey
from clawpro_artifact.formats.trust import TrustPolicy
from clawpro_artifact.model.bundle import STEPS, Verdict

MARKS = {"passed": "passed     ", "failed": "FAILED     ", "not_checked": "not checked"}
BUNDLE = arg("bundle", type=Path, metavar="BUNDLE", help="a bundle: folder or .tar")
TRUST = (
    arg("--key", action="append", type=Path, metavar="PUBLIC", help="trust this public key (PEM)"),
    arg("--policy", type=Path, help="trust what this policy file says"),
)


def trusted(arguments: argparse.Namespace) -> list[PublicKey] | TrustPolicy:
    """What the caller trusts; never a key out of the bundle."""
    if bool(arguments.key) == bool(arguments.policy):
        raise UsageError(
            "whom do you trust?",
            expected="either --key PUBLIC (may be repeated) or --policy FILE",
            do="get the public key from the publisher by another way than the bundle",
        )
    if arguments.policy:
        path = str(arguments.policy)
        return trust.read(documents.read_bytes(arguments.policy), path)
    return [publickey.from_pem(documents.read_bytes(p), str(p)) for p in arguments.key]


def lines(verdict: Verdict) -> list[str]:
    """The verdict as a person reads it: the steps in order, then what went wrong."""
    rows = []
    for number, title in enumerate(STEPS):
        status = verdict.status_of(number)
        rows.append(f"{number:>2} {MARKS[status]} {title}")
        for finding in verdict.findings:
            if finding.step == number and (finding.status != "passed" or finding.detail):
                rows.append(f"     {finding.code}: {finding.detail}" if finding.code else
                            f"     {finding.detail}")  # fmt: skip
    rows.append(f"verdict: {verdict.answer}" + (f"  bundle {verdict.bundle_id}" if
                verdict.bundle_id else ""))  # fmt: skip
    return rows


def _verify(arguments: argparse.Namespace, screen: Screen) -> int:
    verdict = verifying.verify(arguments.bundle, trusted(arguments), now=clock.now())
    screen.result(verdict.as_json(), "\n".join(lines(verdict)))
    return verdict.exit_code


VERBS = (
    Verb(
        "verify",
        "check a bundle offline, with keys that you name",
        _verify,
        (BUNDLE, *TRUST),
        "Eleven steps; 'not checked' never counts as passed. No engine, no network, nothing of the "
        "bundle is executed.\nExit 0 yes, 1 no, 8 not trusted.",
    ),
)
