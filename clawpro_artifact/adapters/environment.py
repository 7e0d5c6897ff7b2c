"""the process environment -> the secret values that it holds; read here, shown nowhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from clawpro_artifact.errors import UsageError

_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|COOKIE|DSN)", re.IGNORECASE)
LEAST = 8  # shorter values would be found by chance in any text


def secret_values(named: Iterable[str] = ()) -> tuple[str, ...]:
    """Values of the variables in `named` and of all whose name says that they are secret."""
    wanted = set(named)
    found = {
        value
        for name, value in os.environ.items()
        if len(value) >= LEAST
        and (name in wanted or _SECRET_NAME.search(name))
        # A path to a key file or an agent's socket is no secret and stands in many texts.
        and not value.startswith("/")
    }
    return tuple(sorted(found))


def required(name: str | None, where: str) -> str:
    """The value of a variable that must be set; UsageError otherwise."""
    value = os.environ.get(name or "")
    if not name or not value:
        raise UsageError(
            "a variable that the manifest names is not set",
            where=where,
            expected="an environment variable with a value",
            found=name or "no name in the manifest",
            do=f"export {name or 'NAME'}=...",
        )
    return value


def optional(name: str | None) -> str:
    """The value of a variable, or nothing."""
    return os.environ.get(name, "") if name else ""
