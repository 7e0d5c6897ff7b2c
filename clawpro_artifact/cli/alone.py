"""argv -> Verdict -> text or JSON, with nothing but `cryptography`: the main of the zipapp."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from clawpro_artifact.adapters import clock
from clawpro_artifact.errors import EXIT_USAGE, ClawproError, InputError
from clawpro_artifact.formats import publickey, trust
from clawpro_artifact.formats.trust import TrustPolicy
from clawpro_artifact.model.bundle import STEPS, Verdict
from clawpro_artifact.verifying import verify
from clawpro_artifact.verifying.partial import verify_trial

_MARKS = {"passed": "passed     ", "failed": "FAILED     ", "not_checked": "not checked"}


def main(argv: Sequence[str] | None = None) -> int:
    """Verify one bundle; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="clawpro-verify",
        description="Verify a release bundle, offline. Exit codes: 0 yes, 1 no, 2 usage, "
        "3 malformed key or policy, 5 disk, 8 not trusted.",
    )
    parser.add_argument("bundle", type=Path, help="a bundle: a folder or a tar")
    parser.add_argument("--key", type=Path, action="append", default=[], help="public key (PEM)")
    parser.add_argument("--policy", type=Path, help="trust policy, instead of keys")
    parser.add_argument("--trial", help="only this trial: configuration/scenario/index")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args(argv)
    if bool(arguments.key) == bool(arguments.policy):
        print("clawpro-verify: name --key (or several), or --policy", file=sys.stderr)
        return EXIT_USAGE
    try:
        policy = _policy(arguments.key, arguments.policy)
        now = clock.now()
        if arguments.trial:
            verdict, _ = verify_trial(arguments.bundle, arguments.trial, policy, now=now)
        else:
            verdict = verify(arguments.bundle, policy, now=now)
    except ClawproError as error:
        print(json.dumps(error.as_json()) if arguments.json else f"clawpro-verify: {error}")
        return error.exit_code
    print(json.dumps(verdict.as_json(), indent=2) if arguments.json else text(verdict))
    return verdict.exit_code


def text(verdict: Verdict) -> str:
    """The steps as lines, the findings that are not a plain pass below theirs."""
    rows = []
    for step, title in enumerate(STEPS):
        rows.append(f"{step:>2}  {_MARKS[verdict.status_of(step)]}  {title}")
        for finding in verdict.findings:
            if finding.step == step and finding.status != "passed":
                rows.append(f"      {finding.code}: {finding.detail}")
    rows.append(f"verdict: {verdict.answer}  bundle: {verdict.bundle_id}")
    return "\n".join(rows)


def _policy(keys: Sequence[Path], policy: Path | None) -> TrustPolicy:
    if policy is not None:
        return trust.read(_read(policy), str(policy))
    return trust.of_keys([publickey.from_pem(_read(path), str(path)) for path in keys])


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            "the file cannot be read", where=str(path), found=error.strerror or "an error"
        ) from None


if __name__ == "__main__":
    sys.exit(main())
