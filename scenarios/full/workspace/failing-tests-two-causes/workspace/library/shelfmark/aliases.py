"""Abbreviations in headings."""

_STANDARD = {"st.": "saint", "u.s.": "united states", "dept.": "department"}


class AliasTable:
    """The standard abbreviations with the additions of one catalogue (docs/aliases.md)."""

    _expanded = {}

    def __init__(self, extra=None):
        self._table = _STANDARD
        if extra:
            self._table.update({k.lower(): v for k, v in extra.items()})

    def expand(self, heading):
        """The heading with every abbreviation replaced by its long form."""
        if heading not in self._expanded:
            words = [self._table.get(word.lower(), word) for word in heading.split()]
            self._expanded[heading] = " ".join(words)
        return self._expanded[heading]
