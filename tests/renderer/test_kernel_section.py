"""The section on kernels: each layer with its kernels, the slowest first, within a limit."""

import json
import re

import pytest

from samples.generator.nsys import NsysExport, TracedKernel, traced_queries
from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.kernel_section import extents, kernel_groups, kernel_values, launch_count
from trexreport.renderer.layer_column import LayerRow
from trexreport.renderer.layer_columns import LAYER_COLUMNS
from trexreport.renderer.short_document.markdown import render_markdown

HOSTILE = 'k<script>alert(1)</script>"'


@pytest.fixture
def analysis(tmp_path):
    layers = [{"Name": name, "LayerType": "kgen"} for name in ("fast", "slow", "without")]
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": []}))
    export = NsysExport()
    kernels = [
        TracedKernel("fast", "k1", 5_000),
        TracedKernel("slow", "k2", 50_000),
        TracedKernel("slow", HOSTILE, 20_000, stream=13),
        TracedKernel("{ForeignNode[a]}", "k4", 1_000, region=True),
        TracedKernel("", "k5", 500),
    ]
    traced_queries(export, kernels, 4)
    export.write(tmp_path / "x.sqlite")
    return analyze(read_engine(tmp_path))


def test_groups_are_layers_and_ranges_with_the_slowest_first(analysis):
    groups = kernel_groups(analysis.kernels.kernels)
    assert [(each.layer, each.title, len(each.kernels)) for each in groups] == [
        (1, "", 2),
        (0, "", 1),
        (None, "{ForeignNode[a]}", 1),
        (None, "", 1),
    ]
    assert [each.match for each in groups] == ["NVTX range", "NVTX range", "", ""]
    assert groups[0].time_ms == pytest.approx(0.07)


def test_whole_groups_are_listed_up_to_a_limit(analysis):
    values = kernel_values(analysis.kernels, 3)
    assert [each.layer for each in values["kernel_groups"]] == [1, 0]
    assert values["kernel_group_count"] == 4
    # One group is always there.
    assert len(kernel_values(analysis.kernels, 1)["kernel_groups"]) == 1
    assert kernel_values(None, 3) == {}


def test_kernels_of_all_but_the_slowest_layers_are_folded(tmp_path):
    names = [f"layer{number}" for number in range(14)]
    layers = [{"Name": name, "LayerType": "kgen"} for name in names]
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": []}))
    export = NsysExport()
    traced_queries(export, [TracedKernel(name, "k", 1_000 * (at + 1)) for at, name in enumerate(names)], 4)
    export.write(tmp_path / "x.sqlite")
    page = render_html(analyze(read_engine(tmp_path)), (), HtmlOptions(interactive_charts=False)).decode()
    (section,) = re.findall(r'<section id="kernels".*?</section>', page, re.DOTALL)
    (folded,) = re.findall(r"<details>.*?</details>", section, re.DOTALL)
    assert "<summary>4 faster layers and ranges, 0.0100" in folded
    assert re.findall(r">layer(\d+)<", folded) == ["3", "2", "1", "0"]
    assert section.count('<td class="name kernel"') == 14


def test_numbers_of_launches_and_extents():
    assert (launch_count(2.0), launch_count(1200.0), launch_count(0.5)) == ("2", "1,200", "0.500")
    assert (extents((1, 2, 3)), extents(())) == ("1×2×3", "–")


def test_the_page_has_the_kernels_and_no_script_of_a_name(analysis):
    page = render_html(analysis, (), HtmlOptions(interactive_charts=False)).decode()
    (section,) = re.findall(r'<section id="kernels".*?</section>', page, re.DOTALL)
    assert section.count('<td class="name kernel"') == 5
    assert "Layer not known" in section
    assert "<script>alert" not in page
    assert "Idle time of the GPU" in section


def test_without_a_trace_the_page_has_no_section(tmp_path):
    (tmp_path / "x.graph.json").write_text('{"Layers": ["a"], "Bindings": []}')
    page = render_html(analyze(read_engine(tmp_path)), (), HtmlOptions(interactive_charts=False)).decode()
    assert 'id="kernels"' not in page
    assert 'href="#kernels"' not in page


def test_the_columns_of_layers_have_kernels_and_their_time(analysis):
    columns = {each.key: each for each in LAYER_COLUMNS}
    rows = [LayerRow(layer, analysis) for layer in analysis.layers]
    assert [columns["kernels"].cell(row) for row in rows] == [1, 2, None]
    assert [columns["kernel_ms"].text(row) for row in rows] == ["0.00500", "0.0700", "–"]


def test_the_summary_states_why_the_gpu_was_idle(analysis):
    text = render_markdown(engine_summary(analysis), 100_000).decode()
    assert "### Kernels" in text
    assert "| Waits for |" in text
