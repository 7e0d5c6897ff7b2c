"""Bundle + trusted keys -> Verdict: offline, no engine, no adapter; nothing of a bundle is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import trust
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.formats.publickey import PublicKey
from clawpro_artifact.formats.trust import TrustPolicy
from clawpro_artifact.formats.view import Container
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.bundle import STEPS, Finding, LastSeen, Verdict
from clawpro_artifact.verifying import history, inner, outer, scores, secrets, trials
from clawpro_artifact.verifying.case import Case, RefusedError, UncheckedError, failed

Outer = Callable[[Case], None]
Inner = Callable[[Case], Iterator[RefusedError]]

MAX_FINDINGS = 20  # of one step; more would hide what matters

# Steps 1 to 4 stop at the first no: the later ones mean nothing without the ones before.
OUTER: Final[dict[int, Outer]] = {
    1: outer.index,
    2: outer.digests,
    3: outer.signatures,
    4: outer.statement,
}
INNER: Final[dict[int, Inner]] = {
    5: inner.lock,
    6: trials.trials,
    7: secrets.secrets,
    8: scores.scores,
    9: scores.report,
}


def verify(
    path: Path | Container,
    keys: Sequence[PublicKey] | TrustPolicy,
    *,
    now: datetime | None = None,
    last_seen: LastSeen | None = None,
    render: Callable[[bytes], bytes] | None = None,
    on_step: Callable[[int], None] = lambda step: None,
    awaited: PublicKey | None = None,
) -> Verdict:
    """The eleven steps of DESIGN section 6 over a bundle folder or tar.

    `keys`: what the caller trusts, one of which must have signed, or a policy. `now` is needed for
    a policy that expires. `render`: report.json -> its page, by the installed reporting code; with
    it step 9 compares the whole page, without it only the report that the page carries. `on_step`
    is told each step as it begins. `awaited`: an announced signer who looks at the bundle before
    signing; the verdict is then about everything but that signature. Raises InfraError if the disk
    fails; whatever is wrong with the bundle is a finding.
    """
    policy = keys if isinstance(keys, TrustPolicy) else trust.of_keys(keys)
    on_step(0)
    try:
        container = path if isinstance(path, Container) else open_bundle(path)
    except InputError as error:
        return _stopped(None, [failed(0, error)])
    with container:
        findings = [_passed(0, f"{len(container.members)} files")]
        stem = awaited.keyid[: names.KEY_STEM] if awaited else ""
        case = Case(container, policy, now, last_seen, render=render, awaited=stem)
        for step, check in OUTER.items():
            on_step(step)
            try:
                check(case)
            except (RefusedError, InputError) as error:
                return _stopped(case.bundle_id or None, [*findings, failed(step, error)])
            findings.append(_passed(step, _detail(case, step)))
        for step, look in INNER.items():
            on_step(step)
            findings += _look(case, step, look)
        on_step(10)
        findings += _history(case)
        try:
            container.check_unchanged()
        except InputError as error:
            findings.append(failed(2, error))
    log = None if case.log is None else (case.log.head.size, case.log.head.root.hex())
    return Verdict(case.bundle_id, tuple(findings), case.claim, case.signed_by, log)


def _look(case: Case, step: int, look: Inner) -> list[Finding]:
    """All findings of one of the steps 5 to 9."""
    found: list[Finding] = []
    try:
        for error in look(case):
            found.append(failed(step, error))
            if len(found) == MAX_FINDINGS:
                break
    except (RefusedError, InputError) as error:
        found.append(failed(step, error))
    except UncheckedError as error:
        found.append(Finding(step, "not_checked", error.code, error.detail))
    return found or [_passed(step, "")]


def _history(case: Case) -> list[Finding]:
    try:
        history.history(case)
    except (RefusedError, InputError) as error:
        return [failed(10, error)]
    except UncheckedError as error:
        return [Finding(10, "not_checked", error.code, error.detail)]
    return [_passed(10, "")]


def _stopped(bundle_id: str | None, findings: list[Finding]) -> Verdict:
    """The verdict when steps 0 to 4 end early: the rest was not checked."""
    after = findings[-1].step + 1
    rest = [
        Finding(step, "not_checked", "not-reached", f"step {after - 1} failed")
        for step in range(after, len(STEPS))
    ]
    return Verdict(bundle_id, (*findings, *rest))


def _passed(step: int, detail: str) -> Finding:
    return Finding(step, "passed", "passed", detail)


def _detail(case: Case, step: int) -> str:
    if step == 2:
        return f"{len(case.payload) + len(case.tags)} digests"
    if step == 3:
        return "signed by " + ", ".join(case.signed_by)
    return ""


__all__ = ["verify"]
