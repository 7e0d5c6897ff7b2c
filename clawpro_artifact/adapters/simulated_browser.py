"""browser calls -> page snapshots: the simulation's browser, over the real small web of a trial.

It knows links, forms, cookies, redirects and console lines that a page writes as literals; it runs
no scripts. Snapshots have the runtime's form, so that policies find elements as they do there.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from clawpro_artifact.adapters.surfaces.browsing import WebService
from clawpro_artifact.adapters.surfaces.server import Reply, Request

_FORM = "application/x-www-form-urlencoded"
_CONSOLE = re.compile(r"console\.(error|warn|log|info)\(\s*([\"'])(.*?)\2\s*\)")
_MOST_REDIRECTS = 5
_FIELDS = {"checkbox": "checkbox", "radio": "radio", "submit": "button", "number": "spinbutton"}
_TEXTS = ("h1", "h2", "h3", "h4", "p", "td", "th", "li", "legend", "dt", "dd", "caption", "pre")


@dataclass
class Element:
    """Something that can be clicked, typed into or chosen."""

    role: str
    name: str
    form: dict[str, str] | None = None
    key: str = ""
    value: str = ""
    href: str = ""
    options: list[tuple[str, str]] = field(default_factory=list)
    checked: bool = False


class Page(HTMLParser):
    """A page's lines and elements, in the order of its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.lines: list[str | Element] = []
        self.elements: list[Element] = []
        self.title = ""
        self._form: dict[str, str] | None = None
        self._labels: dict[str, str] = {}
        self._ids: list[tuple[str, Element]] = []
        self._label: list[str] | None = None
        self._label_for: str | None = None
        self._in_label: list[Element] = []
        self._open: Element | None = None
        self._option: list[str] | None = None
        self._words: list[str] = []
        self._silent = ""
        self.feed(text)
        self.close()
        self._flush("text")
        for name, element in self._ids:
            element.name = element.name or self._labels.get(name, "")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {k: v or "" for k, v in attrs}
        if tag in ("script", "style", "title"):
            self._silent = tag
        elif tag == "form":
            method = given.get("method", "get").upper()
            self._form = {"action": given.get("action", ""), "method": method}
        elif tag == "label":
            self._label, self._label_for, self._in_label = [], given.get("for"), []
        elif tag == "a" and "href" in given:
            self._flush("text")
            self._open = self._add("link", given)
            self._open.href = given["href"]
        elif tag == "button":
            self._flush("text")
            self._open = self._add("button", given)
        elif tag == "input":
            self._input(given)
        elif tag in ("select", "textarea"):
            self._flush("text")
            self._open = self._add("combobox" if tag == "select" else "textbox", given)
        elif tag == "option" and self._open is not None:
            self._option = []
            self._open.options.append((given.get("value", ""), ""))
            if "selected" in given or len(self._open.options) == 1:
                self._open.value = given.get("value", "")
        elif tag in _TEXTS:
            self._flush("text")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._silent:
            self._silent = ""
        elif tag == "form":
            self._form = None
        elif tag == "label":
            name = " ".join("".join(self._label or []).split())
            if self._label_for:
                self._labels[self._label_for] = name
            for element in self._in_label:
                element.name = element.name or name
            self._label = None
        elif tag == "option" and self._open is not None and self._open.options:
            shown = " ".join("".join(self._option or []).split())
            value = self._open.options[-1][0] or shown
            if len(self._open.options) == 1 and not self._open.value:
                self._open.value = value
            self._open.options[-1] = (value, shown)
            self._option = None
        elif tag in ("a", "button", "select", "textarea") and self._open is not None:
            words = " ".join("".join(self._words).split())
            self._words = []
            if tag == "textarea":
                self._open.value = words
            elif tag != "select":
                self._open.name = self._open.name or words
            self._open = None
        elif tag in _TEXTS:
            self._flush("heading" if tag[0] == "h" else "text")

    def handle_data(self, data: str) -> None:
        if self._silent == "title":
            self.title += data
        if self._silent:
            return
        if self._option is not None:
            self._option.append(data)
            return
        if self._label is not None and self._open is None:
            self._label.append(data)
        self._words.append(data)

    def _input(self, given: dict[str, str]) -> None:
        kind = given.get("type", "text")
        if kind == "hidden":
            hidden = Element(
                "hidden", "", self._form, given.get("name", ""), given.get("value", "")
            )
            self.elements.append(hidden)
            return
        self._flush("text")
        element = self._add(_FIELDS.get(kind, "textbox"), given)
        element.checked = "checked" in given
        if kind == "submit":
            element.name = given.get("value", "")

    def _add(self, role: str, given: dict[str, str]) -> Element:
        name = given.get("aria-label") or given.get("placeholder", "")
        element = Element(role, name, self._form, given.get("name", ""), given.get("value", ""))
        self.elements.append(element)
        self.lines.append(element)
        if "id" in given:
            self._ids.append((given["id"], element))
        if self._label is not None:
            self._in_label.append(element)
        return element

    def _flush(self, role: str) -> None:
        words = " ".join("".join(self._words).split())
        self._words = []
        if words:
            self.lines.append(f'- heading "{words}"' if role == "heading" else f"- text: {words}")


class Browser:
    """One profile: a cookie jar and the page that it looks at."""

    def __init__(self, web: WebService) -> None:
        self._web = web
        self._cookie = ""
        self._url = ""
        self._page = Page("")
        self._console: list[dict[str, str]] = []

    def use(self, arguments: dict[str, Any]) -> str:
        """The result text; ValueError for what the page does not allow."""
        action = arguments.get("action")
        if action == "start":
            return json.dumps({"ok": True})
        if action in ("open", "navigate"):
            self._go("GET", str(arguments.get("url") or arguments.get("targetUrl")), {})
            return json.dumps({"ok": True, "url": self._url})
        if action == "snapshot":
            return self._snapshot()
        if action == "console":
            return json.dumps({"ok": True, "messages": self._console}, ensure_ascii=False)
        if action == "act":
            self._act(arguments.get("request") or arguments)
            return json.dumps({"ok": True, "url": self._url})
        raise NotImplementedError("browser")

    def fetch(self, url: str) -> str:
        """`web_fetch`: no cookies; ValueError for a status of 400 and above."""
        reply = self._ask("GET", url, {}, cookie="")
        if reply.status >= 400:
            raise ValueError(f"HTTP {reply.status}")
        return reply.body.decode()

    def _act(self, request: dict[str, Any]) -> None:
        kind, ref = request.get("kind"), str(request.get("ref", ""))
        number = int(ref[1:]) if re.fullmatch(r"e\d+", ref) else -1
        if not 0 <= number < len(self._page.elements):
            raise ValueError(f"Unknown ref {ref}; take a new snapshot")
        element = self._page.elements[number]
        if kind == "type" and element.role in ("textbox", "spinbutton"):
            element.value = str(request.get("text", ""))
        elif kind == "select" and element.role == "combobox":
            wanted = str(request.get("values", [""])[0])
            found = [v for v, shown in element.options if wanted in (v, shown)]
            if not found:
                raise ValueError(f"no option {wanted}")
            element.value = found[0]
        elif kind == "click":
            self._click(element)
        else:
            raise ValueError(f"{kind} does not fit a {element.role}")

    def _click(self, element: Element) -> None:
        if element.role == "link":
            self._go("GET", urljoin(self._url, element.href), {})
        elif element.role == "checkbox":
            element.checked = not element.checked
        elif element.role == "radio":
            for other in self._page.elements:
                if other.form is element.form and other.key == element.key:
                    other.checked = other is element
        elif element.role == "button" and element.form is not None:
            form = {
                e.key: e.value or ("on" if e.role in ("checkbox", "radio") else "")
                for e in self._page.elements
                if e.form is element.form
                and e.key
                and (e.role != "button" or e is element)
                and (e.role not in ("checkbox", "radio") or e.checked)
            }
            url = urljoin(self._url, element.form["action"])
            self._go(element.form["method"], url, form)

    def _go(self, method: str, url: str, form: dict[str, str]) -> None:
        for _ in range(_MOST_REDIRECTS):
            reply = self._ask(method, url, form, cookie=self._cookie)
            if cookie := reply.headers.get("set-cookie"):
                self._cookie = cookie.split(";")[0]
            self._url = url
            if reply.status not in (302, 303):
                break
            method, url, form = "GET", urljoin(url, reply.headers["location"]), {}
        text = reply.body.decode()
        self._page = Page(text)
        self._console = [{"type": m[1], "text": m[3]} for m in _CONSOLE.finditer(text)]
        if reply.status >= 400:
            failed = f"Failed to load resource: status of {reply.status}"
            self._console.append({"type": "error", "text": failed})

    def _ask(self, method: str, url: str, form: dict[str, str], cookie: str) -> Reply:
        parts = urlsplit(url)
        query = parts.query or (urlencode(form) if method == "GET" else "")
        headers = {"host": parts.netloc, "cookie": cookie}
        body = b""
        if method != "GET":
            headers["content-type"], body = _FORM, urlencode(form).encode()
        target = (parts.path or "/") + (f"?{query}" if query else "")
        return self._web.answer(Request(method, target, headers, body))

    def _snapshot(self) -> str:
        lines = []
        for line in self._page.lines:
            if isinstance(line, str):
                lines.append(line)
                continue
            number = self._page.elements.index(line)
            state = " [checked]" if line.checked else ""
            shown = f'- {line.role} "{line.name}"{state} [ref=e{number}]'
            if line.role == "textbox" and line.value:
                shown += f": {line.value}"
            lines.append(shown)
            if line.href:
                lines.append(f"  - /url: {line.href}")
            for value, label in line.options:
                chosen = " [selected]" if value == line.value else ""
                lines.append(f'  - option "{label}"{chosen}')
        return "\n".join(lines)
