"""Styles."""


class Palette:
    """The colours of a style."""

    def __init__(self, name):
        self.colours = [f"{name}-{i}" for i in range(64)]


class Style:
    """A style by name with its own palette."""

    def __init__(self, name):
        self.name = name
        self.palette = Palette(name)
