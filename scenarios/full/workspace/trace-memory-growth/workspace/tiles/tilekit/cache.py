"""A cache of rendered tiles."""

from collections import OrderedDict


class CacheEntry:
    """A rendered text and the style it was rendered with."""

    def __init__(self, text, style):
        self.text = text
        self.style = style


class RenderCache:
    """Least recently used entries go when there are more than `limit`; None means no limit."""

    def __init__(self, limit=None):
        self._limit = limit
        self._entries = OrderedDict()
        self.hits = 0

    def __len__(self):
        return len(self._entries)

    def get(self, key):
        """The entry of a key or None."""
        entry = self._entries.get(key)
        if entry is not None:
            self.hits += 1
            self._entries.move_to_end(key)
        return entry

    def put(self, key, entry):
        """Keep an entry."""
        self._entries[key] = entry
        while self._limit is not None and len(self._entries) > self._limit:
            self._entries.popitem(last=False)
