"""Captures in which much is missing: what is not known is explained, and nothing fails."""

from __future__ import annotations

from page_helpers import click_row, expect_selected
from playwright.sync_api import expect

PROFILE = [
    {"count": 10},
    *({"name": f"layer {i}", "timeMs": 1, "averageMs": 0.1, "percentage": 25} for i in range(4)),
]


def test_names_alone_are_a_report(open_report, report_of, write_capture):
    names = [f"layer {index}" for index in range(4)]
    page = open_report(
        report_of(write_capture(graph={"Layers": names, "Bindings": ["x", "y"]}, profile=PROFILE))
    )
    expect(page.locator("#overview")).to_contain_text("--profilingVerbosity=detailed")
    click_row(page, 2)
    expect_selected(page, "layer 2")
    expect(page.locator("#graph")).to_contain_text("No graph")
    assert page.locator("#notes tbody tr").count() >= 1


def test_without_a_profile_no_time_is_shown(open_report, report_of, write_capture):
    layers = [
        {"Name": f"layer {index}", "LayerType": "NoOp", "Inputs": [], "Outputs": []} for index in range(3)
    ]
    page = open_report(report_of(write_capture(graph={"Layers": layers, "Bindings": []}), interactive=True))
    expect(page.locator("#latency")).to_contain_text("This capture has no profile")
    assert "0.000" not in page.locator("main").inner_text()
    click_row(page, 1)
    expect(page.locator("#detail")).to_contain_text("not measured")


def test_without_layers_there_is_still_a_page(open_report, report_of, write_capture):
    device = {"device_information": {"Selected Device": "NVIDIA A100"}}
    page = open_report(report_of(write_capture(build_metadata=device)), "#filter=x")
    assert page.locator("#filter").count() == 0
    assert page.locator("main > section").count() == 7
    page.keyboard.press("j")
    page.keyboard.press("f")
    page.keyboard.press("/")
    page.locator("#search-text").fill("a100")
    expect(page.locator("#search-results")).to_contain_text("Selected Device: NVIDIA A100")
    page.keyboard.press("Enter")
    page.keyboard.press("t")
    expect(page.locator("#toggle-theme")).to_have_text("Theme: light")
    opener = page.locator("#open-help")
    opener.click()
    expect(page.locator("#help")).to_be_visible()


def test_notes_say_what_suffers(open_report, report_of, write_capture):
    layers = [
        {"Name": f"layer {index}", "LayerType": "Convolution", "Inputs": [], "Outputs": []}
        for index in range(5)
    ]
    page = open_report(report_of(write_capture(graph={"Layers": layers, "Bindings": []}, profile=PROFILE)))
    expect(page.locator("#notes table")).to_contain_text("layer 4")
