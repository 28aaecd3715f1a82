"""The gallery has every sample, and every link of it leads to a file, wherever the folder is."""

from __future__ import annotations

import importlib.util
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest

from trexreport.cli import main

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("make_gallery", ROOT / "gallery" / "make_gallery.py")
make_gallery = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_gallery)
NAMES = [entry["name"] for entry in make_gallery.entries()]


class Addresses(HTMLParser):
    """What a page links to and loads."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        for name in ("src", "srcset"):
            if attributes.get(name):
                self.loaded.append(attributes[name])


def entry(name):
    return next(each for each in make_gallery.entries() if each["name"] == name)


@pytest.mark.parametrize("name", NAMES)
def test_commands_are_those_of_today(name, tmp_path):
    found = make_gallery.commands(entry(name), tmp_path, tmp_path / "made")
    assert len(found) == 1 + len(entry(name).get("also", ()))
    for command, *words in found:
        assert main.commands[command].make_context(command, words, parent=click.Context(main))


def test_every_sample_is_shown():
    samples = {path.parent.name for path in (ROOT / "samples").glob("*/*.graph.json")}
    named = {part for each in make_gallery.entries() for part in re.split(r"[/ =]", each["command"])}
    assert len(samples) == 4
    assert samples <= named


def test_the_front_page_names_every_entry(tmp_path):
    page = make_gallery.front_page(tmp_path)
    assert page.count("<li>") == len(NAMES)
    assert "<img" not in page
    assert "{" not in "".join(re.findall(r"<code>(.*?)</code>", page))
    (tmp_path / "pictures").mkdir()
    for theme in ("light", "dark"):
        (tmp_path / "pictures" / f"{NAMES[0]}-{theme}.png").write_bytes(b"")
    assert make_gallery.front_page(tmp_path).count("<img") == 1


def test_shown_commands_need_only_samples():
    shown = re.findall(r"<code>trexreport (.*?)</code>", make_gallery.front_page(ROOT))
    paths = {part for line in shown for word in shlex.split(line) for part in word.split("=") if "/" in part}
    assert len(paths) > 5
    assert {path for path in paths if not (ROOT / path).exists()} == {"captures/llm"}


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(SystemExit, match="has other files"):
        make_gallery.build(tmp_path, with_pictures=False)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_make_builds_it():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(r"^gallery:.*\n\t\$\(BIN\)/python gallery/make_gallery.py$", makefile, re.MULTILINE)


@pytest.mark.slow
def test_every_link_leads_to_a_file(tmp_path):
    pytest.importorskip("zensical")
    output = tmp_path / "below" / "gallery"
    make_gallery.build(output, with_pictures=False)
    broken, followed = [], 0
    for path in sorted(output.rglob("*.html")):
        if path.name == "404.html":
            continue
        page = Addresses(path.read_text("utf-8"))
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or not parts.path:
                continue
            target = (path.parent / unquote(parts.path)).resolve()
            target = target / "index.html" if target.is_dir() else target
            followed += 1
            if not target.is_file() or not target.is_relative_to(output.resolve()):
                broken.append(f"{path.relative_to(output)}: {link}")
    assert broken == []
    assert followed > 500
    index = (output / "docs" / "llms.txt").read_text("utf-8")
    listed = re.findall(r"\]\(([^)]+)\)", index)
    assert len(listed) > 50
    assert [link for link in listed if not (output / "docs" / link).is_file()] == []
    assert {path.stem for path in (output / "reports").glob("*.html")} == {*NAMES} - {"site"}
