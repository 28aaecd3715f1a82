"""A real headless Chromium, and reports to open in it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from page_axe import axe_source
from page_helpers import SAMPLES, wait_until_ready
from page_pool import PagePool

sys.path.insert(0, str(SAMPLES))

#: Chromium without windows: it opens a report in two thirds of the time of the others.
SHELL = "chromium-headless-shell"
BROWSERS = (SHELL, "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
#: Parts of the address bar that are pages themselves, two for each context: they take half of the processor's
#: time that opening a report does.
NEEDLESS = "WebUIOmniboxPopup,WebUIOmniboxAimPopup"


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def start_browser():
    """A function that starts the browser, or a skip where none is installed; a build server must have one."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        message = f"no browser is installed (looked for {', '.join(BROWSERS)})"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    from playwright.sync_api import expect, sync_playwright

    # Only to end a test that hangs: nothing here is about how fast a machine is.
    expect.set_options(timeout=60_000)

    with sync_playwright() as playwright:

        def launch(*more):
            return playwright.chromium.launch(executable_path=found, args=[*ARGUMENTS, *more])

        if Path(found).name == SHELL:
            yield launch
        else:
            # The last list counts, so that ours has to hold what is in Playwright's.
            features = f"--disable-features={_features_off(launch())},{NEEDLESS}"
            yield lambda *more: launch(features, *more)


def _features_off(browser):
    """Return which features of the browser Playwright turns off, and close it."""
    command = browser.new_browser_cdp_session().send("SystemInfo.getInfo")["commandLine"]
    browser.close()
    return re.search(r"--disable-features=(\S+)", command)[1]


@pytest.fixture(scope="session")
def chromium(start_browser):
    """The browser."""
    browser = start_browser()
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core."""
    return axe_source()


@pytest.fixture(scope="session")
def report_of(tmp_path_factory):
    """Return a function that writes the report of a capture's folder and returns its path."""
    folder = tmp_path_factory.mktemp("reports")
    made = {}

    def make(capture, *, interactive=False):
        from trexreport.analyzer import analyze
        from trexreport.reader import read_engine
        from trexreport.renderer.html import render_html
        from trexreport.renderer.html_options import HtmlOptions

        key = (str(capture), interactive)
        if key not in made:
            engine = read_engine(capture)
            made[key] = folder / f"{len(made)}.html"
            made[key].write_bytes(render_html(analyze(engine), engine.sources, HtmlOptions(interactive)))
        return made[key]

    return make


@pytest.fixture(scope="session")
def comparison_of(tmp_path_factory):
    """Return a function that writes the page of some captures; it returns the comparison and the path."""
    folder = tmp_path_factory.mktemp("comparisons")
    made = {}

    def make(*captures):
        from trexreport.analyzer import analyze
        from trexreport.analyzer.comparison.compare import compare
        from trexreport.reader import read_engine
        from trexreport.renderer.comparison.html import render_comparison_html

        if captures not in made:
            engines = [read_engine(capture) for capture in captures]
            analyses = [analyze(engine) for engine in engines]
            comparison = compare(engines, analyses=analyses)
            path = folder / f"{len(made)}.html"
            path.write_bytes(render_comparison_html(comparison, analyses))
            made[captures] = comparison, path
        return made[captures]

    return make


@pytest.fixture(scope="session")
def resnet(report_of):
    """The report of the small convolutional sample, without Plotly."""
    return report_of(SAMPLES / "resnet18-int8-before")


@pytest.fixture(scope="session")
def live_resnet(report_of):
    """The same with interactive charts."""
    return report_of(SAMPLES / "resnet18-int8-before", interactive=True)


@pytest.fixture(scope="session")
def facts():
    """What the package finds in the same sample."""
    from trexreport.analyzer import analyze
    from trexreport.reader import read_engine

    return analyze(read_engine(SAMPLES / "resnet18-int8-before"))


@pytest.fixture(scope="session")
def page_of(report_of, comparison_of, tmp_path_factory):
    """Return a function that writes a page of a kind, such as blocks, live or pair."""
    made = {}

    def make(kind):
        if kind not in made:
            made.update(_pages(kind, report_of, comparison_of, tmp_path_factory))
        return made[kind]

    return make


def _pages(kind, report_of, comparison_of, tmp_path_factory):
    from generator.large import llm_like
    from site_captures import build, write_history

    if kind in ("report", "live"):
        return {kind: report_of(SAMPLES / "resnet18-int8-before", interactive=kind == "live")}
    if kind == "comparison":
        return {kind: comparison_of(*(SAMPLES / f"resnet18-int8-{name}" for name in ("before", "after")))[1]}
    top = tmp_path_factory.mktemp(kind)
    if kind == "blocks":
        for file, content in llm_like(400).items():
            (top / file).write_bytes(content)
        return {kind: report_of(top)}
    write_history(top / "captures", [1.0, 1.0, 1.0, 1.2, 1.2])
    build(top / "captures", top / "site")
    history = next((top / "site" / "history").glob("*.html"))
    site = top / "site"
    return {"index": site / "index.html", "history": history, "pair": site / "compare.html"}


@pytest.fixture(scope="module")
def page_pool(chromium):
    """Pages that the tests of a file use one after the other."""
    pool = PagePool(chromium)
    yield pool
    pool.close()


@pytest.fixture
def take_page(page_pool):
    """Return a function that gives an empty page; nothing may be wrong with it at the end of the test."""
    taken = []

    def take(has_own, *, width=1280, height=900, **options):
        taken.append(page_pool.take(options, width, height, has_own))
        return taken[-1][1].page

    yield take
    for key, pooled in taken:
        page_pool.give_back(key, pooled)
    assert [problem for _, pooled in taken for problem in pooled.problems] == []


@pytest.fixture
def open_report(take_page):
    """Return a function that opens a report in a page like a new one, or in the page of an earlier one."""
    opened = {}

    def open_page(path, fragment="", page=None, **options):
        address = Path(path).as_uri()
        if page is None:
            own = [address]
            page = take_page(lambda url: url == own[0], **options)
            opened[page] = own
        opened[page][0] = address
        page.goto(address + fragment)
        if options.get("java_script_enabled", True):
            wait_until_ready(page)
        return page

    return open_page


@pytest.fixture
def page(open_report, resnet):
    """The small report, opened."""
    return open_report(resnet)


@pytest.fixture(scope="session")
def write_capture(tmp_path_factory):
    """Return a function that writes a capture's files into a new folder."""

    def write(**contents):
        folder = tmp_path_factory.mktemp("capture")
        for role, content in contents.items():
            text = content if isinstance(content, str) else json.dumps(content)
            (folder / f"x.{role.replace('_', '.')}.json").write_text(text, "utf-8")
        return folder

    return write
