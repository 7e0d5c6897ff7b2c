"""wire 3: messages as bytes."""

import json


def dumps(fields):
    """A message; keys are sorted and values keep their type."""
    return json.dumps(fields, sort_keys=True).encode()


def loads(message):
    """The fields of a message."""
    if not isinstance(message, bytes):
        raise TypeError("wire 3 messages are bytes")
    return json.loads(message)
