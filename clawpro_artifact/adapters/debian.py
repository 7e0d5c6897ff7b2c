"""package names -> .deb files -> a root file system: apt and mmdebstrap, with locked packages.

apt runs with its own folders, so nothing of this machine's package state is read or changed; only
its list of mirrors is used (or a given one, such as a snapshot mirror). The base system is then
built from a local repository that holds exactly the locked files: no network, no choice left.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from clawpro_artifact.adapters import host
from clawpro_artifact.adapters.inputs import Inputs
from clawpro_artifact.adapters.store import make_folder
from clawpro_artifact.errors import InfraError, PinError
from clawpro_artifact.formats.canonical import file_digest
from clawpro_artifact.model.image import DebianPin

_URI_LINE = re.compile(r"^'(?P<uri>[^']+)' (?P<file>\S+) (?P<size>\d+) (?P<hash>\S*)$")
# Documentation and translations; copyright files stay, licences are listed from them.
LEFT_OUT = (
    "/usr/share/man/*",
    "/usr/share/info/*",
    "/usr/share/locale/*",
    "/usr/share/doc/*",
)


class Apt:
    """apt-get with its own state under `folder`, for one suite."""

    def __init__(self, folder: Path, suite: str, sources: Path | None = None) -> None:
        self.folder = folder
        self.suite = suite
        make_folder(folder / "lists" / "partial")
        make_folder(folder / "archives" / "partial")
        (folder / "status").touch()
        text = sources.read_text(encoding="utf-8") if sources else machine_sources(suite)
        # deb822 and one-line entries are told apart by the name of the file.
        kind = "sources" if re.search(r"^Types:", text, re.MULTILINE) else "list"
        self.sources = folder / f"mirror.{kind}"
        self.sources.write_text(text, encoding="utf-8")

    def update(self) -> None:
        """Fetch the mirror's signed lists."""
        host.run([*self._command(), "-q", "update"], timeout_s=600)

    def resolve(self, packages: Iterable[str], inputs: Inputs) -> tuple[DebianPin, ...]:
        """Every package that `packages` need on top of the required ones, as the mirror has it.

        apt checks the files against the mirror's signed lists; they are kept in `inputs`.
        """
        wanted = ["?essential", "?priority(required)", "apt", *packages]
        with tempfile.TemporaryDirectory(prefix="clawpro-") as temporary:
            target = Path(temporary)
            options = ["-o", f"Dir::Cache::archives={target}"]
            (target / "partial").mkdir()
            host.run(
                [*self._command(), *options, "-q", "-y", "--download-only", "install", *wanted]
            )
            pins = []
            for deb in sorted(target.glob("*.deb")):
                pins.append(_pin(deb))
                inputs.add(deb, pins[-1].sha256, f"the package {pins[-1].name}")
        return tuple(sorted(pins, key=lambda p: p.name))

    def download(self, pins: Sequence[DebianPin], inputs: Inputs) -> None:
        """Get exactly these versions. PinError for one that the mirror lost or changed."""
        with tempfile.TemporaryDirectory(prefix="clawpro-") as temporary:
            names = [f"{p.name}:{p.architecture}={p.version}".replace(":all=", "=") for p in pins]
            try:
                host.run([*self._command(), "-q", "download", *names], cwd=Path(temporary))
            except InfraError as error:
                raise self._lost(error, pins) from None
            files = {_deb_key(path): path for path in Path(temporary).glob("*.deb")}
            for pin in pins:
                file = files[pin.name, pin.version]
                inputs.add(file, pin.sha256, f"the package {pin.name} {pin.version}")

    def _lost(self, error: InfraError, pins: Sequence[DebianPin]) -> InfraError | PinError:
        match = re.search(r"Version '([^']+)' for '([^']+)' was not found", error.found or "")
        if match is None:
            return error
        version, name = match[1], match[2].split(":")[0]
        shown = host.run(["apt-cache", *self._options(), "madison", name]).decode()
        offered = ", ".join(dict.fromkeys(re.findall(r"\| *(\S+) *\|", shown))) or "none"
        digest = next((p.sha256 for p in pins if p.name == name), "")
        return PinError(
            f"the mirror no longer has the locked version of {name}",
            expected=f"{name} {version} {digest}",
            found=f"versions {offered}",
            do="use a snapshot mirror (`--sources FILE`), `clawpro image import`, "
            "or `clawpro lock update` and review the difference",
        )

    def _command(self) -> list[str]:
        return [host.require("apt-get"), *self._options()]

    def _options(self) -> list[str]:
        settings = {
            "Dir::Etc::sourcelist": self.sources,
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "Dir::State::lists": self.folder / "lists",
            "Dir::State::status": self.folder / "status",
            "Dir::State::extended_states": self.folder / "extended_states",
            "Dir::Cache": self.folder,
            "Dir::Cache::archives": self.folder / "archives",
            "APT::Architecture": "amd64",
            "APT::Architectures": "amd64",
            "APT::Install-Recommends": "false",
            "APT::Sandbox::User": "root",
            "APT::Update::Post-Invoke-Success": "",
            "Debug::NoLocking": "true",
            "Acquire::Languages": "none",
            "Acquire::Retries": "3",
        }
        return [part for k, v in settings.items() for part in ("-o", f"{k}={v}")]


def machine_sources(suite: str, root: Path = Path("/etc/apt")) -> str:
    """The entries of this machine's apt sources that are for `suite`, nothing else.

    Raises InfraError if there are none (another distribution): a sources file must be given.
    """
    suites = {suite, f"{suite}-updates", f"{suite}-security"}
    stanzas: list[str] = []
    lines: list[str] = []
    for path in sorted(root.glob("sources.list.d/*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
            found = re.search(r"^Suites:(.*)$", stanza, re.MULTILINE)
            if found and set(found[1].split()) <= suites and found[1].split():
                stanzas.append(stanza.strip() + "\n")
    for path in [root / "sources.list", *sorted(root.glob("sources.list.d/*.list"))]:
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for line in text.splitlines():
            words = re.sub(r"\[[^]]*\]", "", line).split()
            if len(words) > 3 and words[0] == "deb" and words[2] in suites:
                lines.append(line)
    if stanzas:
        return "\n".join(stanzas)
    if lines:
        return "\n".join(lines) + "\n"
    raise InfraError(
        f"this machine's apt has no mirror for Debian {suite}",
        where="/etc/apt/sources.list, /etc/apt/sources.list.d",
        do="give a sources file of a Debian mirror (`--sources FILE`), or `clawpro image import`",
    )


def bootstrap(
    debs: Sequence[tuple[DebianPin, Path]], *, suite: str, epoch: int, user: str, out: Path
) -> None:
    """A minbase root file system from exactly `debs`, as a tar at `out`.

    `user` is `<uid>:<gid>` of the account `agent`. Raises InfraError with what mmdebstrap said.
    """
    mmdebstrap = host.require("mmdebstrap")
    uid, gid = user.split(":")
    with tempfile.TemporaryDirectory(prefix="clawpro-") as temporary:
        repository = Path(temporary)
        # The unprivileged user of apt reads here.
        repository.chmod(0o755)
        write_repository(debs, repository, suite)
        passwd = f"agent:x:{uid}:{gid}:agent:/work/home:/bin/bash"
        host.run(
            [
                mmdebstrap,
                "--quiet",
                "--variant=minbase",
                "--architectures=amd64",
                "--format=tar",
                "--include=" + ",".join(pin.name for pin, _ in debs),
                *(f"--dpkgopt=path-exclude={pattern}" for pattern in LEFT_OUT),
                "--dpkgopt=path-include=/usr/share/doc/*/copyright",
                f'--customize-hook=echo "{passwd}" >> "$1/etc/passwd"',
                f'--customize-hook=echo "agent:x:{gid}:" >> "$1/etc/group"',
                suite,
                str(out),
                f"deb [trusted=yes] copy:{repository} ./",
            ],
            env={"SOURCE_DATE_EPOCH": str(epoch), "PYTHONHASHSEED": "0"},
        )


def write_repository(debs: Sequence[tuple[DebianPin, Path]], folder: Path, suite: str) -> None:
    """A flat Debian repository of links to `debs`: `Packages`, `Release`, the files."""
    index = folder / "Packages"
    with index.open("wb") as packages:
        for pin, path in debs:
            name = f"{pin.name}.deb"
            (folder / name).hardlink_to(path) if _same_device(folder, path) else (
                folder / name
            ).write_bytes(path.read_bytes())
            (folder / name).chmod(0o644)
            control = host.run([host.require("dpkg-deb"), "--field", str(path)]).strip()
            packages.write(
                control
                + f"\nFilename: ./{name}\nSize: {pin.size}\n"
                f"SHA256: {pin.sha256.removeprefix('sha256:')}\n\n".encode()
            )
    digest = file_digest(index).removeprefix("sha256:")
    release = folder / "Release"
    release.write_text(
        f"Suite: {suite}\nCodename: {suite}\nArchitectures: amd64 all\n"
        f"SHA256:\n {digest} {index.stat().st_size} Packages\n",
        encoding="utf-8",
    )
    # Whatever the umask: mmdebstrap's apt reads them as the user _apt.
    for path in (index, release):
        path.chmod(0o644)


def _same_device(folder: Path, path: Path) -> bool:
    return folder.stat().st_dev == path.stat().st_dev


def _pin(deb: Path) -> DebianPin:
    text = host.run(
        ["dpkg-deb", "--show", "--showformat", "${Package}\t${Version}\t${Architecture}", str(deb)]
    ).decode()
    name, version, architecture = text.split("\t")
    return DebianPin.model_validate(
        {
            "name": name,
            "version": version,
            "architecture": architecture,
            "size": deb.stat().st_size,
            "sha256": file_digest(deb),
        }
    )


def _deb_key(path: Path) -> tuple[str, str]:
    """apt's file names are `<name>_<version>_<arch>.deb` with `:` of the epoch as `%3a`."""
    name, version, _ = path.name.split("_")
    return name, version.replace("%3a", ":").replace("%7e", "~")
