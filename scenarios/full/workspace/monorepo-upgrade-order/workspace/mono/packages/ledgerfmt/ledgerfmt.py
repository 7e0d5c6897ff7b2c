"""Ledger lines."""

import wire


def line(account, cents):
    """A ledger line."""
    return wire.encode({"account": account, "cents": cents})


def cents(message):
    """Its amount."""
    return int(wire.decode(message)["cents"])
