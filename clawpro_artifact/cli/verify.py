"""`clawpro verify` -> the verifier's argument, step by step."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from clawpro_artifact import verifying
from clawpro_artifact.adapters import clock
from clawpro_artifact.adapters.memory import Memory, key_of_first_use
from clawpro_artifact.adapters.remote import open_remote
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.errors import ClawproError, UsageError
from clawpro_artifact.formats import documents, publickey, trust
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.formats.publickey import PublicKey
from clawpro_artifact.formats.trust import TrustPolicy
from clawpro_artifact.model.bundle import STEPS, Verdict
from clawpro_artifact.verifying.partial import verify_trial

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
    now = clock.now()
    if str(arguments.bundle).startswith(("http:/", "https:/")) and not arguments.trial:
        raise UsageError("only one trial is verified from a server", do="give --trial, or download")
    policy = _trust(arguments, screen)
    if arguments.trial:
        source = str(arguments.bundle)
        if source.startswith(("http:/", "https:/")):
            # Path() folds the two slashes of an address.
            address = re.sub(r"^(https?):/+", r"\1://", source)
            with open_remote(address) as (fetch, _):
                verdict, size = verify_trial(fetch, arguments.trial, policy, now=now, where=address)
        else:
            verdict, size = verify_trial(arguments.bundle, arguments.trial, policy, now=now)
        screen.result(
            {**verdict.as_json(), "bytes_read": size},
            "\n".join([*lines(verdict), f"read {size} bytes: only this trial was verified"]),
        )
        return verdict.exit_code
    memory = Memory()
    name = _release_name(arguments.bundle)
    seen = memory.last_seen(policy, name) if name else None
    verdict = verifying.verify(arguments.bundle, policy, now=now, last_seen=seen)
    if verdict.answer == "yes":
        memory.remember(policy, verdict.remembered())
    screen.result(verdict.as_json(), "\n".join(lines(verdict)))
    return verdict.exit_code


def _trust(arguments: argparse.Namespace, screen: Screen) -> TrustPolicy:
    """The caller's keys or policy; with --trust-on-first-use the pinned key of this release."""
    if not arguments.trust_on_first_use:
        found = trusted(arguments)
        return found if isinstance(found, TrustPolicy) else trust.of_keys(found)
    name = _release_name(arguments.bundle)
    if arguments.key or arguments.policy or name is None:
        raise UsageError("--trust-on-first-use goes alone, with a readable bundle")
    memory = Memory()
    pinned = memory.pinned(name)
    if pinned is None:
        pinned = key_of_first_use(arguments.bundle)
        screen.note(
            f"WARNING: first use. The key {pinned.keyid} comes out of the bundle itself: this "
            f"verdict says nothing about who made it. It is pinned for {name} from now on."
        )
        memory.pin(name, pinned)
    else:
        screen.note(f"the key pinned at first use of {name}: {pinned.keyid}")
    return trust.of_keys([pinned])


def _release_name(bundle: Path) -> str | None:
    """The name a bundle gives itself: only to look up what is remembered of it."""
    try:
        with open_bundle(bundle) as container:
            text = container.read("bag-info.txt", 1 << 16).decode("utf-8", "replace")
    except ClawproError:
        return None
    match = re.search(r"^Release-Name: ([a-z0-9]+(?:[-.][a-z0-9]+)*)$", text, re.MULTILINE)
    return match[1] if match else None


VERBS = (
    Verb(
        "verify",
        "check a bundle offline, with keys that you name",
        _verify,
        (
            BUNDLE,
            *TRUST,
            arg("--trial", metavar="ID", help="only this trial; BUNDLE may be an http address"),
            arg("--trust-on-first-use", action="store_true",
                help="pin the key that the bundle carries (loud; proves nothing the first time)"),
        ),
        "Eleven steps; 'not checked' never counts as passed. No engine, no network, nothing of the "
        "bundle is executed.\nWhat was accepted is remembered, so that an older release is refused "
        "later (step 10).\nExit 0 yes, 1 no, 8 not trusted.",
    ),
)  # fmt: skip
