"""Customers and their contacts (version 8)."""

import sqlite3
import sys


def customers(path):
    """(id, name, locale, {kind: value}) of every customer."""
    with sqlite3.connect(path) as db:
        found = []
        for key, name, locale in db.execute("SELECT id, name, locale FROM customer ORDER BY id"):
            rows = db.execute("SELECT kind, value FROM contact WHERE customer_id = ?", (key,))
            found.append((key, name, locale, dict(rows)))
        return found


if __name__ == "__main__":
    for key, name, locale, contacts in customers(sys.argv[1] if len(sys.argv) > 1 else "app.db"):
        print(key, name, locale, contacts.get("phone", "-"), contacts.get("email", "-"), sep="|")
