"""The section on tactics of a page, and what the details of a layer say of them."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from samples.generator.build_log import timed_layer

HALF, FLOAT = "Half(64,1:8,8,1) -> Half(64,1:8,8,1)", "Float(512,64,8,1) -> Float(512,64,8,1)"
EIGHT = "Channel major FP16 format where channel % 8 == 0"


def _capture(folder):
    tensor = {"Dimensions": [1, 8, 8, 8], "Format/Datatype": EIGHT}
    layers, lines = [], []
    for at, name in enumerate(("conv1", "pool1")):
        record = {"Name": name, "LayerType": "CaskConvolution", "TacticValue": "0x0a"}
        ends = {"Inputs": [{"Name": f"t{at}", **tensor}], "Outputs": [{"Name": f"t{at + 1}", **tensor}]}
        layers.append(record | ends)
        timed = {HALF: [("sm80_a", "0x0a", 0.02), ("sm80_b", "0x0b", 0.03)], FLOAT: []}
        lines += timed_layer(name, "CaskConvolution", timed, "10")
    (folder / "m.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": ["t0", "t2"]}))
    (folder / "m.build.log").write_text("\n".join(lines))
    return folder


def test_tactics_are_filtered_and_in_the_details_of_a_layer(open_report, report_of, tmp_path):
    page = open_report(report_of(_capture(tmp_path)))
    groups = page.locator("#tactics-table > tbody")
    expect(page.locator("#tactics-count")).to_have_text("2 rows")
    page.fill("#tactics-filter", "POOL1 fp16")
    expect(page.locator("#tactics-count")).to_have_text("1 of 2 rows")
    expect(groups.nth(0)).to_be_hidden()
    groups.nth(1).locator("summary").click()
    expect(groups.nth(1).get_by_text("not timed: no tactic for these formats")).to_be_visible()
    groups.nth(1).locator("td.name a").first.click()
    details = page.locator("#detail")
    expect(details).to_contain_text("Second fastest")
    expect(details).to_contain_text("0.0300 ms, +50.0%")
    expect(details.locator("strong")).to_have_text("0.0200 ms sm80_a")
