"""Probes."""

from gauge.scale import to_bar


def read(raw):
    """A raw count in bar."""
    return to_bar(raw * 12.5)
