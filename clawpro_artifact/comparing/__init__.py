"""bundles and foreign results -> leaderboards, correlations, paired tests, findings about boards.

Everything here compares; nothing here scores. SciPy and NumPy do the statistics, with the choices
of docs/comparing.md; what they lack (Holm, mid-p McNemar, Bonett-Wright) is written out.
"""

from __future__ import annotations

from clawpro_artifact.comparing.board import Formula, check_board
from clawpro_artifact.comparing.correlation import Correlation, cross_track, spearman
from clawpro_artifact.comparing.entries import Entry, Figure, of_results, of_scores
from clawpro_artifact.comparing.foreign import read_results
from clawpro_artifact.comparing.leaderboard import Leaderboard, leaderboard
from clawpro_artifact.comparing.results import Results, Row
from clawpro_artifact.comparing.signatures import same_signature

__all__ = [
    "Correlation",
    "Entry",
    "Figure",
    "Formula",
    "Leaderboard",
    "Results",
    "Row",
    "check_board",
    "cross_track",
    "leaderboard",
    "of_results",
    "of_scores",
    "read_results",
    "same_signature",
    "spearman",
]
