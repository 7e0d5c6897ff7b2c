"""leaf hashes of a release log <-> text, one a line in hex: small enough to be in every bundle.

With the whole list in each, any two bundles of a team can be checked against each other without a
service and without asking for a consistency proof.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clawpro_artifact.errors import InputError

MAX_BYTES = 65 * 1_000_000
_LINES = re.compile(rb"(?:[0-9a-f]{64}\n)+")


@dataclass(frozen=True)
class LogEntry:
    """A bundle's place in a release log: a C2SP tlog-proof, and the list of all leaves."""

    proof: bytes
    leaves: bytes


def write(leaves: Sequence[bytes]) -> bytes:
    """The text of leaf hashes, in the order of the log."""
    return "".join(f"{leaf.hex()}\n" for leaf in leaves).encode()


def read(data: bytes, where: str) -> tuple[bytes, ...]:
    """The leaf hashes; InputError for any other text."""
    if not _LINES.fullmatch(data):
        raise InputError(
            "malformed list of a release log",
            where=where,
            expected="lines of 64 lower-case hex digits",
            found=ascii(data[:60]),
        )
    return tuple(bytes.fromhex(line.decode()) for line in data.splitlines())
