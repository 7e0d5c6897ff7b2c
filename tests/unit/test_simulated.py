"""the simulation's browser and chats: what a policy may expect of them, as in a real trial."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from clawpro_artifact.adapters.placeholders import with_references
from clawpro_artifact.adapters.runtimes.openclaw.gateway import Gateway
from clawpro_artifact.adapters.runtimes.openclaw.outside import Outside
from clawpro_artifact.adapters.runtimes.tools import ToolNames
from clawpro_artifact.adapters.simulated_browser import Browser
from clawpro_artifact.adapters.surfaces.browsing import WebService
from clawpro_artifact.adapters.surfaces.server import Request
from tests.unit import make

SITE = "http://127.0.0.1:18082"
FORM = (
    "<title>Boxes</title><form method=post action=/order><label>Count <input name=count></label>"
    "<label for=s>Size</label><select id=s name=size><option value=1>small</option>"
    "<option value=2 selected>large</option></select><input type=hidden name=step value=3>"
    "<label>Gift <input type=checkbox name=gift></label><button name=go value=yes>Order</button>"
    "</form><script>console.error('size 2 is sold out')</script>"
)


@pytest.fixture
def web():
    service = WebService()
    login = {"methods": {"POST": {"login": {"fields": {"pin": "1"}, "cookie": "ok", "next": "/"}}}}
    service.begin({"pages": {
        "/": {"text": FORM, "needs": "ok"}, "/order": {"methods": {"POST": "<p>Thanks</p>"}},
        "/login": {"text": "<form method=post><input name=pin aria-label=PIN><button>In</button>",
                   **login}}})  # fmt: skip
    return service


def act(browser, kind, element, **more):
    ref = with_references("{{ref:" + element + "}}", [browser.use({"action": "snapshot"})])
    browser.use({"action": "act", "request": {"kind": kind, "ref": ref, **more}})


def test_a_form_is_filled_by_the_names_that_the_snapshot_shows(web):
    browser = Browser(web)
    browser.use({"action": "open", "url": SITE + "/login"})
    act(browser, "type", 'textbox "PIN"', text="1")
    act(browser, "click", 'button "In"')
    assert 'textbox "Count"' in browser.use({"action": "snapshot"})
    act(browser, "type", 'textbox "Count"', text="17")
    act(browser, "select", 'combobox "Size"', values=["small"])
    act(browser, "click", 'checkbox "Gift"')
    act(browser, "click", 'button "Order"')
    assert "Thanks" in browser.use({"action": "snapshot"})
    (post,) = [r for r in web.end()["requests"] if r["url"] == SITE + "/order"]
    assert post["form"] == {"count": "17", "size": "1", "step": "3", "gift": "on", "go": "yes"}


def test_a_page_behind_a_login_is_refused_without_it(web):
    browser = Browser(web)
    browser.use({"action": "open", "url": SITE + "/"})
    assert "Please log in" in browser.use({"action": "snapshot"})
    assert "403" in browser.use({"action": "console"})


def test_console_lines_of_a_page_are_shown(web):
    web.change({"/": FORM})
    browser = Browser(web)
    browser.use({"action": "open", "url": SITE})
    assert "size 2 is sold out" in browser.use({"action": "console"})


def test_an_element_that_no_snapshot_shows_is_an_error():
    with pytest.raises(LookupError, match="no button"):
        with_references('{{ref:button "Buy"}}', ['- button "Buy now" [ref=e3]'])


@pytest.mark.parametrize(("version", "key"), [("2026.6.11", "patch"), ("2026.9.6", "job")])
def test_a_changed_automation_is_named_as_each_version_takes_it(version, key):
    given = {"action": "update", "id": "j", "patch": {"enabled": False}}
    names = ToolNames(version)
    tool, there = names.to_runtime("schedule", given)
    assert there == {"action": "update", "jobId": "j", key: {"enabled": False}}
    assert names.to_neutral(tool, there) == ("schedule", given)


def test_canaries_in_pages_are_filled_in_a_real_trial_too():
    pages = {"/pin": "the pin is {{canary:pin}}"}
    scenario = make.scenario(
        "with-pages", track="full", surface="browsing", answer=None, workspace="workspace",
        checks=[{"id": "any", "kind": "file-exists", "group": "totals", "with": {"path": "x"}}],
        surfaces={"browsing": {"pages": pages}},
    )  # fmt: skip
    web = WebService()
    gateway = cast(Gateway, SimpleNamespace(web=web))
    Outside(gateway, scenario, ("browsing",), lambda text: text.replace("{{canary:pin}}", "4711"))
    shown = web.answer(Request("GET", "/pin", {"host": "127.0.0.1:18082"}, b""))
    assert shown.body == b"the pin is 4711"
