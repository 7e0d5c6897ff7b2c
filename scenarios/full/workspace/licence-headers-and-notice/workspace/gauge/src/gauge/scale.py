"""Scales."""


def to_bar(pascal):
    """Pascal to bar."""
    return pascal / 100_000
