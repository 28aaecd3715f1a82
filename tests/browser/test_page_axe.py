"""axe-core finds nothing on the pages that would keep a reader out, in either theme, selected or not."""

from __future__ import annotations

import json
import sys
from importlib import resources

import pytest
from page_helpers import SAMPLE_NAMES, SAMPLES, scroll_to

sys.path.insert(0, str(SAMPLES))

SCHEMES = ("light", "dark")


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core, as its package for Playwright carries it."""
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


@pytest.fixture
def violations(open_report, axe):
    """Return a function that opens a page, does something with it, and returns what axe-core finds."""

    def find(path, fragment="", do=None, without=(), **options):
        # The page's policy would keep axe-core out too.
        page = open_report(path, fragment, bypass_csp=True, reduced_motion="reduce", **options)
        if do:
            do(page)
        page.evaluate(axe)
        rules = {rule: {"enabled": False} for rule in without}
        found = page.evaluate("rules => axe.run(document, {resultTypes: ['violations'], rules})", rules)
        return [
            f"{each['id']}: {json.dumps([node['html'][:200] for node in each['nodes'][:3]])}"
            for each in found["violations"]
        ]

    return find


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", SAMPLE_NAMES)
def test_a_report_keeps_nobody_out(violations, report_of, name, scheme):
    assert violations(report_of(SAMPLES / name), color_scheme=scheme) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_selected_layer_keeps_nobody_out(violations, resnet, scheme):
    assert violations(resnet, "#L3", color_scheme=scheme) == []


@pytest.mark.parametrize("button", ["#open-help", "#open-search"])
def test_a_dialog_keeps_nobody_out(violations, resnet, button):
    assert violations(resnet, do=lambda page: page.locator(button).click()) == []


def test_a_narrow_report_keeps_nobody_out(violations, resnet):
    # Links of the panel that are out of its view look like links to skip something.
    assert violations(resnet, "#L3", width=360, without=["skip-link"]) == []


def test_live_charts_keep_nobody_out(violations, live_resnet):
    def wait(page):
        scroll_to(page, "figure[data-chart]")
        page.locator(".is-live .main-svg").first.wait_for(state="attached")

    assert violations(live_resnet, do=wait) == []


def test_blocks_of_a_large_engine_keep_nobody_out(violations, report_of, tmp_path_factory):
    from generator.large import llm_like

    folder = tmp_path_factory.mktemp("large")
    for file, content in llm_like(400).items():
        (folder / file).write_bytes(content)
    assert violations(report_of(folder)) == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("fragment", ["", "#R0"])
def test_a_comparison_keeps_nobody_out(violations, comparison_of, scheme, fragment):
    captures = [SAMPLES / f"resnet18-int8-{name}" for name in ("before", "after")]
    assert violations(comparison_of(*captures)[1], fragment, color_scheme=scheme) == []
