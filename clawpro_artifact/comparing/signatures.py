"""signatures of figures -> refused, naming what differs, where they do not speak of one thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clawpro_artifact.errors import InputError


def same_signature(
    signatures: Mapping[str, Mapping[str, object]], apart: Sequence[str] = ()
) -> None:
    """InputError unless all are equal but for the keys `apart`; by name of the figure."""
    names = list(signatures)
    if not names:
        return
    first = signatures[names[0]]
    for name in names[1:]:
        other = signatures[name]
        odd = sorted(
            key for key in {*first, *other} if key not in apart and first.get(key) != other.get(key)
        )
        if odd:
            raise InputError(
                "figures of different signatures are not compared",
                where=f"{names[0]} and {name}",
                expected="; ".join(f"{key} = {first.get(key)}" for key in odd),
                found="; ".join(f"{key} = {other.get(key)}" for key in odd),
                do="score both with the same release, weights and number of trials",
            )
