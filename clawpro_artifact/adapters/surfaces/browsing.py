"""pages of one trial -> a small web: what is asked for is served and written down.

Serves both as the site on loopback (`/path`) and as an HTTP proxy (`http://host/path`), so that a
scenario's pages may have names of their own. Nothing is ever fetched from anywhere.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from clawpro_artifact.adapters.surfaces.server import Reply, Request

_FORM = "application/x-www-form-urlencoded"
_MISSING = Reply(404, b"<h1>404 Not Found</h1>", {"content-type": "text/html; charset=utf-8"})


class WebService:
    """The web of one host; `begin` and `end` bound a trial.

    `pages` maps "/path" or "http://host/path" to a page: its text, or {text, status, type,
    location, needs: cookie, login: {fields, cookie, next}, methods: {"POST": page}}.
    """

    def __init__(self) -> None:
        self._pages: dict[str, Any] = {}
        self._requests: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def begin(self, setup: Mapping[str, Any]) -> None:
        """`setup`: {pages: {...}}."""
        with self._lock:
            self._pages = dict(setup.get("pages", {}))
            self._requests = []

    def change(self, pages: Mapping[str, Any]) -> None:
        """From now on these pages are others."""
        with self._lock:
            self._pages.update(pages)

    def end(self) -> dict[str, Any]:
        """{requests: [{method, url, form?, status}]}; only what the agent could mean to ask."""
        with self._lock:
            rows, self._requests, self._pages = self._requests, [], {}
        return {"requests": rows}

    def answer(self, request: Request) -> Reply:
        """One page. CONNECT (https) is refused: there is no certificate to give."""
        if request.method == "CONNECT":
            self._note(request, f"https://{request.target}/", {}, 502)
            return Reply(502)
        parts = urlsplit(request.target)
        host = parts.netloc or request.headers.get("host", "127.0.0.1")
        url = f"http://{host}{parts.path or '/'}" + (f"?{parts.query}" if parts.query else "")
        form: dict[str, str] = {}
        if request.headers.get("content-type", "").startswith(_FORM):
            form = dict(parse_qsl(request.body.decode("utf-8", "replace"), keep_blank_values=True))
        elif request.body:
            form = {"body": request.body.decode("utf-8", "replace")}
        reply = self._page(request, host, parts.path or "/", form)
        if parts.path != "/favicon.ico":
            self._note(request, url, form, reply.status)
        return reply

    def _note(self, request: Request, url: str, form: dict[str, str], status: int) -> None:
        row: dict[str, Any] = {"method": request.method, "url": url, "status": status}
        if form:
            row["form"] = form
        with self._lock:
            self._requests.append(row)

    def _page(self, request: Request, host: str, path: str, form: dict[str, str]) -> Reply:
        with self._lock:
            page = self._pages.get(f"http://{host}{path}", self._pages.get(path))
        if isinstance(page, Mapping) and request.method in page.get("methods", {}):
            page = page["methods"][request.method]
        if page is None:
            return _MISSING
        if isinstance(page, str):
            page = {"text": page}
        if "login" in page:
            return _login(page["login"], form)
        if "needs" in page and page["needs"] not in request.headers.get("cookie", ""):
            return Reply(403, b"<h1>403 Please log in</h1>", {"content-type": "text/html"})
        if "location" in page:
            return Reply(302, b"", {"location": str(page["location"])})
        text = str(page.get("text", ""))
        kind = str(page.get("type") or _kind(text))
        return Reply(int(page.get("status", 200)), text.encode(), {"content-type": kind})


def _login(login: Mapping[str, Any], form: dict[str, str]) -> Reply:
    """`login`: {fields: {name: value}, cookie, next}."""
    if any(form.get(k) != str(v) for k, v in login["fields"].items()):
        return Reply(403, b"<h1>403 Wrong name or password</h1>", {"content-type": "text/html"})
    cookie = f"{login['cookie']}; Path=/"
    return Reply(302, b"", {"location": str(login["next"]), "set-cookie": cookie})


def _kind(text: str) -> str:
    start = text.lstrip()[:1]
    kind = {"<": "text/html", "{": "application/json", "[": "application/json"}.get(start)
    return f"{kind or 'text/plain'}; charset=utf-8"
