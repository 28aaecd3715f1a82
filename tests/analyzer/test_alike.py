"""Layers that do the same at the same place of modules that repeat, and which findings are on them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from graph_plans import analysis_of, chain

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.short_document.markdown import render_markdown
from trexreport.wording.coverage import codes_by_layer, coverage_sentence
from trexreport.wording.shares import percent

SAMPLES = Path(__file__).parents[2] / "samples"


def alike(names_and_times, **changes):
    names, times = zip(*names_and_times, strict=True)
    layers = [{**layer, **changes, "ms": ms} for layer, ms in zip(chain(names), times, strict=True)]
    return analysis_of(layers)


def found(analysis):
    return [(each.name, len(each.layers), round(each.time_ms, 6)) for each in analysis.alike]


def blocks(count):
    return [
        layer
        for number in range(count)
        for layer in (
            (f"/enc/layer.{number}/attn/q/MatMul+/enc/layer.{number}/attn/k/MatMul_myl0_{3 * number}", 0.3),
            (f"__myl_MulErfAddMul_myl0_{3 * number + 1}", 0.1),
            (f"/enc/layer.{number}/mlp/MatMul_myl0_{3 * number + 2}", 0.2),
        )
    ]


def test_names_that_differ_in_numbers_are_one_group():
    assert found(alike(blocks(4))) == [
        ("/enc/layer.*/attn/q/MatMul + 1 more", 4, 1.2),
        ("/enc/layer.*/mlp/MatMul", 4, 0.8),
        ("__myl_MulErfAddMul in enc/layer.*/mlp", 4, 0.4),
    ]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("w.3 + /a/QuantizeLinear_1 + /b.2/Conv_7 + Relu_9", "/b.2/Conv_7"),
        ("PWN(PWN(/a.1/act/Sigmoid), /a.1/act/Mul)", "/a.1/act/Sigmoid"),
        ("Conv_12 + Relu_13 || Conv_14", "Conv_12"),
        ("conv1.weight + QuantizeLinear_2 + /conv1/Conv + /relu/Relu", "/conv1/Conv"),
        ("{ForeignNode[/a.1/X + /b.2/Y]}", "{ForeignNode[/a.1/X + /b.2/Y]}"),
        ("Reformatting CopyNode for Input Tensor 0 to Conv_12", "Reformatting CopyNode"),
        ("Reformatting CopyNode for Input Tensor 0 to w + /b.2/Conv_7", "Reformatting CopyNode in b.2"),
        ("/b.2/Conv_7 + /b.2/Relu input reformatter 0", "input reformatter in b.2"),
        ("/b.2/Conv_7 copy", "copy in b.2"),
        ("conv1.weight + QuantizeLinear_7 + Conv_9", "Conv_9 in conv1"),
        ("fc.bias", "fc.bias in fc"),
    ],
)
def test_a_label_names_what_multiplies(name, label):
    assert found(alike([(name, 1.0)])) == [(label, 1, 1.0)]


def test_numbers_that_are_equal_stay():
    names = [(f"/net.2/stage.{number}/Conv_{number}", 0.1) for number in range(3)]
    assert found(alike(names)) == [("/net.2/stage.*/Conv_*", 3, 0.3)]


def test_stars_in_names_are_no_numbers():
    assert found(alike([("/a*/Conv", 0.1), ("/a1/Conv", 0.2)])) == [
        ("/a1/Conv", 1, 0.2),
        ("/a*/Conv", 1, 0.1),
    ]


def test_few_stated_modules_say_nothing_of_neighbors():
    names = [("/neck/norm/Mul", 0.1), *[(f"Conv_{number}", 0.1) for number in range(9)]]
    assert ("Conv_*", 9, 0.9) in found(alike(names))


def test_layers_without_times_are_in_no_group():
    assert not alike([("/a/Conv", 0.0), ("/b/Conv", 0.0)]).alike


def test_the_summary_lists_the_groups_with_their_findings():
    analysis = alike(blocks(6))
    text = render_markdown(engine_summary(analysis)).decode()
    assert "Layers alike" in text
    assert "/enc/layer.\\*/attn/q/MatMul + 1 more" in text


def test_a_network_in_which_nothing_repeats_has_no_groups_in_the_summary():
    text = render_markdown(engine_summary(alike([("/a/Conv", 0.2), ("/b/Conv", 0.4)]))).decode()
    assert "Layers alike" not in text


@pytest.fixture(scope="module")
def transformer():
    return analyze(read_engine(SAMPLES / "transformer-trt10-myelin"))


def test_groups_name_the_rules_that_report_them(transformer):
    text = render_markdown(engine_summary(transformer)).decode()
    groups = text.partition("Layers alike")[2]
    row = next(line for line in groups.splitlines() if "SlicSigmMulMul" in line)
    assert "TRX523" in row


def test_the_sentence_states_what_findings_cover(transformer):
    reported = codes_by_layer(transformer)
    whole = math.fsum(layer.avg_ms or 0.0 for layer in transformer.layers)
    share = 100 * math.fsum(transformer.layers[index].avg_ms or 0.0 for index in reported) / whole
    assert coverage_sentence(transformer).startswith(
        f"The findings concern layers that take {percent(share)} of layer time"
    )


def test_without_findings_nothing_is_covered():
    assert not coverage_sentence(alike([("/a/Conv", 0.2)]))


def test_the_rest_is_near_the_roofline_or_in_neither(transformer):
    layers = [
        replace(layer, roof=layer.roof and replace(layer.roof, reached_percent=90.0))
        for layer in transformer.layers
    ]
    assert "reach at least half of the roofline, and " in coverage_sentence(
        replace(transformer, layers=layers)
    )
