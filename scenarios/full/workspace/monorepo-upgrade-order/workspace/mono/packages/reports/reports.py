"""Reports."""

import wire


def heading(title, year):
    """A heading as a message."""
    return wire.encode({"title": title, "year": year})


def text(message):
    """The heading in words."""
    fields = wire.decode(message)
    return "{title} {year}".format(**fields)
