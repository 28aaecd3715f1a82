"""The first screen: bars that add up, the slowest layers and blocks, and what comes first."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from samples.generator.large import llm_like
from trexreport.analyzer import analyze
from trexreport.model import Contradiction
from trexreport.reader import read_engine
from trexreport.renderer.charts.catalog.breakdown import block_name, block_names, breakdowns, shown_blocks
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.overview import overview_values
from trexreport.renderer.palette import RING, color

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def resnet():
    return analyze(read_engine(SAMPLES / "resnet18-int8-before"))


@pytest.fixture(scope="module")
def myelin():
    return analyze(read_engine(SAMPLES / "transformer-trt10-myelin"))


@pytest.mark.parametrize(
    ("code", "times"),
    [
        ("model", ["0.798 ms", "1,249 qps", "0.848 ms", "35", "61.3 MiB", "0.49%"]),
        ("query-count", ["0.798 ms", "1,249 qps", "0.49%"]),
        ("layer-times", ["0.848 ms"]),
        ("traced-gpu", []),
        ("", []),
    ],
)
def test_figures_that_files_contradict_say_so(resnet, code, times):
    """Beside the figure, where someone reads it who did not read what is above."""
    found = [Contradiction(code, (), "", "Contradictory files.")] if code else []
    page = render_html(replace(resnet, contradictions=found), (), HtmlOptions(False)).decode()
    doubted = re.findall(r'<dd>([^<]*)</dd>\s*<dd class="note"><span class="contradicted">', page)
    assert [text.replace("\xa0", " ") for text in doubted] == times


def test_throughput_of_a_language_model_is_in_tokens_as_in_the_summary(myelin):
    page = render_html(myelin, (), HtmlOptions(False)).decode()
    assert "348,800 tokens/s, 512 tokens per query</dd>" in page


@pytest.mark.parametrize(
    ("gpu", "board", "shown"), [("", "NVIDIA DRIVE AGX", True), ("Orin", "", True), ("", "", False)]
)
def test_a_board_is_a_known_gpu(myelin, gpu, board, shown):
    identity = replace(myelin.identity, gpu=gpu, board=board, tensorrt_version="")
    page = render_html(replace(myelin, identity=identity), (), HtmlOptions(False)).decode()
    found = [
        f"<li>{gpu or board}</li><li>" in page.replace("\n", ""),
        "GPU and TensorRT version are unknown" in page,
    ]
    assert found == [shown, not shown]


@pytest.mark.parametrize(("severity", "is_open"), [("info", False), ("warning", True), ("error", True)])
def test_a_warning_on_the_measurement_is_open(resnet, severity, is_open):
    first, *others = resnet.lint.findings
    findings = [replace(first, about="measurement", severity=severity), *others]
    analysis = replace(resnet, lint=replace(resnet.lint, findings=findings))
    page = render_html(analysis, (), HtmlOptions(False)).decode()
    assert ('<details class="quality" open>' in page, '<details class="quality">' in page) == (
        is_open,
        not is_open,
    )


def test_what_can_be_opened_says_more_than_its_line(resnet):
    unknown = replace(
        resnet,
        stability=None,
        latency=replace(resnet.latency, gpu_busy_percent=None),
        measurement_warnings=[],
    )
    assert all(finding.about == "engine" for finding in unknown.lint.findings)
    page = render_html(unknown, (), HtmlOptions(False)).decode()
    assert '<p class="quality"><b>Measurement:</b> 3,017 queries timed, no times of single queries' in page
    assert '<details class="quality"' not in page
    assert '<details class="quality"' in render_html(resnet, (), HtmlOptions(False)).decode()


def test_a_missing_profile_is_stated_once(capture):
    layer = {"Name": "a", "LayerType": "Convolution", "Inputs": [], "Outputs": []}
    facts = analyze(read_engine(capture(graph={"Layers": [layer], "Bindings": []})))
    assert "no-profile" in {note.slug for note in facts.notes}
    page = render_html(facts, (), HtmlOptions(False)).decode()
    overview = page[page.index('<section id="overview"') : page.index('<section id="findings"')]
    assert "No layer times: this capture has no profile." in overview
    assert "There is no profile" not in overview
    assert "There is no profile" in page


def test_what_to_fix_comes_before_what_is_slow(resnet):
    page = render_html(resnet, (), HtmlOptions(False)).decode()
    assert 0 < page.index('class="top-findings"') < page.index('class="slowest"')


def test_each_bar_is_the_whole_time(resnet):
    bars = breakdowns(resnet)
    assert list(bars) == ["type", "block", "precision", "bound"]
    for key, chart in bars.items():
        total = math.fsum(chart.series[0].x)
        assert total == pytest.approx(resnet.latency.layer_sum_ms), key


def without_sections(analysis):
    return replace(analysis, blocks=replace(analysis.blocks, sections=()))


def test_an_engine_of_myelin_is_divided_by_block_first(myelin):
    bar = next(iter(breakdowns(without_sections(myelin)).values()))
    assert bar.key == "strip-block"
    assert {"layers.0", "layers.5"} <= set(bar.series[0].labels)
    assert bar.series[0].links[0].startswith("#filter=block%3A%22")


def test_modules_that_repeat_are_one_part_each(myelin):
    """Six decoder layers of 13.5% each say nothing of where the time goes: what they all hold does."""
    (labels, times) = (
        breakdowns(myelin)["block"].series[0].labels,
        breakdowns(myelin)["block"].series[0].x,
    )
    assert labels[:3] == ("layers.*/self_attn", "layers.*/mlp (others)", "layers.*/mlp/down_proj")
    assert math.fsum(times) == pytest.approx(myelin.latency.layer_sum_ms)
    (first, *_) = overview_values(myelin)["slowest_lists"]["blocks"]
    assert (first.name, first.note, first.link) == ("layers.*/self_attn", "42 layers", "")
    assert '<span class="cut" title="layers.*/self_attn (42 layers)">' in overview_of(myelin)


def test_a_run_of_layers_is_named_by_the_one_that_takes_most_of_its_time(myelin):
    """Layer 104 alone takes more than half; "layers 104 – 105" does not say what they are."""
    analysis = without_sections(myelin)
    assert breakdowns(analysis)["block"].series[0].labels[0] == "/lm_head/MatMul_myl4_102 and 1 more"
    names = [row.name for row in overview_values(analysis)["slowest_lists"]["blocks"]]
    assert "/lm_head/MatMul_myl4_102 and 1 more" in names
    even = [replace(layer, avg_ms=1.0) if layer.avg_ms else layer for layer in analysis.layers]
    block = next(each for each in shown_blocks(analysis) if each.kind == "layers" and each.count > 1)
    evened = replace(block, time_ms=float(block.count))
    assert block_name(replace(analysis, layers=even), evened, "layers 104 – 105") == "layers 104 – 105"


@pytest.mark.parametrize(("layers", "first"), [(600, "type"), (1200, "block")])
def test_blocks_come_first_unless_one_takes_nearly_all_of_the_time(tmp_path, layers, first):
    for file, content in llm_like(layers).items():
        (tmp_path / file).write_bytes(content)
    analysis = analyze(read_engine(tmp_path))
    assert next(iter(breakdowns(analysis))) == "block"
    bars = breakdowns(without_sections(analysis))
    assert next(iter(bars)) == first
    times = bars["block"].series[0].x
    assert (max(times) > 0.9 * math.fsum(times)) == (first == "type")


def test_no_two_blocks_of_the_bar_have_one_color(myelin):
    first = shown_blocks(myelin)[0]
    count = len(RING) + 4
    blocks = [
        replace(first, id=at, path=f"part{at}", children=(), time_ms=1.0, share_percent=100 / count)
        for at in range(1, count + 1)
    ]
    whole = replace(myelin.blocks.items[0], children=tuple(range(1, count + 1)))
    divided = replace(myelin, blocks=replace(myelin.blocks, items=[whole, *blocks], sections=()))
    series = breakdowns(divided)["block"].series[0]
    colors = [color(role) for role in series.roles]
    assert len(set(colors)) == len(colors) == len(RING) + 1
    assert series.labels[-1] == "4 others"


def test_blocks_that_are_called_alike_have_their_paths(myelin):
    blocks = shown_blocks(myelin)
    names = block_names(blocks)
    assert len(set(names)) == len(names) > 5
    twice = [replace(blocks[0], kind="module", path=path) for path in ("a/norm", "b/norm")]
    assert block_names(twice) == ["a/norm", "b/norm"]


def test_bounds_that_are_not_known_are_stated_so(resnet):
    first = next(layer for layer in resnet.layers if layer.roof and layer.roof.bound)
    layers = [replace(layer, roof=None) if layer is first else layer for layer in resnet.layers]
    series = breakdowns(replace(resnet, layers=layers))["bound"].series[0]
    links = dict(zip(series.labels, series.links, strict=True))
    assert links["memory-bound"] == "#filter=bound%3A%22memory%22"
    assert links["not known"] == ""
    without = replace(resnet, layers=[replace(layer, roof=None) for layer in resnet.layers])
    assert "bound" not in breakdowns(without)


def test_the_slowest_layers(resnet):
    (first, second, *_) = rows = overview_values(resnet)["slowest_lists"]["layers"]
    assert len(rows) == 10
    assert (first.length, first.link) == (100.0, "#L1")
    assert "".join(first.parts) == first.name
    assert 0 < second.length < 100


def test_blocks_come_first_where_no_layer_is_slow(myelin):
    assert next(iter(overview_values(myelin)["slowest_lists"])) == "layers"
    layers = [replace(layer, share_percent=2.0) for layer in myelin.layers]
    assert next(iter(overview_values(replace(myelin, layers=layers))["slowest_lists"])) == "blocks"


def test_an_engine_without_times_has_no_list(tmp_path):
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": ["a", "b"], "Bindings": []}))
    values = overview_values(analyze(read_engine(tmp_path)))
    assert values["slowest_lists"] == {}
    assert values["breakdowns"] == {}


def overview_of(analysis):
    page = render_html(analysis, (), HtmlOptions(interactive_charts=False)).decode("utf-8")
    return page[page.index('<section id="overview"') : page.index('<section id="findings"')]


def test_a_name_that_says_no_part_gives_way_to_the_one_before(myelin):
    one, two = (replace(shown_blocks(myelin)[0], kind="module", path=path) for path in ("a/b/model", "Model"))
    assert block_names([one, two]) == ["b/model", "Model"]


def test_a_failed_run_is_stated_at_the_top(tmp_path):
    lines = ["&&&& RUNNING TensorRT.trtexec [TensorRT v8502] # trtexec --onnx=net.onnx"]
    lines += ["[08/23/2023-08:34:51] [E] Engine set up failed", "&&&& FAILED TensorRT.trtexec # trtexec"]
    (tmp_path / "build.log").write_text("\n".join(lines) + "\n")
    text = overview_of(analyze(read_engine(tmp_path / "build.log")))
    assert text.count("trtexec says that it failed. Its error: Engine set up failed") == 1
    # The notice is the top finding.
    assert "Top findings" not in text
    assert "Model: net.onnx" in text
    assert "Median latency" not in text


def test_a_bar_of_layers_without_types_is_called_so(resnet):
    assert overview_values(resnet)["breakdown_names"]["type"] == "Type"
    named = replace(resnet, identity=replace(resnet.identity, names_only=True))
    values = overview_values(named)
    assert values["breakdown_names"]["type"] == "Layer"
    assert values["breakdowns"]["type"].title == "Time by layer"


def test_names_of_a_profile_alone_are_not_those_of_layer_information(tmp_path):
    rows = [{"count": 2}, {"name": "a", "timeMs": 2.0, "averageMs": 1.0, "percentage": 100.0}]
    (tmp_path / "profile.json").write_text(json.dumps(rows))
    text = overview_of(analyze(read_engine(tmp_path / "profile.json")))
    assert "the layers are known by name from the profile alone" in text
    assert "Rebuild the engine" not in text


def test_the_variation_in_trtexecs_warning_is_shown_without_single_times(resnet):
    warned = ["GPU compute time is unstable, with coefficient of variance = 5.58977%."]
    text = overview_of(replace(resnet, stability=None, measurement_warnings=warned))
    assert "<dd>5.59%</dd>" in text
    assert "<dd>5.59%</dd>" not in overview_of(replace(resnet, measurement_warnings=warned))


@pytest.mark.parametrize(
    ("gpu", "version", "expected"),
    [
        ("", "", "GPU and TensorRT version are unknown"),
        ("", "10.13.0", "<li>GPU not stated</li>"),
        ("NVIDIA H100", "", "<li>TensorRT version not stated</li>"),
    ],
)
def test_a_gpu_or_version_that_no_file_states_is_stated_so(resnet, gpu, version, expected):
    identity = replace(resnet.identity, gpu=gpu, tensorrt_version=version, precisions="FP32+FP16")
    assert expected in overview_of(replace(resnet, identity=identity))
