"""Rows and their header."""

import core
import wire


class Store:
    """Rows in memory; the header is a message of its own."""

    def __init__(self):
        self._rows = []
        self._head = wire.encode({"rows": 0})

    def add(self, record):
        """Keep a record; its number."""
        self._rows.append(core.pack(record))
        self._head = wire.encode({"rows": len(self._rows)})
        return len(self._rows)

    def count(self):
        """How many rows the header says."""
        return int(wire.decode(self._head)["rows"])

    def get(self, number):
        """The record of a number."""
        return core.unpack(self._rows[number - 1])
