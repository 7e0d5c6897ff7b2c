"""Bars."""

import wire


def bar(name, size):
    """A bar as a message."""
    return wire.encode({"name": name, "size": size})


def drawn(message):
    """The bar in characters."""
    fields = wire.decode(message)
    return "#" * int(fields["size"]) + " " + fields["name"]
