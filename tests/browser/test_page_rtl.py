"""Right-to-left names are shown whole and do not move numbers or texts beside them."""

from __future__ import annotations

import re

import pytest
from page_geometry import UNFOLD, misplaced
from page_helpers import click_row, expect_selected
from playwright.sync_api import expect

RTL = re.compile("[\u0590-\u08ff]")
NAMES = (
    "/شبكة/طبقة1/Conv",
    "מודל שכבה 2",
    "encoder/طبقة 12/MatMul 0.5 (3)",
    "evil\u202egnp.exe\u2066x",
    "plain/Conv_4",
    "שכבה 7: 12 / 34",
)
TYPES = ("Convolution", "Reformat", "نوع 3", "Convolution", "صنف ثان", "Pooling")
TENSORS = ("כניסה 1", "تنسور 1", "تنسور 2", "mid 3", "שלום 4", "x5", "יציאה 6")
GPU, MODEL = "كرت 4", "נמל 3/מודל 2.onnx"

#: Returns the texts in which what is before a name is drawn right of it, or what is after it left of it.
_OUT_OF_ORDER = r"""
(names) => {
  const found = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let looked = 0;
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    const isText = !element.closest("script, style, title, desc, option, template");
    if (!isText || !element.checkVisibility()) continue;
    const name = names.find((each) => node.data.includes(each));
    if (!name) continue;
    looked += 1;
    const at = node.data.indexOf(name);
    const boxes = (from, to) => {
      range.setStart(node, from);
      range.setEnd(node, to);
      return [...range.getClientRects()].filter((box) => box.width > 1);
    };
    const own = boxes(at, at + name.length);
    if (!own.length) continue;
    const [left, right] = [Math.min(...own.map((box) => box.left)), Math.max(...own.map((box) => box.right))];
    const beside = (box) => own.every((each) => Math.abs(each.top - box.top) < 4);
    const before = boxes(0, at).filter(beside).some((box) => box.right > left + 2);
    const rest = boxes(at + name.length, node.data.length);
    const after = rest.filter(beside).some((box) => box.left < right - 2);
    if (before || after) found.push(node.data);
  }
  return [looked, found];
}
"""


def capture(write_capture, factor=1.0, types=TYPES):
    tensors = [{"Name": name, "Dimensions": [1, 64, 8, 9], "Format/Datatype": "Half"} for name in TENSORS]
    layers = [
        {"Name": name, "LayerType": types[at], "Inputs": [tensors[at]], "Outputs": [tensors[at + 1]]}
        | {"TacticName": f"نواة_fp16_{at}", "Metadata": f"[ONNX Layer: {name}]"}
        for at, name in enumerate(NAMES)
    ]
    times = [(at + 1.5) * factor ** (at % 3) for at in range(len(NAMES))]
    rows = [
        {"name": name, "timeMs": 10 * ms, "averageMs": ms, "percentage": 10}
        for name, ms in zip(NAMES, times, strict=True)
    ]
    return write_capture(
        graph={"Layers": layers, "Bindings": [TENSORS[0], TENSORS[-1]]},
        profile=[{"count": 10}, *rows],
        build_metadata={
            "model_options": {"Model": MODEL},
            "device_information": {"Selected Device": GPU},
        },
    )


@pytest.fixture(scope="module")
def pages(report_of, comparison_of, module_capture):
    before, after = module_capture(1.0, TYPES), module_capture(1.7, TYPES[::-1])
    return {
        "report": report_of(before),
        "live": report_of(before, interactive=True),
        "comparison": comparison_of(before, after)[1],
    }


@pytest.fixture(scope="module")
def module_capture(tmp_path_factory):
    import json

    def make(factor, types):
        folder = tmp_path_factory.mktemp("מנוע 9")

        def write(**contents):
            for role, content in contents.items():
                path = folder / f"מנוע {factor}.{role.replace('_', '.')}.json"
                path.write_text(json.dumps(content), "utf-8")
            return folder

        return capture(write, factor, types)

    return make


def out_of_order(page):
    names = [*NAMES, *TYPES, *TENSORS, GPU, MODEL, "מנוע 1.0", "מנוע 1.7", "شبكة/طبقة1", "طبقة 12"]
    names = sorted({name for name in names if RTL.search(name)}, key=len, reverse=True)
    return page.evaluate(_OUT_OF_ORDER, names)


@pytest.mark.parametrize("kind", ["report", "live", "comparison"])
def test_numbers_stay_beside_the_names_that_they_are_of(open_report, pages, kind):
    page = open_report(pages[kind], "#L0")
    page.evaluate(UNFOLD)
    looked, found = out_of_order(page)
    assert looked > 40
    assert found == []
    assert misplaced(page) == []


def test_the_measure_finds_what_is_out_of_order(open_report, pages):
    page = open_report(pages["report"])
    page.evaluate(
        """() => {
          const wrong = document.createElement("p");
          wrong.textContent = "كرت 4 +2.45 ms";
          document.getElementById("main").prepend(wrong);
        }"""
    )
    assert out_of_order(page)[1] == ["كرت 4 +2.45 ms"]


def test_they_can_be_typed_found_and_selected(open_report, pages):
    page = open_report(pages["report"])
    page.locator("#filter").fill("שכבה")
    expect(page.locator("#row-count")).to_contain_text("2 of 6 layers")
    assert page.locator("#filter").evaluate("input => getComputedStyle(input).direction") == "rtl"
    click_row(page, 5)
    expect_selected(page, NAMES[5])
    page.locator("#filter").fill("type:Pooling")
    assert page.locator("#filter").evaluate("input => getComputedStyle(input).direction") == "ltr"


def test_what_turns_the_direction_is_shown_as_unknown(open_report, pages):
    page = open_report(pages["report"])
    text = page.locator("body").inner_text()
    assert "evil\ufffdgnp.exe\ufffdx" in text
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.content())
