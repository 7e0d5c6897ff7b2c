"""Settings."""

import tomllib
from pathlib import Path

_FILE = Path(__file__).parents[1] / "config.toml"


def load():
    """The settings as in config.toml."""
    with _FILE.open("rb") as file:
        return tomllib.load(file)


def setting(name, default=None):
    """A setting by its dotted name, or the default."""
    value = load()
    for part in name.split("."):
        value = value.get(part, {}) if isinstance(value, dict) else {}
    return default if value == {} else value
