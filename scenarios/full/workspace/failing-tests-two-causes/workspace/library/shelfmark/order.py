"""Filing order of headings."""

import locale

locale.setlocale(locale.LC_COLLATE, "")


def sort_headings(headings):
    """The headings in filing order (docs/ordering.md)."""
    return sorted(headings, key=locale.strxfrm)
