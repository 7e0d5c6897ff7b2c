"""ImageInputs + downloads -> four layers: base, Node, OpenClaw, ours."""

from __future__ import annotations

import fnmatch
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from clawpro_artifact.adapters import debian, npm
from clawpro_artifact.adapters.inputs import Inputs
from clawpro_artifact.adapters.layers import LayerCache
from clawpro_artifact.errors import PinError
from clawpro_artifact.formats import tar, trees
from clawpro_artifact.formats.canonical import bytes_digest, digest
from clawpro_artifact.formats.oci import Blob
from clawpro_artifact.model.image import HARNESS, SPACE, USER, FilePin, ImageInputs, NpmPin

INCONTAINER = Path(__file__).parent.parent / "adapters" / "incontainer"
TREE = "opt/openclaw"

# State of the machine that built, of a first start, or of package managers; never content.
_DROPPED = (
    "dev/*", "proc/*", "sys/*", "run/*", "tmp/*", "var/tmp/*", "var/log/*.log", "var/log/apt/*",
    "var/cache/apt/*", "var/cache/debconf/*-old", "var/cache/ldconfig/*", "var/lib/apt/lists/*",
    "var/lib/dpkg/*-old", "etc/machine-id", "etc/resolv.conf", "etc/hostname", "etc/hosts",
    "etc/apt/sources.list", "etc/apt/sources.list.d/*", "etc/*-", "etc/.pwd.lock",
    "etc/dpkg/dpkg.cfg.d/99mmdebstrap", "etc/apt/apt.conf.d/99mmdebstrap",
    # GPU drivers are one file under many names, 320 MB with hard links expanded; a browser in a
    # container draws in software and shows no icons. Package scripts need both while they run.
    "usr/lib/*/dri/*", "usr/share/icons/*",
)  # fmt: skip
# Says "the install script is still to run", which we never do; a start would try to remove it.
_PENDING = f"{TREE}/node_modules/openclaw/.openclaw-lifecycle-pending"
_MODES = {"tmp": 0o1777, "var/tmp": 0o1777}


@dataclass(frozen=True)
class Materials:
    """Inputs of one image with where their files are."""

    inputs: ImageInputs
    package_json: bytes
    package_lock: bytes
    downloads: Inputs
    incontainer: Path = INCONTAINER

    @property
    def tarballs(self) -> tuple[npm.Package, ...]:
        """The npm packages of the tree, without Node and npm themselves."""
        return npm.packages_of(self.package_lock, f"{self.inputs.recipe.name}/package-lock.json")

    @property
    def npm_pins(self) -> tuple[npm.Package | NpmPin, ...]:
        """Every tarball, Node and npm last."""
        return (*self.tarballs, self.inputs.node, self.inputs.npm)


def input_digests(inputs: ImageInputs) -> dict[str, str]:
    """What each layer is a function of, as a digest: its key in the cache."""
    recipe = inputs.recipe
    common: dict[str, Any] = {"builder": inputs.builder, "epoch": recipe.epoch}
    debian_pins = [p.model_dump(mode="json") for p in inputs.debian]
    node = inputs.node.model_dump(mode="json")
    return {
        "base": digest(
            {
                **common,
                "suite": recipe.suite,
                "user": USER,
                "left_out": [*debian.LEFT_OUT, *_DROPPED],
                "debian": debian_pins,
            }
        ),
        "node": digest({**common, "node": node}),
        "openclaw": digest(
            {
                **common,
                "node": node,
                "npm": inputs.npm.model_dump(mode="json"),
                "package_json": inputs.package_json,
                "package_lock": inputs.package_lock,
            }
        ),
        "incontainer": digest(
            {**common, "files": [f.model_dump(mode="json") for f in inputs.incontainer]}
        ),
    }


def make(materials: Materials, cache: LayerCache, name: str) -> Blob:
    """One layer by name, from the cache or built now."""
    packers = {
        "base": _base,
        "node": _node,
        "openclaw": _openclaw,
        "incontainer": _incontainer,
    }
    key = input_digests(materials.inputs)[name]
    layer = cache.make(key, lambda out: packers[name](materials, out))
    return _blob(materials, name, layer)


def cached(materials: Materials, cache: LayerCache, name: str) -> Blob | None:
    """One layer by name if it was built before and its bytes are what they were."""
    layer = cache.get(input_digests(materials.inputs)[name])
    return None if layer is None else _blob(materials, name, layer)


def incontainer_pins(folder: Path = INCONTAINER) -> tuple[FilePin, ...]:
    """The files that go to `/opt/clawpro`, by digest; `#!` makes one executable."""
    return tuple(
        FilePin(path=path, executable=data.startswith(b"#!"), sha256=bytes_digest(data))
        for path, data in ((path, file.read_bytes()) for path, file in trees.walk(folder))
        if not path.endswith(".py")
    )


def _blob(materials: Materials, name: str, layer: tar.Layer) -> Blob:
    return Blob(layer.diff_id, layer.size, f"clawpro {materials.inputs.builder} {name}")


def _base(materials: Materials, out: BinaryIO) -> tar.Layer:
    inputs = materials.inputs
    debs = [
        (p, materials.downloads.verified(p.sha256, f"the package {p.name} {p.version}"))
        for p in inputs.debian
    ]
    with tempfile.TemporaryDirectory(prefix="clawpro-") as temporary:
        raw = Path(temporary) / "base.tar"
        debian.bootstrap(
            debs, suite=inputs.recipe.suite, epoch=inputs.recipe.epoch, user=USER, out=raw
        )
        with tarfile.open(raw, "r:") as archive:
            members = _clean(tar.members_of_tar(archive), inputs.recipe.epoch)
            return tar.write_layer(members, out, mtime=inputs.recipe.epoch, modes=_MODES)


def _clean(members: Iterator[tar.Member], epoch: int) -> Iterator[tar.Member]:
    for member in members:
        if any(fnmatch.fnmatchcase(member.path, pattern) for pattern in _DROPPED):
            continue
        if member.kind == "file" and member.path.endswith(".pyc") and member.open:
            with member.open() as file:
                yield tar.file_of(member.path, _retimed(file.read(), epoch))
            continue
        yield member


def _retimed(pyc: bytes, epoch: int) -> bytes:
    """A compiled module for the same source at the layer's time.

    PEP 552: bytes 4-8 are flags (0 = checked by time), 8-12 the source's time. Python would take a
    module with another time for stale, and a read-only container compile it at every start.
    """
    if pyc[4:8] != bytes(4):
        return pyc
    return pyc[:8] + epoch.to_bytes(4, "little") + pyc[12:]


def _node(materials: Materials, out: BinaryIO) -> tar.Layer:
    with tempfile.TemporaryDirectory(prefix="clawpro-") as temporary:
        node = npm.unpack_node(_node_tarball(materials), Path(temporary))
        member = tar.Member(
            "usr/local/bin/node", "file", True, node.stat().st_size, open=tar.opener(node)
        )
        return tar.write_layer([member], out, mtime=materials.inputs.recipe.epoch)


def _openclaw(materials: Materials, out: BinaryIO) -> tar.Layer:
    inputs, downloads = materials.inputs, materials.downloads
    tarballs = [
        (p, downloads.verified(p.integrity, f"the npm package {p.name} {p.version}"))
        for p in materials.tarballs
    ]
    npm_tarball = downloads.verified(inputs.npm.integrity, f"npm {inputs.npm.version}")
    with tempfile.TemporaryDirectory(prefix="clawpro-") as temporary:
        node = npm.unpack_node(_node_tarball(materials), Path(temporary) / "bin")
        tree = Path(temporary) / "tree"
        tree.mkdir()
        npm.install(
            materials.package_json,
            materials.package_lock,
            tarballs,
            node=node,
            npm_tarball=npm_tarball,
            folder=tree,
        )
        entry = f"/{TREE}/node_modules/openclaw/openclaw.mjs"
        link = tar.Member("usr/local/bin/openclaw", "link", target=entry)
        found = tar.members_of_folder(tree, TREE + "/")
        members = [*(m for m in found if m.path != _PENDING), link]
        return tar.write_layer(members, out, mtime=inputs.recipe.epoch)


def _incontainer(materials: Materials, out: BinaryIO) -> tar.Layer:
    found = incontainer_pins(materials.incontainer)
    if found != materials.inputs.incontainer:
        raise PinError(
            "our in-container files are not those of the lock",
            where=str(materials.incontainer),
            expected=digest([f.model_dump(mode="json") for f in materials.inputs.incontainer]),
            found=digest([f.model_dump(mode="json") for f in found]),
            do="run `clawpro lock update --incontainer` and review the difference",
        )
    members = [
        tar.file_of(
            f"{HARNESS[1:]}/{pin.path}",
            (materials.incontainer / pin.path).read_bytes(),
            executable=pin.executable,
        )
        for pin in found
    ]
    folders = [tar.Member(path, "folder") for path in (SPACE[1:], "work/home", "run/clawpro")]
    return tar.write_layer([*members, *folders], out, mtime=materials.inputs.recipe.epoch)


def _node_tarball(materials: Materials) -> Path:
    node = materials.inputs.node
    return materials.downloads.verified(node.integrity, f"Node {node.version}")
