"""what a person types -> sessions: `nox -s release` publishes, `nox` tests.

Every session installs the hash-locked dependencies of `.ci/requirements.txt` into one shared
environment; what was installed for the same lock is used again.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import nox

ROOT = Path(__file__).parent
REQUIREMENTS = ROOT / ".ci" / "requirements.txt"

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["lint", "unit", "container"]
nox.options.default_venv_backend = "virtualenv"
shared = {"venv_location": ".nox/shared", "reuse_venv": True}


def prepare(session: nox.Session) -> None:
    """Install the locked dependencies and this package, unless this lock is installed already."""
    lock = hashlib.sha256(REQUIREMENTS.read_bytes() + (ROOT / "pyproject.toml").read_bytes())
    stamp = Path(session.virtualenv.location) / "clawpro-lock"
    if not stamp.exists() or stamp.read_text() != lock.hexdigest():
        session.install("--require-hashes", "--no-deps", "-r", str(REQUIREMENTS))
        session.install("--no-deps", "--no-build-isolation", "-e", ".")
        stamp.write_text(lock.hexdigest())


@nox.session(**shared)
def release(session: nox.Session) -> None:
    """Build, run, score, sign and verify the demonstration release (or `-- MANIFEST`)."""
    prepare(session)
    session.run("clawpro", "release", *session.posargs)


@nox.session(**shared)
def lint(session: nox.Session) -> None:
    """Style, types, layers."""
    prepare(session)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("lint-imports", "--no-cache", "--no-logo", "--verbose")


@nox.session(**shared)
def unit(session: nox.Session) -> None:
    """All tests that need no container engine."""
    prepare(session)
    session.run("pytest", "-m", "not container", "-n", "2", *session.posargs)


@nox.session(**shared)
def container(session: nox.Session) -> None:
    """The tests that run real containers; an engine is found or started."""
    prepare(session)
    session.run("clawpro", "doctor", success_codes=[0, 5])
    session.run("pytest", "-m", "container", *session.posargs)


@nox.session(**shared)
def reproduce(session: nox.Session) -> None:
    """Build images twice under different conditions and compare every byte."""
    prepare(session)
    session.run("clawpro", "image", "reproduce", *session.posargs)


@nox.session(name="lock-dev", venv_backend="virtualenv")
def lock_dev(session: nox.Session) -> None:
    """Write `.ci/requirements.txt` anew from pyproject.toml (hashes, no addresses)."""
    session.install("uv")
    session.run(
        "uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11",
        "--generate-hashes", "--no-header", "--no-annotate", "--group", "dev",
        "pyproject.toml", "-o", str(REQUIREMENTS),
    )  # fmt: skip


@nox.session(venv_backend="none")
def clean(session: nox.Session) -> None:
    """Remove what sessions made in this checkout (not the user's cache or keys)."""
    for name in (".clawpro", "dist", "build"):
        shutil.rmtree(ROOT / name, ignore_errors=True)
        session.log("removed %s", name)
