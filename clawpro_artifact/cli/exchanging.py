"""`clawpro export|import` -> documents of other tools, and traces that a team already has."""

from __future__ import annotations

import argparse
from pathlib import Path

from clawpro_artifact import __version__, bundling
from clawpro_artifact.adapters import clock, environment, keys, salts, store
from clawpro_artifact.adapters.folders import new_folder
from clawpro_artifact.cli.auditing import verified_bundle
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import BUNDLE, TRUST
from clawpro_artifact.errors import EXIT_YES
from clawpro_artifact.formats import canonical
from clawpro_artifact.pipeline import exchange
from clawpro_artifact.sanitizing.context import PERSONAL


def _export(arguments: argparse.Namespace, screen: Screen) -> int:
    with (
        verified_bundle(arguments.bundle, arguments) as shipped,
        new_folder(arguments.out) as folder,
    ):
        count = 0
        for name, document in exchange.export(shipped, arguments.format, arguments.trial):
            store.write(folder / name, canonical.encode(document) + b"\n")
            count += 1
    screen.result({"format": arguments.format, "documents": count},
                  f"{count} {arguments.format} documents in {arguments.out}")  # fmt: skip
    return EXIT_YES


def _import(arguments: argparse.Namespace, screen: Screen) -> int:
    found = [one for path in arguments.files for one in exchange.read(path)]
    secrets = environment.secret_values(arguments.secret_env)
    key, _ = keys.load_or_create(keys.path_of(arguments.signer), keys.passphrase())
    salt = salts.salt_key(keys.folder().parent / "salt.key")
    files = list(exchange.bag(found, secrets, salt, tuple(arguments.personal)))
    info = bundling.ReleaseInfo(
        name=arguments.name, version="0", created=clock.timestamp(clock.now()),
        software=__version__,
    )  # fmt: skip
    made = bundling.bundle(files, [key], info, arguments.out)
    defects = sum(len(one.defects) for one in found)
    events = sum(len(one.events) for one in found)
    screen.result(
        {"bundle": made.bundle_id, "traces": len(found), "events": events, "defects": defects},
        f"{len(found)} traces, {events} events, {defects} defects of their files, sanitized and "
        f"signed in {arguments.out}",
    )
    return EXIT_YES


VERBS = (
    Verb("export", "write a bundle's traces or figures in another tool's format", _export,
         (BUNDLE, *TRUST,
          arg("--format", required=True, choices=exchange.FORMATS),
          arg("--out", type=Path, required=True, metavar="FOLDER"),
          arg("--trial", metavar="ID", help="only this trial"))),
    Verb("import", "sanitize, examine and sign traces of other tools", _import,
         (arg("files", nargs="+", type=Path, metavar="FILE",
              help="ATIF, Inspect .json log, OpenClaw session (JSONL, SQLite, packed)"),
          arg("--out", type=Path, required=True, metavar="FOLDER"),
          arg("--name", default="imported", help="name of the bag (default: %(default)s)"),
          arg("--signer", default=keys.DEFAULT_NAME, help="which signing key"),
          arg("--secret-env", action="append", default=[], metavar="NAME",
              help="an environment variable whose value must not remain"),
          arg("--personal", action="append", default=[], choices=sorted(PERSONAL),
              help="a kind of personal data that must not remain"))),
)  # fmt: skip
