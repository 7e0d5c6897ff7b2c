"""recorded results -> numbers; pure standard library, copied verbatim into every bundle.

`python -S -m scoring` in a bundle's `data/` prints `results/scores.json` again, byte for byte.
The derivation is in docs/scoring.md; the order to read: records, trial, passing, statistics, suite.
"""
