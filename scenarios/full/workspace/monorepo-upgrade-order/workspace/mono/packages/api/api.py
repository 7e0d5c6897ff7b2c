"""Requests on a store."""

import core
import wire


def put(store, record):
    """Put a record; the answer is a message."""
    number = store.add(record)
    return wire.encode({"ok": "yes", "number": number})


def accepted(answer):
    """Whether an answer says yes."""
    return wire.decode(answer)["ok"] == "yes"


def number(answer):
    """The number in an answer."""
    return wire.decode(answer)["number"]


def fetch(store, number):
    """A record as the message of core."""
    return core.pack(store.get(int(number)))
