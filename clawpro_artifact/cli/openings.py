"""`clawpro vault|open|audit-redaction` -> what redactions replaced, for chosen people."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from clawpro_artifact.adapters import store
from clawpro_artifact.adapters.checkout import Checkout
from clawpro_artifact.cli.auditing import verified_bundle
from clawpro_artifact.cli.release import MANIFEST, MODEL_NAME
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import BUNDLE, TRUST
from clawpro_artifact.errors import EXIT_NO, EXIT_YES, InputError, UsageError
from clawpro_artifact.formats import canonical, documents
from clawpro_artifact.formats.shipped import Shipped
from clawpro_artifact.pipeline import evidence, planned
from clawpro_artifact.sanitizing import openings
from clawpro_artifact.sanitizing.openings import Opening, Vault

TO = arg("--to", action="append", default=[], metavar="RECIPIENT",
         help="who may read it: age1..., an SSH public key, or a file that holds one")  # fmt: skip
SOURCE = (
    arg("--vault", type=Path, metavar="FILE", help="an age file made by `clawpro vault`"),
    arg("--identity", type=Path, metavar="FILE", help="the secret key that opens it"),
)


def _vault(arguments: argparse.Namespace, screen: Screen) -> int:
    checkout = Checkout.find()
    made = evidence.vault(checkout, planned(checkout, arguments.manifest, arguments.model_name))
    store.write(arguments.out, openings.seal(made, _recipients(arguments.to)), mode=0o600)
    screen.result(
        {"format": "clawpro.vault-made.v1", "openings": len(made.openings)},
        f"{len(made.openings)} openings in {arguments.out}, for {len(arguments.to)} key(s)",
    )
    return EXIT_YES


def _open(arguments: argparse.Namespace, screen: Screen) -> int:
    given = _given(arguments)
    if arguments.trial or arguments.commitment:
        given = openings.select(given, arguments.trial, arguments.commitment)
    with verified_bundle(arguments.bundle, arguments) as shipped:
        reasons = check(given.openings, shipped)
    rows = []
    for one, reason in zip(given.openings, reasons, strict=True):
        shown = json.dumps(one.secret.decode("utf-8", "backslashreplace"))
        word = f"opens to {shown}" if reason is None else f"FORGED: {reason}"
        rows.append(f"{one.trial} {one.place} {one.rule}: {word}")
    good = sum(reason is None for reason in reasons)
    rows.append(f"{good} of {len(reasons)} openings are true of the bundle")
    if arguments.hand_over is not None:
        data = openings.seal(given, _recipients(arguments.to)) if arguments.to else (
            canonical.encode(given))  # fmt: skip
        store.write(arguments.hand_over, data, mode=0o600)
    value = {
        "format": "clawpro.opened.v1",
        "openings": [
            {"trial": o.trial, "place": o.place, "rule": o.rule, "commitment": o.commitment,
             "forged": reason}
            for o, reason in zip(given.openings, reasons, strict=True)
        ],
    }  # fmt: skip
    screen.result(value, "\n".join(rows))
    return EXIT_YES if good == len(reasons) else EXIT_NO


def check(given: Sequence[Opening], shipped: Shipped) -> list[str | None]:
    """Why each opening is not true of a bundle that verified; None if it is."""
    plan = {spec.id: spec for spec in shipped.plan().trials}
    trials = {t: shipped.trial(plan[t]) for t in {o.trial for o in given} if t in plan}
    return [
        openings.check_opening(one, trials[one.trial])
        if one.trial in trials
        else "the bundle has no such trial"
        for one in given
    ]


def _audit(arguments: argparse.Namespace, screen: Screen) -> int:
    checkout = Checkout.find()
    p = planned(checkout, arguments.manifest, arguments.model_name)
    forged = opened = 0
    with verified_bundle(arguments.bundle, arguments) as shipped:
        if shipped.plan() != p.plan:
            raise InputError(
                "the bundle is of another plan",
                where=str(arguments.bundle),
                expected=f"the plan of {arguments.manifest} as this checkout plans it",
                found=shipped.plan().lock,
                do="use the checkout and the manifest of this release",
            )
        if arguments.vault:
            reasons = check(_given(arguments).openings, shipped)
            opened, forged = len(reasons), sum(r is not None for r in reasons)
        found = evidence.audit(checkout, p, shipped)
    rows = []
    for t in found.trials:
        if not t.equal:
            what = ", ".join(t.moved) or "the clean trial made anew is not the published one"
            rows.append(f"{t.trial}: DIFFERENT: {what}")
    equal = sum(t.equal for t in found.trials)
    rows.append(f"{equal} of {len(found.trials)} trials: raw and clean checked the same")
    rows.append(f"scores from raw records: {'identical' if found.same_scores else 'DIFFERENT'}")
    if arguments.vault:
        rows.append(f"{opened - forged} of {opened} openings of the vault are true of the bundle")
    screen.result(
        {
            "format": "clawpro.redaction-audit.v1",
            "same_scores": found.same_scores,
            "openings": opened,
            "forged": forged,
            "trials": [
                {"trial": t.trial, "redactions": t.redactions, "moved": list(t.moved),
                 "as_published": t.shipped}
                for t in found.trials
            ],
        },
        "\n".join(rows),
    )  # fmt: skip
    return EXIT_YES if found.equal and not forged else EXIT_NO


def _given(arguments: argparse.Namespace) -> Vault:
    """The openings: of a vault and its key, or handed over as they are."""
    if arguments.vault is None:
        raise UsageError("which openings?", expected="--vault FILE (and --identity FILE)")
    data = documents.read_bytes(arguments.vault)
    if not data.startswith(b"age-encryption.org/"):
        return documents.load_json(Vault, data, str(arguments.vault))
    if arguments.identity is None:
        raise UsageError("the vault is sealed", expected="--identity FILE, the key that opens it")
    identity = documents.read_bytes(arguments.identity).decode("utf-8", "replace")
    return openings.unseal(data, identity, str(arguments.vault))


def _recipients(texts: Sequence[str]) -> list[str]:
    return [Path(t).read_text().strip() if Path(t).is_file() else t for t in texts]


VERBS = (
    Verb("vault", "seal what redactions of a finished run replaced, for the keys you name", _vault,
         (MANIFEST, MODEL_NAME, TO, arg("--out", type=Path, required=True, metavar="FILE"))),
    Verb("open", "show what redactions replaced and check it against a bundle (exit 1 if forged)",
         _open,
         (BUNDLE, *TRUST, *SOURCE,
          arg("--trial", metavar="ID", help="only those of one trial"),
          arg("--commitment", metavar="DIGEST", help="only this one"),
          arg("--hand-over", type=Path, metavar="FILE", help="write these openings for an auditor"),
          TO)),
    Verb("audit-redaction", "check and score trials raw and clean and compare (exit 1 if moved)",
         _audit,
         (BUNDLE, MANIFEST, MODEL_NAME, *TRUST, *SOURCE)),
)  # fmt: skip
