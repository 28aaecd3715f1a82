"""How the tests read the page."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect
from waiting import HANG_S, wait_until

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
#: Resolves when the page has begun to work. Playwright would look at each frame, which then has to be drawn.
_READY = """(limitMs) => new Promise((done, fail) => {
  const root = document.documentElement;
  const look = () => "ready" in root.dataset && done();
  new MutationObserver(look).observe(root, { attributeFilter: ["data-ready"] });
  setTimeout(() => fail(new Error("the page is not ready")), limitMs);
  look();
})"""
SAMPLE_NAMES = sorted(path.name for path in SAMPLES.iterdir() if list(path.glob("*.graph.json")))


def wait_until_ready(page):
    """Wait until the script of a page that is being opened has started everything."""
    page.evaluate(_READY, HANG_S * 1000)


def rows(page):
    """The indices of the layers whose rows are in the table now, from top to bottom."""
    found = page.locator("#grid-scroll tr[data-item]").evaluate_all(
        "all => all.map((row) => row.dataset.item)"
    )
    return [int(index) for index in found]


def column(page, label):
    """The texts of a column of the table, from top to bottom."""
    heads = page.locator("#grid-scroll thead th").all_text_contents()
    at = next(number for number, head in enumerate(heads) if re.sub(r" [↑↓]$", "", head) == label)
    return page.locator(f"#grid-scroll tr[data-item] td:nth-child({at + 1})").all_text_contents()


def type_filter(page, text):
    """Type into the filter, and wait until the page has taken it."""
    page.locator("#filter").fill(text)
    wait_for_frames(page)


def wait_for_frames(page, count=3):
    """Wait until the page has been drawn a number of times, and has taken what scrolled or was typed."""
    page.evaluate(
        """(left) => new Promise((done) => {
          const step = () => (left-- > 0 ? requestAnimationFrame(step) : done());
          step();
        })""",
        count,
    )


def turn_wheel(page, dy):
    """Turn the wheel over the place of the mouse, and wait until the page has taken it."""
    page.evaluate(
        """() => {
          window.wheelTurned = false;
          addEventListener("wheel", () => (window.wheelTurned = true), { once: true, capture: true });
        }"""
    )
    page.mouse.wheel(0, dy)
    wait_until(lambda: page.evaluate("window.wheelTurned"))
    wait_for_frames(page)


def click_row(page, index):
    """Click a layer's row beside its link."""
    page.locator(f"#grid-scroll tr[data-item='{index}'] td").first.click()


def expect_selected(page, name):
    """The layer or tensor of this name is selected."""
    expect(page.locator("#detail h2")).to_have_text(name)


def expect_nothing_selected(page):
    expect(page.locator("#detail")).to_be_hidden()


def details(page):
    """The pairs of the detail panel."""
    return dict(
        page.locator("#detail table.pairs tr").evaluate_all(
            "all => all.map((row) => [row.cells[0].textContent, row.cells[1].textContent])"
        )
    )


#: Scrolls until the element stays there: a smooth scroll that began before may still be on its way, and what
#: comes near is laid out and may move what is below it.
_SCROLL_TO = """async (element) => {
  const frame = () => new Promise(requestAnimationFrame);
  for (let left = 30, before = NaN; left > 0; left--) {
    element.scrollIntoView({ behavior: "instant" });
    const top = element.getBoundingClientRect().top;
    await frame();
    await frame();
    if (top === before && element.getBoundingClientRect().top === top) return;
    before = top;
  }
  throw new Error("the page does not come to rest");
}"""


def scroll_to(page, selector):
    page.locator(selector).first.evaluate(_SCROLL_TO)


def choose(page, selector, value):
    """Choose from a list in a menu of the graph's tools, and close the menu."""
    menu = page.locator(".tool-menu", has=page.locator(selector))
    menu.locator("summary").click()
    page.locator(selector).select_option(value)
    page.keyboard.press("Escape")


def is_wide(page):
    """Whether the page scrolls sideways."""
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")


def note_console(message, problems):
    """Count whatever is stated, but not the browser's own remark on dialogs that focus their search box."""
    if not message.text.startswith("Autofocus processing was blocked"):
        problems.append(f"{message.type}: {message.text}")
