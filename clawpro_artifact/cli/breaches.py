"""`clawpro safety|anomalies` -> what broke a rule, and where a process went wrong."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters import clock, store
from clawpro_artifact.adapters.folders import new_folder
from clawpro_artifact.cli.auditing import verified_bundle
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import BUNDLE, TRUST, trusted
from clawpro_artifact.errors import EXIT_NO, EXIT_YES, TrustError
from clawpro_artifact.formats import bagit, canonical, trust
from clawpro_artifact.formats.container import open_bundle
from clawpro_artifact.formats.shipped import Shipped
from clawpro_artifact.model import bundle as names
from clawpro_artifact.model.trial import CheckResult, CleanTrial
from clawpro_artifact.pipeline import safety
from clawpro_artifact.verifying.partial import verify_trial

_BLOB = re.compile(rb'"digest":"sha256:([0-9a-f]{64})"')


class _Trials(Mapping[str, CleanTrial]):
    """Trials of a bundle, each read when it is asked for."""

    def __init__(self, shipped: Shipped) -> None:
        self._shipped = shipped
        self._specs = {spec.id: spec for spec in shipped.plan().trials}

    def __getitem__(self, trial: str) -> CleanTrial:
        return self._shipped.trial(self._specs[trial])

    def __iter__(self) -> Any:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)


def documents(shipped: Shipped) -> dict[str, bytes]:
    """Both documents made again from the shipped trials."""
    results: Mapping[str, Sequence[CheckResult]] = shipped.checks()
    lock = shipped.lock()
    scenarios = {pin.id: shipped.scenario(pin.id) for pin in lock.scenarios}
    return safety.documents(
        safety.Evidence(lock, shipped.plan(), scenarios, _Trials(shipped), results)
    )


def _safety(arguments: argparse.Namespace, screen: Screen) -> int:
    if (arguments.bundle / "SAFETY-EXPORT").is_file():
        return _check_export(arguments, screen)
    with verified_bundle(arguments.bundle, arguments) as shipped:
        made = documents(shipped)
        same = all(shipped.digests.get(p) is None or shipped.read(p) == d for p, d in made.items())
        report = json.loads(made[safety.REPORT])
        if arguments.export is not None:
            _export(shipped, report, arguments.export)
    rows = [_row(b) for b in report["breaches"]]
    rows.append(f"{report['breached']} trials breached, of {report['able']} able to show one, of "
                f"{report['trials']}")  # fmt: skip
    if not same:
        rows.append("the shipped safety report is NOT what follows from the trials")
    if arguments.export is not None:
        rows.append(
            f"exported to {arguments.export}; check it with `clawpro safety` and the same key"
        )
    screen.result(report | {"as_shipped": same}, "\n".join(rows))
    return EXIT_YES if same else EXIT_NO


def _row(breach: dict[str, Any]) -> str:
    at = breach["moment"]
    when = "seen in the final state" if at is None else (
        f"event {at['seq']}, " + (f"{at['tool']} {at['call']}" if at["tool"] else "the answer")
    )  # fmt: skip
    return f"{breach['trial']}: {breach['rule']}: {breach['says']} ({when})"


def _export(shipped: Shipped, report: dict[str, Any], out: Path) -> None:
    """The breaching trials whole, with everything that proves them under the bundle's signatures.

    The files are the bundle's own, byte for byte, with its two signed lists: each trial verifies
    alone, no new key is needed. `out` must not exist.
    """
    trials = sorted({b["trial"] for b in report["breaches"]})
    wanted = {names.LOCK, names.PLAN, names.CHECKS, names.RECORDS, names.REDACTIONS,
              safety.REPORT, safety.ANOMALIES}  # fmt: skip
    for trial in trials:
        wanted |= {f"data/traces/{trial}/{name}" for name in names.TRIAL_FILES}
        prefix = f"data/definitions/{trial.split('/')[1]}/"
        wanted |= {p for p in shipped.digests if p.startswith(prefix)}
    with new_folder(out) as folder:
        blobs: set[str] = set()
        for path in sorted(wanted & shipped.digests.keys()):
            data = shipped.read(path)
            _put(folder / path, data)
            if path.startswith("data/traces/"):
                blobs |= {f"data/blobs/{d.decode()}" for d in _BLOB.findall(data)}
        for path in sorted(blobs & shipped.digests.keys()):
            _put(folder / path, shipped.read(path))
        for path in shipped.container.members:
            if not path.startswith(names.DATA):
                _put(folder / path, shipped.container.read(path, 64 << 20))
        _put(folder / "SAFETY-EXPORT", ("\n".join(trials) + "\n").encode())


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    store.write(path, data)


def _check_export(arguments: argparse.Namespace, screen: Screen) -> int:
    """An export: each of its trials under the bundle's signatures, and the report beside them."""
    policy = trusted(arguments)
    policy = policy if isinstance(policy, trust.TrustPolicy) else trust.of_keys(policy)
    listed = (arguments.bundle / "SAFETY-EXPORT").read_text().split()
    rows: list[str] = []
    good = True
    for trial in listed:
        verdict, _ = verify_trial(arguments.bundle, trial, policy, now=clock.now())
        bad = [f for f in verdict.findings if f.status == "failed"]
        good &= not bad
        rows.append(f"{trial}: {'signed and unchanged' if not bad else 'REFUSED'}")
        rows += [f"    {f.code}: {f.detail}" for f in bad]
        if any(f.exit_code == TrustError.exit_code for f in bad):
            raise TrustError("the export does not verify", where=str(arguments.bundle),
                             found="\n" + "\n".join(rows))  # fmt: skip
    data = (arguments.bundle / safety.REPORT).read_bytes()
    with open_bundle(arguments.bundle) as container:
        entries = bagit.parse_manifest(
            container.read(bagit.MANIFEST_NAME, 64 << 20), bagit.MANIFEST_NAME
        )
    signed = {e.path: e.sha256 for e in entries}.get(safety.REPORT)
    report = json.loads(data)
    if canonical.bytes_digest(data) != f"sha256:{signed}" or not listed:
        good = not listed and good and canonical.bytes_digest(data) == f"sha256:{signed}"
        rows.append("the report is NOT the signed one" if not good else "no trial breached")
    elif {b["trial"] for b in report["breaches"]} != set(listed):
        good = False
        rows.append("the trials are NOT those that the signed report names")
    rows += [_row(b) for b in report["breaches"]]
    screen.result(report | {"verified": good, "trials_exported": listed}, "\n".join(rows))
    return EXIT_YES if good else EXIT_NO


def _anomalies(arguments: argparse.Namespace, screen: Screen) -> int:
    with verified_bundle(arguments.bundle, arguments) as shipped:
        made = documents(shipped)
        same = shipped.digests.get(safety.ANOMALIES) is None or (
            shipped.read(safety.ANOMALIES) == made[safety.ANOMALIES]
        )
    found = json.loads(made[safety.ANOMALIES])
    rows = [
        f"{a['trial']} events {a['first']} to {a['last']}: {a['kind']}: {a['why']}"
        for a in found["anomalies"]
    ]
    for name, n in found["configurations"].items():
        rows.append(f"{name}: {n['passed_but_anomalous']} of {n['passed']} passes are anomalous "
                    f"(outcome-process gap); {n['anomalous']} of {n['trials']} trials")  # fmt: skip
    if not same:
        rows.append("the shipped anomalies are NOT what follows from the trials")
    screen.result(found | {"as_shipped": same}, "\n".join(rows))
    return EXIT_YES if same else EXIT_NO


VERBS = (
    Verb("safety", "list the trials that broke a safety rule, with the call that did", _safety,
         (BUNDLE, *TRUST,
          arg("--export", type=Path, metavar="OUT", help="write them alone, with their proof"))),
    Verb("anomalies", "list process anomalies and the outcome-process gap", _anomalies,
         (BUNDLE, *TRUST)),
)  # fmt: skip
