"""The documentation builds as a site in which all links lead somewhere, and `make docs` does that."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from documentation_build import build, sources

pytest.importorskip("zensical")

ROOT = Path(__file__).parents[1]
CONFIGURATION = (ROOT / "mkdocs.yml").read_text("utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = sources(tmp_path_factory.mktemp("documentation"))
    result = build(folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder / "build" / "docs"


class Addresses(HTMLParser):
    """Anchors of a page, where its links lead, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors.update(filter(None, (attributes.get("id"), attributes.get("name"))))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag == "link" and attributes.get("rel") in {"stylesheet", "icon", "preload"}:
            self.loaded.append(attributes["href"])
        elif tag in {"script", "img", "iframe", "source"} and attributes.get("src"):
            self.loaded.append(attributes["src"])


def pages(site):
    return {
        path: Addresses(path.read_text("utf-8"))
        for path in sorted(site.rglob("*.html"))
        if path.name != "404.html"
    }


def test_every_page_is_built_and_in_the_navigation(site):
    named = set(re.findall(r"[\w/-]+\.md", CONFIGURATION.partition("\nnav:")[2]))
    written = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").glob("*.md")}
    assert named == written | {"decisions/README.md"}
    built = {str(path.relative_to(site)) for path in site.rglob("*.html")} - {"404.html"}
    of_all = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert built == {re.sub(r"README\.md$", "index.md", name)[:-3] + ".html" for name in of_all}
    assert not list(site.rglob("make_*.py"))


def test_links_lead_somewhere(site):
    built = pages(site)
    followed = 0
    for path, page in built.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{path.name}: {link}"
            if parts.fragment and target in built:
                assert unquote(parts.fragment) in built[target].anchors, f"{path.name}: {link}"
            followed += 1
    assert followed > 500


def test_bars_in_tables_are_not_shown_with_a_stroke(site):
    assert r"FILE\|N" not in (site / "commands.html").read_text("utf-8")
    paths = sorted(site.rglob("*.html"))
    assert len(paths) > 10
    for path in paths:
        assert not re.search(r"<td>[^\n]*\\\|", path.read_text("utf-8")), path.name


def test_nothing_is_loaded_from_elsewhere(site):
    checked = list(pages(site).items())
    assert checked
    for path, page in checked:
        assert page.loaded
        elsewhere = [address for address in page.loaded if urlsplit(address).netloc]
        assert elsewhere == [], path.name


def test_broken_links_stop_the_build(tmp_path):
    folder = sources(tmp_path)
    with (folder / "docs" / "site.md").open("a", encoding="utf-8") as page:
        page.write("\n[x](no-such-page.md) [y](graph.md#no-such-heading)\n")
    result = build(folder)
    assert result.returncode != 0
    assert "2 issues found" in result.stdout + result.stderr


def test_make_builds_it():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(r"^docs:.*\n\t\$\(BIN\)/zensical build --strict$", makefile, re.MULTILINE)
