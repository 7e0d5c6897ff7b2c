"""`clawpro keys ...` -> adapters.keys."""

from __future__ import annotations

import argparse

from clawpro_artifact.adapters import keys
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.formats import sshsig
from clawpro_artifact.formats.publickey import PublicKey

NAME = arg("--name", default=keys.DEFAULT_NAME, help="which key (default: %(default)s)")


def _new(arguments: argparse.Namespace, screen: Screen) -> int:
    path = keys.path_of(arguments.name)
    key = keys.create(path, keys.passphrase())
    screen.result(
        {"keyid": key.public.keyid, "path": str(path)},
        f"new key {key.public.keyid}\n  private: {path} (0600)\n"
        f"  public:  run `clawpro keys export --name {arguments.name}`",
    )
    return 0


def _load(arguments: argparse.Namespace) -> PublicKey:
    return keys.load(keys.path_of(arguments.name), keys.passphrase()).public


def _show(arguments: argparse.Namespace, screen: Screen) -> int:
    public = _load(arguments)
    screen.result(
        {"name": arguments.name, "keyid": public.keyid}, f"{arguments.name} {public.keyid}"
    )
    return 0


def _export(arguments: argparse.Namespace, screen: Screen) -> int:
    public = _load(arguments)
    forms = {
        "pem": public.pem.decode(),
        "ssh": sshsig.public_line(public, arguments.name),
        "allowed-signers": sshsig.allowed_signer(arguments.name, public),
    }
    screen.result(forms, forms[arguments.form].rstrip("\n"))
    return 0


VERBS = (
    Verb(
        "keys new",
        "make a signing key (P-256) in your config folder",
        _new,
        (NAME,),
        f"Makes a key readable by you alone. {keys.PASSPHRASE_VARIABLE} in the environment "
        "encrypts it.",
    ),
    Verb("keys show", "print the id of a key", _show, (NAME,)),
    Verb(
        "keys export",
        "print the public key, for those who verify",
        _export,
        (
            NAME,
            arg("--form", choices=("pem", "ssh", "allowed-signers"), default="pem",
                help="pem for clawpro, openssl, cosign; the others for ssh-keygen"),
        ),
    ),
)  # fmt: skip
