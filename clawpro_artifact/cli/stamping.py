"""`clawpro timestamp ...` -> adapters.timestamps."""

from __future__ import annotations

import argparse
from pathlib import Path

from clawpro_artifact.adapters import store, timestamps
from clawpro_artifact.adapters.clock import timestamp
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import BUNDLE
from clawpro_artifact.errors import UsageError
from clawpro_artifact.formats import bagit, documents
from clawpro_artifact.formats.container import open_bundle


def _tags(bundle: Path) -> bytes:
    with open_bundle(bundle) as container:
        return container.read(bagit.TAG_MANIFEST_NAME, 64 << 20)


def _get(arguments: argparse.Namespace, screen: Screen) -> int:
    request = timestamps.query(_tags(arguments.bundle))
    data = request if arguments.url is None else timestamps.ask(arguments.url, request)
    what = "request" if arguments.url is None else "response"
    if not store.write_new(arguments.out, data):
        raise UsageError("the file exists already", where=str(arguments.out))
    screen.result({what: str(arguments.out)}, f"wrote the {what} to {arguments.out}")
    return 0


def _check(arguments: argparse.Namespace, screen: Screen) -> int:
    moment = timestamps.check(
        documents.read_bytes(arguments.stamp),
        _tags(arguments.bundle),
        [documents.read_bytes(path) for path in arguments.root],
        str(arguments.stamp),
    )
    text = timestamp(moment)
    screen.result({"time": text}, f"this bundle existed on {text}, says the authority")
    return 0


VERBS = (
    Verb(
        "timestamp get",
        "ask an RFC 3161 authority to state that a bundle exists",
        _get,
        (
            BUNDLE,
            arg("out", type=Path, metavar="FILE", help="where the response goes (beside BUNDLE)"),
            arg("--url", help="the authority; without it the request is written, to send yourself"),
        ),
    ),
    Verb(
        "timestamp check",
        "check a time stamp over a bundle; verify the bundle itself with `clawpro verify`",
        _check,
        (
            BUNDLE,
            arg("stamp", type=Path, metavar="FILE"),
            arg("--root", action="append", type=Path, required=True, metavar="CERT",
                help="trust this authority's root certificate (PEM)"),
        ),
    ),
)  # fmt: skip
