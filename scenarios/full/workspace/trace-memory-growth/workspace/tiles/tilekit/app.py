"""The service."""

from urllib.parse import parse_qsl, urlsplit

from tilekit.cache import CacheEntry, RenderCache
from tilekit.settings import setting
from tilekit.style import Style

RENDER_CACHE = RenderCache(setting("render.cache_limt"))
LEGENDS = {}


def _rendered(key, style):
    entry = RENDER_CACHE.get(key)
    if entry is None:
        entry = CacheEntry("/".join(map(str, key)), Style(style))
        RENDER_CACHE.put(key, entry)
    return entry.text


def _tile(q):
    if int(q["z"]) > 18:
        return 404, ""
    style = q.get("style", "std")
    return 200, _rendered(("tile", q["z"], q["x"], q["y"], style), style)


def _thumb(q):
    style = q.get("style", "std")
    return 200, _rendered(("tile", "0", "0", "0", style), style)


def _preview(q):
    return 200, _rendered(("preview", q["doc"], q.get("rev", "head")), "draft")


def _export(q):
    if "token" not in q:
        return 401, ""
    return 200, _rendered(("export", q["doc"], q.get("format", "PNG").lower()), "print")


def _legend(q):
    style = q.get("style", "std")
    LEGENDS.setdefault(style, Style(style))
    return 200, LEGENDS[style].name


def _poster(q):
    if not setting("render.posters", False):
        return 404, ""
    return 200, _rendered(("poster", q["doc"]), "print")


_ROUTES = {
    "/tile": _tile, "/thumb": _thumb, "/preview": _preview, "/export": _export, "/legend": _legend, "/poster": _poster,
}


def handle(method, target):
    """(status, body) of a request; HEAD is answered without rendering."""
    url = urlsplit(target)
    if url.path not in _ROUTES:
        return 404, ""
    if method == "HEAD":
        return 200, ""
    return _ROUTES[url.path](dict(parse_qsl(url.query)))
