"""a warm gateway after a trial -> the state before it, or the words why it is not.

Sessions and automations go by the gateway's own RPC, so that nothing stays in its memory; their
rows and archives are then scrubbed from the stores, folders are emptied, processes that are not the
gateway's are killed. Last, every writable byte is searched for what only the ended trial knew
(its session key, its canaries): a host on which one is found is not used again.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from clawpro_artifact.adapters.clock import monotonic
from clawpro_artifact.adapters.runtimes import space as spaces
from clawpro_artifact.adapters.runtimes.openclaw import stores
from clawpro_artifact.adapters.runtimes.openclaw.gateway import OWNER, Gateway
from clawpro_artifact.errors import InfraError

_KEEP = ("node-compile-cache", "openclaw", "openclaw-state-locks")
_OWN_FILES = (".sqlite", ".sqlite-wal", ".sqlite-shm", ".lock")
QUIET_SECONDS = 20
_MAIN = "agent:main:main"
# The stores that keep what was said and done; other SQLite files are locks, held by the gateway.
# What the runtime remembers of the last workspace's files: with it, it takes an emptied workspace
# for a lost one and refuses the turn (WorkspaceVanishedError, 2026.9.6).
_ATTESTED = frozenset({"workspace_setup_state", "workspace_generated_bootstrap_hashes"})
# Memory is indexed here; `files` and `chunks` are the names of older versions.
_INDEX = frozenset({"memory_index_chunks", "memory_index_sources", "chunks", "files"})
_STORES = ("state/openclaw.sqlite", "agents/*/agent/openclaw-agent.sqlite")


class Baseline:
    """What a fresh, warmed-up host looks like: its processes, files, and automations."""

    def __init__(self, gateway: Gateway) -> None:
        self.pids = gateway.pids()
        self.files = _files(gateway.state)
        self.jobs = {str(j.get("id")) for j in _all_jobs(gateway)}


def reset(gateway: Gateway, baseline: Baseline, marks: Iterable[str]) -> str | None:
    """Bring `gateway` back to `baseline`; None, or why it must not serve another trial."""
    marks = [m for m in marks if m]
    try:
        _kill_strangers(gateway, baseline)
        marks += _delete_sessions(gateway)
        for job in _all_jobs(gateway):
            if str(job.get("id")) not in baseline.jobs:
                gateway.rpc("cron.remove", {"id": job["id"]})
        spaces.wipe(gateway.space)
        spaces.wipe(gateway.home)
        _clean_tmp(gateway.tmp)
        _restore_files(gateway.state, baseline.files)
        for path in sorted(gateway.state.glob(_STORES[1])):
            if _indexed(path):
                return "the memory index holds notes of the last trial"
        for path in (p for pattern in _STORES for p in sorted(gateway.state.glob(pattern))):
            _scrub(path, marks)
        if not gateway.alive():
            return "the gateway ended"
        left = _search(gateway.root / "work", marks)
        if left is not None:
            return f"something of the last trial is left in {left}"
        if {str(j.get("id")) for j in _all_jobs(gateway)} != baseline.jobs:
            return "the automations are not those of a fresh host"
    except (InfraError, OSError, sqlite3.Error, TimeoutError) as error:
        return f"reset failed: {error}"
    return None


def _indexed(path: Path) -> bool:
    """Whether the keyword index holds anything: its rows have no mark, and its word counts shift
    the scores of later searches (seen: 0.93 against 0.90 for one query), so it is never handed on.
    """
    with stores.opened(path) as db:
        known = {r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return any(
            db.execute(f'SELECT EXISTS (SELECT 1 FROM "{table}")').fetchone()[0]
            for table in _INDEX & known
        )


def _all_jobs(gateway: Gateway) -> list[dict[str, Any]]:
    return stores.jobs(gateway.rpc("cron.list", {"includeDisabled": True}))


def _delete_sessions(gateway: Gateway) -> list[str]:
    """Delete all sessions by RPC; their ids, under which nothing may be left in any store.

    The main session cannot be deleted (2026.9.6), and what `sessions.reset` makes of it keeps the
    id: a host whose trial used it is not used again.
    """
    ids: dict[str, None] = {}
    for _ in range(20):
        rows = gateway.rpc("sessions.list", {}).get("sessions", [])
        ids |= {str(row["sessionId"]): None for row in rows if row.get("sessionId")}
        if not rows:
            return list(ids)
        if all(row["key"] == _MAIN for row in rows):
            break
        for row in rows:
            with suppress(InfraError):
                gateway.rpc("sessions.delete", {"key": row["key"], "deleteTranscript": True})
    raise InfraError("sessions cannot be deleted", found=", ".join(str(r["key"]) for r in rows))


def _kill_strangers(gateway: Gateway, baseline: Baseline) -> None:
    end = monotonic() + QUIET_SECONDS
    while True:
        strangers = [p for p, s in gateway.pids().items() if baseline.pids.get(p) != s]
        if not strangers:
            return
        if monotonic() > end:
            raise InfraError("processes of the last trial do not end", found=str(strangers))
        for pid in strangers:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)


def _clean_tmp(tmp: Path) -> None:
    for path in tmp.iterdir():
        if path.name.startswith(_KEEP) and path.is_dir() and not path.is_symlink():
            for log in path.rglob("*.log"):
                if log.is_file() and not log.is_symlink():
                    os.truncate(log, 0)
        elif path.is_dir() and not path.is_symlink():
            spaces.wipe(path)
            path.rmdir()
        else:
            path.unlink()


def _files(state: Path) -> dict[str, bytes]:
    """Small files of the state folder by path; stores are cleaned by row and not by file."""
    found = {}
    # os.walk passes over a folder that goes while one looks: a runtime stages its cache (2026.8.2).
    for folder, _, names in os.walk(state):
        for path in (Path(folder, name) for name in names):
            own = path.name.endswith(_OWN_FILES) or "cache" in path.relative_to(state).parts
            if not own and path.is_file() and not path.is_symlink():
                found[path.relative_to(state).as_posix()] = path.read_bytes()
    return found


def _restore_files(state: Path, files: dict[str, bytes]) -> None:
    for path in sorted(state.rglob("*"), reverse=True):
        name = path.relative_to(state).as_posix()
        own = path.name.endswith(_OWN_FILES) or "cache" in path.relative_to(state).parts
        if path.is_symlink() or (path.is_file() and name not in files and not own):
            path.unlink()
    for name, data in files.items():
        path = state / name
        if not path.is_file() or path.read_bytes() != data:
            spaces.put(state, name, data, OWNER)


def _scrub(path: Path, marks: list[str]) -> None:
    """Delete rows that hold a mark, then give freed pages back, so that no byte of them stays."""
    with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as db:
        # The stores' own constraints use it; SQLite has it from 3.43 on.
        db.create_function("octet_length", 1, _octets, deterministic=True)
        tables = [
            r[0]
            for r in db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' "
                "AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%' "
                "AND name NOT LIKE '%_fts_%'"
            )
        ]
        for table in tables:
            columns = [r[1] for r in db.execute(f'PRAGMA table_info("{table}")')]
            where = " OR ".join(f'instr(CAST("{c}" AS TEXT), ?) > 0' for c in columns)
            for mark in marks:
                with suppress(sqlite3.IntegrityError):
                    db.execute(f'DELETE FROM "{table}" WHERE {where}', [mark] * len(columns))
        for table in _ATTESTED & set(tables):
            db.execute(f'DELETE FROM "{table}"')
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    os.chown(path, OWNER, OWNER)
    for tail in ("-wal", "-shm"):
        side = path.with_name(path.name + tail)
        if side.exists():
            os.chown(side, OWNER, OWNER)


def _octets(value: object) -> int | None:
    if value is None:
        return None
    return len(value if isinstance(value, bytes) else str(value).encode())


def _search(root: Path, marks: list[str]) -> str | None:
    """The first writable file that holds a mark, if any."""
    needles = [m.encode() for m in marks]
    for path in root.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        if any(n in data for n in needles):
            return path.relative_to(root).as_posix()
    return None
