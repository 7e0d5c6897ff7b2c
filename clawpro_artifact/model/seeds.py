"""manifest's seed + trial id -> the trial's seed; the standard library alone, for the verifier."""

from __future__ import annotations

import hashlib


def trial_seed(seed: int, configuration: str, scenario: str, index: int) -> int:
    """53 bits of SHAKE-256 over the manifest's seed and the trial id."""
    text = f"clawpro.trial-seed.v1/{seed}/{configuration}/{scenario}/{index}"
    return int.from_bytes(hashlib.shake_256(text.encode()).digest(8), "big") >> 11
