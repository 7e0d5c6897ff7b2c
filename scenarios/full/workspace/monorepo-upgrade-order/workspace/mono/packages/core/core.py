"""Records as messages."""

import wire


def pack(record):
    """A record as a message."""
    return wire.encode(record)


def unpack(message):
    """The record of a message."""
    return wire.decode(message)
