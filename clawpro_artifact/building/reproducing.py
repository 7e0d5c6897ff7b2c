"""LockedImage -> Reproduction: built twice from nothing under different conditions, compared."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters import host
from clawpro_artifact.building import layers
from clawpro_artifact.building.assemble import Workshop, fetch, image_documents
from clawpro_artifact.building.locks import LockedImage, read
from clawpro_artifact.formats import tar
from clawpro_artifact.model.image import LayerPin, LayerPins


@dataclass(frozen=True)
class Conditions:
    """What must not matter, the working folder included: each build has its own.

    `memory` puts temporary files on tmpfs, which lists them newest first: another order of files.
    `uid` builds every layer but the base, for which mmdebstrap here must be root.
    """

    umask: int
    timezone: str
    language: str
    hostname: str
    memory: bool
    uid: int


FIRST = Conditions(0o022, "UTC", "C.UTF-8", "first", memory=False, uid=0)
SECOND = Conditions(
    0o077, "Pacific/Kiritimati", "tr_TR.UTF-8", "second.example", memory=True, uid=54321
)


@dataclass(frozen=True)
class Reproduction:
    """`differences` are (layer, member, offset); `matches_lock` compares the config digest too."""

    image: str
    configs: tuple[str, str]
    differences: tuple[tuple[str, tar.Difference], ...]
    matches_lock: bool
    seconds: tuple[float, float]

    @property
    def equal(self) -> bool:
        """Two builds and the lock are the same to the last byte."""
        return not self.differences and self.matches_lock


def reproduce(
    folder: Path, workshop: Workshop, conditions: Sequence[Conditions] = (FIRST, SECOND)
) -> Reproduction:
    """Build `images/<name>/` twice, without the layer cache, and compare every byte.

    Downloads are fetched first and shared; as root the builds then have no network interface at
    all, not even loopback, so what they make comes from `lock fetch` alone.
    Raises PinError or InfraError as `build` does.
    """
    from clawpro_artifact.adapters import clock

    locked = read(folder)
    fetch(locked, workshop)
    with tempfile.TemporaryDirectory(prefix="clawpro-reproduce-", dir=_disk(workshop)) as root:
        outs = [Path(root) / f"build-{i}" for i in range(2)]
        pins: list[LayerPins] = []
        seconds: list[float] = []
        for out, condition in zip(outs, conditions, strict=True):
            workshop.say(f"building {locked.name} under {condition}")
            start = clock.monotonic()
            pins.append(_build_apart(folder, workshop, out, condition))
            seconds.append(clock.monotonic() - start)
        found = []
        for name in LayerPins.model_fields:
            a, b = (
                Path(out, "layers", getattr(p, name).diff_id.removeprefix("sha256:") + ".tar")
                for out, p in zip(outs, pins, strict=True)
            )
            difference = tar.first_difference(a, b)
            if difference is not None:
                found.append((name, difference))
    configs = [image_documents(locked.lock.inputs, p).config_digest for p in pins]
    return Reproduction(
        image=locked.name,
        configs=(configs[0], configs[1]),
        differences=tuple(found),
        matches_lock=all(c == locked.lock.config for c in configs),
        seconds=(seconds[0], seconds[1]),
    )


def rebuild(
    locked: LockedImage, workshop: Workshop, names: Collection[str]
) -> dict[str, dict[str, str | int]]:
    """Build these layers into `workshop`, offline; what `_build_apart` runs in a process."""
    materials = workshop.materials(locked)
    blobs = {name: layers.make(materials, workshop.layers, name) for name in names}
    return {name: {"diff_id": b.diff_id, "size": b.size} for name, b in blobs.items()}


def _build_apart(folder: Path, workshop: Workshop, out: Path, condition: Conditions) -> LayerPins:
    out.mkdir()
    others = [name for name in LayerPins.model_fields if name != "base"]
    made = _build_as(folder, workshop, out, condition, 0, ["base"])
    made |= _build_as(folder, workshop, out, condition, condition.uid, others)
    return LayerPins(**{name: LayerPin.model_validate(pin) for name, pin in made.items()})


def _build_as(
    folder: Path,
    workshop: Workshop,
    out: Path,
    condition: Conditions,
    uid: int,
    names: Sequence[str],
) -> dict[str, Any]:
    """Layers by one user. Another than root's may read what root may, and no more."""
    with _scratch(condition, out) as scratch:
        command = [
            sys.executable,
            "-m",
            "clawpro_artifact.building.reproducing",
            str(folder.resolve()),
            str(out),
            str(workshop.downloads.root.resolve()),
            str(workshop.incontainer.resolve()),
            oct(condition.umask),
            *names,
        ]
        if host.is_root() and uid and host.find("setpriv"):
            for path in (scratch, out, out / "layers", out / "layers" / "by-input"):
                if path.exists():
                    os.chown(path, uid, uid)
            command = [
                *("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"),
                *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
                *command,
            ]
        if host.is_root() and host.find("unshare"):
            inner = f'hostname {condition.hostname} 2>/dev/null; exec "$@"'
            command = ["unshare", "--uts", "--net", "sh", "-c", inner, "sh", *command]
        said = host.run(
            command,
            env={
                "TMPDIR": str(scratch),
                "TZ": condition.timezone,
                "LANG": condition.language,
                "LC_ALL": condition.language,
                "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
            },
            cwd=scratch,
        )
    found: dict[str, Any] = json.loads(said)
    return found


@contextmanager
def _scratch(condition: Conditions, out: Path) -> Iterator[Path]:
    memory = Path("/dev/shm")
    # chroot needs a file system with devices and programs allowed.
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 6 << 30
    parent = memory if condition.memory and roomy else out.parent
    with tempfile.TemporaryDirectory(prefix="clawpro-", dir=parent) as scratch:
        # mmdebstrap's unprivileged apt must be able to come in.
        Path(scratch).chmod(0o755)
        yield Path(scratch)


def _disk(workshop: Workshop) -> Path:
    workshop.root.mkdir(parents=True, exist_ok=True)
    return workshop.root


def _main(folder: str, out: str, downloads: str, incontainer: str, umask: str, *names: str) -> None:
    os.umask(int(umask, 8))
    workshop = Workshop(
        root=Path(out),
        offline=True,
        incontainer=Path(incontainer),
        downloads_root=Path(downloads),
    )
    print(json.dumps(rebuild(read(Path(folder)), workshop, names)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
