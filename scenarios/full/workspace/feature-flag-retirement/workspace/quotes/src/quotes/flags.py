"""Flags from flags.toml."""

import tomllib
from pathlib import Path

_FILE = Path(__file__).parents[2] / "flags.toml"


def flag(name, region):
    """Whether a flag is on in a region."""
    with _FILE.open("rb") as file:
        entry = tomllib.load(file)[name]
    return entry.get("regions", {}).get(region, entry["default"])
