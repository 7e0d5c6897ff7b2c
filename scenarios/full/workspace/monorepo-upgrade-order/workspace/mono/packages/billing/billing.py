"""Invoices."""

import ledgerfmt
import wire


def total(lines):
    """The sum of ledger lines as a message."""
    return wire.encode({"total": sum(ledgerfmt.cents(x) for x in lines)})
