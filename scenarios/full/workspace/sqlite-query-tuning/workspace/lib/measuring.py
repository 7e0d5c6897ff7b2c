"""What bin/measure and the reviewers run."""
import re
import sqlite3
import tomllib

PARAMETERS = {
    "q1": {"code": "cX-358-b"},
    "q2": {"class": "K3", "site": "HAFEN", "day": "2026-06-15"},
    "q3": {"country": "PL", "limit": 885},
}


def steps(db, sql, parameters):
    """(rows, virtual machine steps in tens) of a query."""
    count = 0

    def tick():
        nonlocal count
        count += 1
        return 0

    db.set_progress_handler(tick, 10)
    try:
        rows = db.execute(sql, parameters).fetchall()
    finally:
        db.set_progress_handler(None, 0)
    return rows, count


def only_indexes(sql):
    """Whether a script creates and drops indexes and nothing else."""
    plain = re.sub(r"--[^\n]*", "", sql)
    parts = [p.strip() for p in plain.split(";") if p.strip()]
    return all(re.match(r"(?i)(create\s+(unique\s+)?index|drop\s+index)\b", p) for p in parts)


def index_pages(db):
    """Pages that indexes take, over all tables."""
    names = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")]
    total = 0
    for name in names:
        before = db.execute("PRAGMA page_count").fetchone()[0] - db.execute("PRAGMA freelist_count").fetchone()[0]
        db.execute("SAVEPOINT m")
        db.execute(f'DROP INDEX "{name}"')
        total += before - (db.execute("PRAGMA page_count").fetchone()[0] - db.execute("PRAGMA freelist_count").fetchone()[0])
        db.execute("ROLLBACK TO m")
        db.execute("RELEASE m")
    return total


def write_cost(db):
    """Steps in tens of the nightly write: 300 new parts with stock, the counts of seven days."""
    count = 0

    def tick():
        nonlocal count
        count += 1
        return 0

    db.execute("SAVEPOINT w")
    db.set_progress_handler(tick, 10)
    for i in range(300):
        db.execute("INSERT INTO part VALUES (?, ?, ?, 'K9', 100, 50, NULL)", (900000 + i, f"Zz-{i}", 1 + i % 80))
        db.execute("INSERT INTO stock VALUES (?, 'NORD', 1, '2026-12-01')", (900000 + i,))
    db.execute("UPDATE stock SET qty = qty + 1, counted = '2026-12-02' WHERE counted = '2026-12-01'")
    for day in range(3, 9):
        db.execute("UPDATE stock SET qty = 0 WHERE counted = ?", (f"2026-12-{day:02d}",))
    db.set_progress_handler(None, 0)
    db.execute("ROLLBACK TO w")
    db.execute("RELEASE w")
    return count


def prepared(path, indexes):
    """A copy of a database in memory with the script run on it."""
    if not only_indexes(indexes):
        raise SystemExit("indexes.sql holds something else than CREATE INDEX and DROP INDEX")
    db = sqlite3.connect(":memory:", isolation_level=None)
    source = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    source.backup(db)
    db.executescript(indexes)
    return db
