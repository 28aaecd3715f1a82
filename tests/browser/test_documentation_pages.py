"""The pages of the documentation ask for nothing but their own files, and can be searched."""

from __future__ import annotations

import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from documentation_build import build, sources

pytest.importorskip("zensical")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = sources(tmp_path_factory.mktemp("documentation"))
    assert build(folder).returncode == 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder / "build" / "docs"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", folder / "build" / "docs"
    server.shutdown()
    server.server_close()


def test_pages_ask_for_nothing_elsewhere_and_are_searched(chromium, served):
    address, _ = served
    asked, errors = [], []
    context = chromium.new_context()
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    for name in ("index", "first-report", "reading-a-report", "rules", "commands", "from-trex"):
        page.goto(f"{address}/{name}.html", wait_until="networkidle")
        assert page.locator("h1").inner_text()
    page.keyboard.press("Control+k")
    page.locator("input:focus").fill("residual")
    page.get_by_text("TRX302", exact=True).first.wait_for(timeout=60_000)
    context.close()
    assert errors == []
    assert len(asked) > 20
    assert [url for url in asked if not url.startswith((address, "blob:", "data:"))] == []


@pytest.mark.parametrize("from_disk", [True, False])
def test_a_search_is_offered_where_it_works(chromium, served, from_disk):
    address, folder = served
    page = chromium.new_page()
    page.goto((folder / "index.html").as_uri() if from_disk else f"{address}/index.html")
    assert page.locator(".md-search__button").is_visible() != from_disk
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_commands_and_options_are_read_whole(chromium, served, width):
    page = chromium.new_page(viewport={"width": width, "height": 800})
    for name, selector in (("accuracy", ".language-sh pre > code"), ("inputs", "td code")):
        page.goto((served[1] / f"{name}.html").as_uri())
        cut = page.locator(selector).evaluate_all(
            """(all) => all.map((each) => each.matches("td *")
              ? each.getClientRects().length > 1 : each.scrollWidth > each.clientWidth + 1)"""
        )
        assert len(cut) > 3
        assert not any(cut), name
    page.close()
