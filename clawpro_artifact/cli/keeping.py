"""`clawpro archive|publish|policy ...` -> where releases are kept, and whom to trust."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

from clawpro_artifact import verifying
from clawpro_artifact.adapters import clock, keys, store
from clawpro_artifact.adapters.archive import Archive
from clawpro_artifact.adapters.blobs import open_backend
from clawpro_artifact.adapters.publishing import Registry
from clawpro_artifact.bundling import write_tar
from clawpro_artifact.bundling.zipapp import build_verifier
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.verb import Verb, arg
from clawpro_artifact.cli.verify import BUNDLE, TRUST, lines, trusted
from clawpro_artifact.errors import EXIT_NO, EXIT_YES, TrustError, UsageError
from clawpro_artifact.formats import documents, publickey, trust
from clawpro_artifact.formats.trust import TrustedKey, TrustPolicy
from clawpro_artifact.verifying import policy as policies

PLACE = arg("place", help="folder, or s3://BUCKET/PREFIX")
COPY = arg("--copy", help="a second place, written as well and used for repairs")
ID = arg("bundle", metavar="sha256:...", help="bundle id")


def _archive(arguments: argparse.Namespace) -> Archive:
    copy = open_backend(arguments.copy) if getattr(arguments, "copy", None) else None
    return Archive(open_backend(arguments.place), copy)


def _verified(arguments: argparse.Namespace) -> str:
    """The id of a bundle that verifies; what does not is neither kept nor published."""
    verdict = verifying.verify(arguments.bundle, trusted(arguments), now=clock.now())
    if verdict.answer != "yes" or verdict.bundle_id is None:
        raise TrustError(
            "the bundle does not verify",
            where=str(arguments.bundle),
            found="\n" + "\n".join(lines(verdict)),
        )
    return verdict.bundle_id


def _put(arguments: argparse.Namespace, screen: Screen) -> int:
    record = _archive(arguments).put(arguments.bundle, _verified(arguments), clock.now())
    text = f"kept {record.bundle} ({record.name} {record.version}), {len(record.files)} files"
    screen.result(asdict(record), text)
    return EXIT_YES


def _list(arguments: argparse.Namespace, screen: Screen) -> int:
    rows = _archive(arguments).bundles()
    text = [f"{r.bundle} {r.name} {r.version} since {r.kept_at}"
            + (f" held: {r.hold}" if r.hold else "") for r in rows]  # fmt: skip
    screen.result([asdict(r) for r in rows], "\n".join(text) or "nothing is kept here")
    return EXIT_YES


def _get(arguments: argparse.Namespace, screen: Screen) -> int:
    _archive(arguments).get(arguments.bundle, arguments.out)
    screen.result({"out": str(arguments.out)}, f"wrote {arguments.out}; verify it")
    return EXIT_YES


def _check(arguments: argparse.Namespace, screen: Screen) -> int:
    found = _archive(arguments).check()
    lost = [r for r in found if not r.healed]
    text = [f"{r.place} {r.digest} {r.fault}: {'healed' if r.healed else 'LOST'}" for r in found]
    screen.result([asdict(r) for r in found], "\n".join(text) or "every content is what it was")
    return EXIT_NO if lost else EXIT_YES


def _prune(arguments: argparse.Namespace, screen: Screen) -> int:
    gone, freed = _archive(arguments).prune(clock.now())
    screen.result({"gone": gone, "freed": freed}, f"{len(gone)} bundles gone, {freed} bytes freed")
    return EXIT_YES


def _hold(arguments: argparse.Namespace, screen: Screen) -> int:
    _archive(arguments).hold(arguments.bundle, arguments.why)
    screen.result({"hold": arguments.why}, f"held: {arguments.why}" if arguments.why else "free")
    return EXIT_YES


def _tar(arguments: argparse.Namespace, screen: Screen) -> int:
    write_tar(arguments.bundle, arguments.out)
    screen.result({"out": str(arguments.out)}, f"wrote {arguments.out}")
    return EXIT_YES


def _publish(arguments: argparse.Namespace, screen: Screen) -> int:
    _verified(arguments)
    registry = Registry(arguments.target, plain_http=arguments.plain_http)
    done = registry.publish(arguments.bundle)
    screen.result(asdict(done), f"{arguments.target} {done.digest}")
    return EXIT_YES


def _fetch(arguments: argparse.Namespace, screen: Screen) -> int:
    registry = Registry(arguments.target, plain_http=arguments.plain_http)
    digest = registry.fetch(arguments.out)
    screen.result({"digest": digest}, f"wrote {arguments.out} ({digest}); verify it")
    return EXIT_YES


def _verifier(arguments: argparse.Namespace, screen: Screen) -> int:
    build_verifier(arguments.out)
    screen.result({"out": str(arguments.out)}, f"wrote {arguments.out}")
    return EXIT_YES


def _expiry(days: int) -> str:
    return clock.timestamp(clock.release_time() + timedelta(days=days))


def _trusted_key(path: Path) -> TrustedKey:
    return TrustedKey(publickey.from_pem(documents.read_bytes(path), str(path)), path.stem)


def _save(found: TrustPolicy, arguments: argparse.Namespace, screen: Screen) -> int:
    signers = [keys.load(keys.path_of(name), keys.passphrase()) for name in arguments.sign]
    if arguments.out.exists():
        raise UsageError("the file exists already", where=str(arguments.out))
    store.write(arguments.out, trust.sign(found, signers))
    value: dict[str, Any] = {"version": found.version, "digest": found.digest}
    screen.result(value, f"wrote {arguments.out}: version {found.version}, {found.digest}")
    return EXIT_YES


def _policy(arguments: argparse.Namespace) -> TrustPolicy:
    return trust.read(documents.read_bytes(arguments.policy), str(arguments.policy))


def _policy_new(arguments: argparse.Namespace, screen: Screen) -> int:
    known = tuple(_trusted_key(path) for path in arguments.public)
    found = policies.first(
        arguments.name, known, threshold=arguments.threshold, expires=_expiry(arguments.days)
    )
    return _save(found, arguments, screen)


def _rotate(arguments: argparse.Namespace, screen: Screen) -> int:
    old = _trusted_key(arguments.old).key
    at = clock.timestamp(clock.release_time())
    new = _trusted_key(arguments.new)
    found = policies.rotate(_policy(arguments), old, new, at=at, expires=_expiry(arguments.days))
    return _save(found, arguments, screen)


def _revoke(arguments: argparse.Namespace, screen: Screen) -> int:
    found = policies.revoke(
        _policy(arguments), _trusted_key(arguments.public).key,
        at=clock.timestamp(clock.release_time()), reason=arguments.reason,
        expires=_expiry(arguments.days), keep=tuple(arguments.keep),
    )  # fmt: skip
    return _save(found, arguments, screen)


def _advance(arguments: argparse.Namespace, screen: Screen) -> int:
    data = documents.read_bytes(arguments.next)
    found = policies.advance(_policy(arguments), data, now=clock.now(), where=str(arguments.next))
    store.write(arguments.policy, data)
    screen.result({"version": found.version}, f"{arguments.policy} is version {found.version} now")
    return EXIT_YES


SIGN = arg("--sign", action="append", default=[], metavar="NAME", help="sign with this key")
DAYS = arg("--days", type=int, default=365, help="expires after (default: %(default)s)")
OUT = arg("--out", type=Path, required=True)
POLICY = arg("policy", type=Path)
VERBS = (
    Verb("archive put", "verify a bundle and keep it, nothing twice", _put,
         (PLACE, BUNDLE, COPY, *TRUST)),
    Verb("archive list", "list what is kept", _list, (PLACE,)),
    Verb("archive get", "write a kept bundle as a folder", _get, (PLACE, ID, OUT)),
    Verb("archive check", "hash everything again, repair from the copy", _check, (PLACE, COPY)),
    Verb("archive hold", "keep a bundle until further notice", _hold,
         (PLACE, ID, arg("--why", help="without it the hold is taken away"), COPY)),
    Verb("archive prune", "drop what is past its 90 days and not held", _prune, (PLACE, COPY)),
    Verb("bundle tar", "write a bundle as one deterministic tar", _tar, (BUNDLE, OUT)),
    Verb("publish", "push a bundle's tar to an OCI registry", _publish,
         (BUNDLE, arg("target", metavar="HOST/REPOSITORY:TAG"), *TRUST,
          arg("--plain-http", action="store_true", help="for a registry on this machine"))),
    Verb("fetch", "download a published bundle", _fetch,
         (arg("target", metavar="HOST/REPOSITORY:TAG"), OUT,
          arg("--plain-http", action="store_true", help="for a registry on this machine"))),
    Verb("verifier", "write the verifier as one file (needs Python and cryptography)", _verifier,
         (OUT,)),
    Verb("policy new", "make version 1 of a trust policy", _policy_new,
         (arg("name"), arg("--public", type=Path, action="append", required=True, metavar="PEM"),
          arg("--threshold", type=int, default=1), DAYS, SIGN, OUT)),
    Verb("keys rotate", "the next policy: a new key from now on, the old one until now", _rotate,
         (POLICY, arg("--old", type=Path, required=True), arg("--new", type=Path, required=True),
          DAYS, SIGN, OUT)),
    Verb("keys revoke", "the next policy: nothing that this key signed counts", _revoke,
         (POLICY, arg("--public", type=Path, required=True), arg("--reason", required=True),
          arg("--keep", action="append", default=[], metavar="sha256:...",
              help="a bundle that still counts"), DAYS, SIGN, OUT)),
    Verb("policy advance", "take the next policy, if the old one signed it", _advance,
         (POLICY, arg("next", type=Path))),
)  # fmt: skip
