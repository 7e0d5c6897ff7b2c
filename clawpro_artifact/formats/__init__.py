"""bytes <-> values; no decisions."""
