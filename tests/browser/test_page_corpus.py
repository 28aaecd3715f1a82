"""All hostile texts in every field, in real pages: no script runs, nothing is asked for, nothing is added.

A script that ran would call `hx`, which does not exist; one that the policy stops is reported by it. Both,
and every request, fail the test that opened the page.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
from hostile_corpus import CLEAN, STRINGS, as_file_name, write_capture
from playwright.sync_api import expect
from site_captures import build

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hostile"))

from output_parsers import active_markdown, csv_rows, is_formula, mentions

BEFORE, AFTER = "resnet18-int8-before", "resnet18-int8-after"
CLIPBOARD = ["clipboard-read", "clipboard-write"]
#: Longer names have titles, shorter ones are code that is not broken.
BY_LENGTH = re.compile(r"\w+ title|code class|td class")
INVENTORY = """() => [...new Set([...document.querySelectorAll("*")].flatMap((each) =>
  ["", ...each.getAttributeNames()].map((name) => `${each.localName} ${name}`.trim())))]"""
#: What the texts would add if they were markup, and what would run or lead out of the page.
ADDED = """() => [...document.querySelectorAll("*")].flatMap((each) => {
  const own = /^(#|data:image\\/svg\\+xml;base64,|$)/;
  const site = /^((\\.\\.\\/)*((engines|history|compare)\\/)?[\\w-]+\\.html)?(#|$)/;
  const attributes = [...each.attributes].filter(({ name, value }) =>
    name.startsWith("on") || name === "srcdoc" || name === "style" && each.closest("script") ||
    (/^(id|class|name)$/.test(name) && /^hx\\d/.test(value)) ||
    (/^(xlink:)?(href|src|action|formaction|data|srcset|poster|ping|background)$/.test(name) &&
      !own.test(value) && !site.test(value)));
  return attributes.map(({ name, value }) => `${each.localName} ${name}=${value.slice(0, 80)}`);
})"""
#: Opens, chooses, selects, searches, filters and follows what there is, as a reader would with hand and keys.
USE = """async () => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const wait = (ms = 30) => new Promise((resolve) => setTimeout(resolve, ms));
  const event = (element, type) =>
    element.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true }));
  const type = async (input, text) => {
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await wait();
  };
  for (const each of all("details")) each.open = true;
  for (const each of all("main > section, figure")) {
    each.scrollIntoView({ behavior: "instant" });
    await wait();
  }
  for (const select of all("main select")) {
    for (const option of select.options) {
      select.value = option.value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
      await wait(5);
    }
  }
  for (const id of ["open-help", "close-help", "toggle-theme", "columns-button"]) byId(id)?.click();
  for (const box of all("#columns input:not(:checked)")) box.click();
  byId("columns-button")?.click();
  for (const row of all("#grid-scroll tr[data-item]").slice(0, 6)) {
    row.cells[0].click();
    await wait();
    for (let at = 0; at < 3; at += 1) all("#detail a[href^='#']")[at]?.click();
    await wait();
  }
  for (const each of all("#graph-view .node, #graph-view .edge").filter((_, at) => at % 9 === 0)) {
    for (const kind of ["mouseover", "mousemove", "click", "dblclick"]) event(each, kind);
    await wait(5);
  }
  for (const each of all("figure a, figure .point, figure .slice").filter((_, at) => at % 23 === 0)) {
    for (const kind of ["mouseover", "click"]) event(each, kind);
    await wait(5);
  }
  for (const text of ["<img", "javascript:", "__proto__", "{{", 'name:"', "a"]) {
    if (byId("search-text")) {
      dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
      await type(byId("search-text"), text);
      await wait(60);
      document.querySelector("#search-results li .hit, #search-results li")?.click();
    }
    for (const id of ["filter", "graph-find"]) if (byId(id)) await type(byId(id), text);
  }
  if (byId("filter")) await type(byId("filter"), "");
  for (const key of ["layer", "tensor", "filter", "row", "graph", "__proto__", "constructor"]) {
    location.hash = `#${key}=%3Cimg%20src=x%20onerror=hx()%3E&${key}=__proto__`;
    await wait();
  }
  location.hash = "#%";
  await wait();
  if (byId("filter")) await type(byId("filter"), "");
  // Which blocks are open by now depends on the names: all are compared.
  byId("plan-open-all")?.click();
  await wait(120);
}"""
POLLUTED = "Object.keys(Object.prototype).length > 0 || 'hx' in window"


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    """Return a function that writes the captures of a sort, hostile and harmless."""
    made = {}

    def write(sample, *, everything):
        if (sample, everything) not in made:
            made[sample, everything] = [
                write_capture(
                    tmp_path_factory.mktemp("texts") / stem,
                    texts,
                    sample=sample,
                    everything=everything,
                    stem=stem,
                )
                for stem, texts in (
                    (as_file_name("<img src=//hx.invalid/p.png onerror=hx()>"), STRINGS),
                    ("x", CLEAN),
                )
            ]
        return made[sample, everything]

    return write


def assert_harmless(page):
    assert page.evaluate(ADDED) == []
    assert not page.evaluate(POLLUTED)


def copied(page, what):
    page.evaluate("document.querySelector('.toast').replaceChildren()")
    page.locator(f"#copy-{what}").evaluate("element => element.click()")
    expect(page.locator(".toast")).to_contain_text("copied")
    return page.evaluate("navigator.clipboard.readText()")


def assert_copies_act_nowhere(page):
    rows = csv_rows(copied(page, "csv").encode("utf-8", "replace"))
    assert len(rows) > 3
    assert [cell for row in rows for cell in row if is_formula(cell)] == []
    markdown = "<!-- Generated by trexreport -->\n\n" + copied(page, "markdown")
    assert active_markdown(markdown) == []
    assert mentions(markdown) == []
    lines = markdown.split("\n")[2:]
    assert len(lines) == len(rows) + 1


def assert_like(open_report, bad, *good):
    """Use a page of hostile texts and some of harmless ones: it has nothing that they lack."""
    found = []
    for path in (bad, *good):
        page = open_report(path, permissions=CLIPBOARD)
        before = set(page.evaluate(INVENTORY))
        assert_harmless(page)
        page.evaluate(USE)
        assert_harmless(page)
        if page.locator("#copy-csv").count() and path == bad:
            assert_copies_act_nowhere(page)
        found.append(before | set(page.evaluate(INVENTORY)))
    assert [each for each in found[0].difference(*found[1:]) if not BY_LENGTH.fullmatch(each)] == []


@pytest.mark.parametrize(
    ("everything", "interactive"),
    [(True, False), pytest.param(False, True, marks=pytest.mark.slow)],
    ids=["static-everything", "interactive-names"],
)
def test_a_report(open_report, report_of, captures, everything, interactive):
    bad, good = (report_of(each, interactive=interactive) for each in captures(BEFORE, everything=everything))
    assert_like(open_report, bad, good)


@pytest.mark.parametrize(
    "everything", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["names", "everything"]
)
def test_a_comparison(open_report, comparison_of, captures, everything):
    pairs = zip(captures(BEFORE, everything=everything), captures(AFTER, everything=everything), strict=True)
    bad, good = (comparison_of(*pair)[1] for pair in pairs)
    assert_like(open_report, bad, good)


@pytest.fixture(scope="module")
def sites(tmp_path_factory, captures):
    """A site of hostile captures and one of harmless ones, each of two runs and two engines."""
    folder = tmp_path_factory.mktemp("sites")
    for at, name in enumerate(("bad", "good")):
        for sample, everything in ((BEFORE, False), (AFTER, False), (BEFORE, True)):
            source = captures(sample, everything=everything)[at]
            target = folder / f"{name}-captures" / f"{source.name} {sample} {everything}"
            target.parent.mkdir(exist_ok=True)
            shutil.copytree(source, target)
        build(folder / f"{name}-captures", folder / name, comparisons="previous")
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "index.html",
        "compare.html",
        "history",
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("compare", "engines")),
    ],
)
def test_a_site(open_report, sites, name):
    bad, good = (sites / kind / name for kind in ("bad", "good"))
    if bad.suffix:
        assert_like(open_report, bad, good)
    else:
        # Which of them is of the same engine, their names do not show.
        assert_like(open_report, min(bad.glob("*.html")), *good.glob("*.html"))


@pytest.mark.slow
def test_a_report_of_many_layers(open_report, report_of, tmp_path):
    """Its graph is drawn by the script."""
    bad, good = (
        write_capture(tmp_path / name, texts, sample=BEFORE, copies=9)
        for name, texts in (("bad", STRINGS), ("good", CLEAN))
    )
    assert_like(open_report, report_of(bad), report_of(good))
