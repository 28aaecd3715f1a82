"""The section on tactics of a report."""

from __future__ import annotations

import json
import re

import pytest

from samples.generator.build_log import timed_layer
from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer import tactics_section
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.json_document import render_json, render_summary_json
from trexreport.renderer.short_document.markdown import render_markdown
from trexreport.renderer.tactics_section import tactics_data

HALF, FLOAT = "Half(64,1:8,8,1) -> Half(64,1:8,8,1)", "Float(512,64,8,1) -> Float(512,64,8,1)"
NAME = "conv <b>1</b>"


@pytest.fixture
def analysis(tmp_path):
    tensor = {
        "Dimensions": [1, 8, 8, 8],
        "Format/Datatype": "Channel major FP16 format where channel % 8 == 0",
    }
    record = {"Name": NAME, "LayerType": "CaskConvolution", "TacticValue": "0x0a"}
    record |= {"Inputs": [{"Name": "x", **tensor}], "Outputs": [{"Name": "y", **tensor}]}
    timed = {HALF: [("sm80_a", "0x0a", 0.02), ("sm80_b", "0x0b", 0.0202)], FLOAT: []}
    (tmp_path / "m.graph.json").write_text(json.dumps({"Layers": [record], "Bindings": ["x", "y"]}))
    (tmp_path / "m.build.log").write_text("\n".join(timed_layer(NAME, "CaskConvolution", timed, "10")))
    return analyze(read_engine(tmp_path))


def test_the_page_lists_layers_with_their_alternatives(analysis):
    page = render_html(analysis, (), HtmlOptions(interactive_charts=False)).decode()
    section = re.search(r'<section id="tactics".*?</section>', page, re.DOTALL)[0]
    assert "1 of 1 choice is within 2% of the second fastest" in section
    text = " ".join(re.sub(r"<[^>]+>", " ", section).split())
    assert "conv &lt;b&gt;1&lt;/b&gt; sm80_a FP16 0.0200" in text
    assert "FP32 linear → FP32 linear not timed: no tactic for these formats" in text
    assert "<b>1" not in section


def test_a_report_without_such_a_log_has_no_section(tmp_path):
    (tmp_path / "m.graph.json").write_text(json.dumps({"Layers": ["a"], "Bindings": []}))
    page = render_html(analyze(read_engine(tmp_path)), (), HtmlOptions(interactive_charts=False)).decode()
    assert 'id="tactics' not in page


def test_the_panel_gets_what_was_timed(analysis):
    found = tactics_data(analysis.tactics)[0]
    assert (found["chosen_ms"], found["second_ms"], found["timed"]) == (0.02, 0.0202, 2)
    assert found["formats"][0][:2] == ["FP16 NHWC8 → FP16 NHWC8", "chosen"]
    assert found["formats"][0][2] == [["sm80_a", 0.02, True], ["sm80_b", 0.0202, False]]
    assert tactics_data(None) == {}


def test_json_has_the_facts_and_the_summary_leaves_them_out(analysis):
    document = json.loads(render_json(analysis))
    (layer,) = document["tactics"]["layers"]
    assert (layer["name"], layer["layer"], layer["chosen_ms"]) == (NAME, 0, 0.02)
    assert "tactics" not in json.loads(render_summary_json(analysis))


def test_the_panel_of_a_large_engine_lists_fewer(analysis, monkeypatch):
    monkeypatch.setattr(tactics_section, "_LARGE", 0)
    monkeypatch.setattr(tactics_section, "_FEW_FORMATS", 1)
    monkeypatch.setattr(tactics_section, "_FEW_LISTED", 1)
    found = tactics_data(analysis.tactics)[0]
    assert (len(found["formats"]), len(found["formats"][0][2]), found["more"]) == (1, 1, 1)


def test_a_summary_states_what_was_timed(analysis):
    text = render_markdown(engine_summary(analysis)).decode()
    assert "The builder timed 2 tactics for 1 layer" in text
