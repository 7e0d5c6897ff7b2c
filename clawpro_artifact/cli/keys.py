"""`clawpro keys ...` -> adapters.keys."""

from __future__ import annotations

import argparse

from clawpro_artifact import bundling, verifying
from clawpro_artifact.adapters import clock, keys
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import BUNDLE, TRUST, lines, trusted
from clawpro_artifact.errors import TrustError
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


def _cosign(arguments: argparse.Namespace, screen: Screen) -> int:
    """Everything is verified before the signature is added, and once more with it."""
    path = keys.path_of(arguments.name)
    signer = keys.load(path, keys.passphrase())
    policy = trusted(arguments)
    before = verifying.verify(arguments.bundle, policy, now=clock.now(), awaited=signer.public)
    if before.answer != "yes":
        raise TrustError(
            "the bundle does not verify, so it is not signed",
            where=str(arguments.bundle),
            found="\n" + "\n".join(lines(before)),
        )
    bundling.cosign(arguments.bundle, signer)
    verdict = verifying.verify(arguments.bundle, policy, now=clock.now())
    screen.result(verdict.as_json(), "\n".join(lines(verdict)))
    return verdict.exit_code


VERBS = (
    Verb(
        "cosign",
        "sign a release that announced your key, after verifying it (two-person release)",
        _cosign,
        (BUNDLE, *TRUST, arg("--name", default=keys.DEFAULT_NAME, help="which signing key")),
        "--key or --policy say whom of the other signers you trust.",
    ),
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
