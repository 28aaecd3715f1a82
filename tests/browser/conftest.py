"""A real headless Chromium, and reports to open in it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from page_helpers import SAMPLES, note_console

sys.path.insert(0, str(SAMPLES))

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
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
#: Says on the console what the page's own policy stops.
WATCH_POLICY = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} stops ${event.blockedURI} ${event.sample}`));
"""


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
def report_of(tmp_path_factory):
    """Return a function that writes the report of a capture's folder and returns its path."""
    folder = tmp_path_factory.mktemp("reports")
    made = {}

    def make(capture, *, interactive=False):
        from trexreport.analyzer import analyze
        from trexreport.reader import read_engine
        from trexreport.renderer.html import HtmlOptions, render_html

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


@pytest.fixture
def open_report(chromium):
    """Return a function that opens a report; at the end of the test nothing may have been wrong with it."""
    contexts, problems = [], []

    def open_page(path, fragment="", *, width=1280, height=900, **options):
        address = Path(path).as_uri()
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        context.add_init_script(WATCH_POLICY)
        page = context.new_page()
        page.on("console", lambda message: note_console(message, problems))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: _expect_own(request, address, problems))
        page.goto(address + fragment)
        if options.get("java_script_enabled", True):
            page.locator("html[data-ready]").wait_for(state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def _expect_own(request, address, problems):
    """Note a request for anything but the page itself and what it carries."""
    if request.url.split("#")[0] != address and not request.url.startswith(("data:", "blob:")):
        problems.append(f"request: {request.url}")


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
