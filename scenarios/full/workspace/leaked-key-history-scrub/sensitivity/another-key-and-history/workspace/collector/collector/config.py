"""Configuration."""

import tomllib


def load(path):
    """The ingest settings: url, key, batch."""
    with open(path, "rb") as file:
        return tomllib.load(file)["ingest"]
