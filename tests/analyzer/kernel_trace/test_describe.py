"""What a trace shows of an engine: kernels of layers, time that adds up, how layers were found."""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
if str(SAMPLES) not in sys.path:
    sys.path.insert(0, str(SAMPLES))
from generator.nsys import NsysExport, TracedKernel, traced_queries  # noqa: E402

from trexreport.analyzer import analyze  # noqa: E402
from trexreport.reader import read_engine  # noqa: E402
from trexreport.wording.json_sentences import members_and_sentences  # noqa: E402
from trexreport.wording.kernels import kernels_sentence, trace_sentence  # noqa: E402


def engine_of(tmp_path, layers, kernels, queries=5, export=None, **options):
    """Return the analysis of an engine of layers (name, tactic) with a trace of kernels."""
    records = [{"Name": name, "LayerType": "kgen", "TacticName": tactic} for name, tactic in layers]
    graph = tmp_path / "x.graph.json"
    graph.write_text(json.dumps({"Layers": records, "Bindings": []}))
    export = export or NsysExport()
    if kernels:
        traced_queries(export, kernels, queries, **options)
    engine = read_engine(graph, export.write(tmp_path / "x.sqlite"))
    return analyze(engine)


def matches(analysis):
    return [(each.layer, each.match, each.name, each.launches) for each in analysis.kernels.kernels]


LAYERS = [("conv", "sm80_xmma_fprop"), ("add", "generic_add"), ("fc", "sm80_gemm")]


def test_kernels_belong_to_the_layers_of_their_ranges(tmp_path):
    kernels = [
        TracedKernel("conv", "sm80_xmma_fprop_kernel", 20_000),
        TracedKernel("conv", "splitk", 2_000),
        TracedKernel("fc", "sm80_gemm_kernel", 9_000),
        TracedKernel("", "a_plugin", 1_000),
        TracedKernel("elsewhere", "other", 500),
    ]
    found = engine_of(tmp_path, LAYERS, kernels)
    assert matches(found) == [
        (0, "range", "sm80_xmma_fprop_kernel", 1),
        (0, "range", "splitk", 1),
        (2, "range", "sm80_gemm_kernel", 1),
        (None, None, "a_plugin", 1),
        (None, None, "other", 1),
    ]
    facts = found.kernels
    assert [each and (each.launches, each.time_ms) for each in facts.layers] == [
        (2, pytest.approx(0.022)),
        None,
        (1, pytest.approx(0.009)),
    ]
    assert facts.kernel_ms == pytest.approx(0.0325)
    assert facts.matched_percent == pytest.approx(100 * 31 / 32.5)
    assert facts.busy_ms + facts.idle_ms == pytest.approx(facts.traced_ms)
    assert math.fsum(each.percent for each in facts.idle) == pytest.approx(facts.idle_percent)
    assert [each.range for each in facts.kernels[3:]] == ["", "elsewhere"]


def test_queries_of_another_engine_in_the_trace_are_no_queries_of_this_one(tmp_path):
    own = [TracedKernel("conv", "sm80_xmma_fprop_kernel", 20_000), TracedKernel("fc", "gemm", 9_000)]
    other = [TracedKernel(f"decoder{at}", "sm80_decode", 4_000) for at in range(3)]
    export = NsysExport()
    for number in range(4):
        traced_queries(export, own, 1, begin=10_000_000 + number * 1_000_000)
        traced_queries(export, other, 2, begin=10_300_000 + number * 1_000_000)
    found = engine_of(tmp_path, LAYERS, [], export=export)
    facts = found.kernels
    assert (facts.queries, facts.other_queries, facts.queries_found, facts.launches) == (4, 8, 12, 2)
    assert matches(found) == [
        (0, "range", "sm80_xmma_fprop_kernel", 1),
        (2, "range", "gemm", 1),
    ]
    assert (facts.kernel_ms, facts.matched_percent) == (pytest.approx(0.029), 100)
    assert facts.busy_ms == pytest.approx(4 * 0.029 + 8 * 3 * 0.004)
    assert "4 of 12 queries, without 8 queries of another engine or profile" in trace_sentence(facts)
    assert facts.timeline.query in range(1, 5)
    # A trace of another engine alone is one: nothing in it is of this engine.
    alone = engine_of(tmp_path, [("x", "y")], [], export=export).kernels
    assert (alone.queries, alone.other_queries, alone.matched_percent) == (12, 0, 0)


def test_equal_names_are_divided_in_order(tmp_path):
    layers = [("same", "a"), ("same", "b")]
    kernels = [TracedKernel("same", name, 1_000) for name in ("k1", "k2", "k3", "k4")]
    found = engine_of(tmp_path, layers, kernels)
    assert [(layer, name) for layer, _, name, _ in matches(found)] == [
        (0, "k1"),
        (0, "k2"),
        (1, "k3"),
        (1, "k4"),
    ]
    uneven = engine_of(tmp_path, layers, kernels[:3])
    assert {layer for layer, *_ in matches(uneven)} == {None}


def test_a_myelin_region_is_one_range_unless_tactics_name_its_kernels(tmp_path):
    layers = [("__myl_1", "__myl_Add_0x1"), ("__myl_2", "__myl_Mul_0x2"), ("__myl_3", "__myl_Mul_0x2")]
    region = "{ForeignNode[a...b]}"
    kernels = [
        TracedKernel(region, "__myl_Add_0x1", 1_000, region=True),
        TracedKernel(region, "__myl_Mul_0x2", 2_000, region=True),
        TracedKernel(region, "__myl_Mul_0x2", 3_000, region=True),
        TracedKernel(region, "not_listed", 6_000, region=True),
    ]
    found = engine_of(tmp_path, layers, kernels)
    assert [(layer, match) for layer, match, *_ in matches(found)] == [
        (0, "order"),
        (1, "order"),
        (2, "order"),
        (None, None),
    ]
    assert [each.time_ms for each in found.kernels.kernels[1:3]] == [0.002, 0.003]
    assert found.kernels.region_percent == pytest.approx(50)
    assert "50.0% is of Myelin regions" in trace_sentence(found.kernels)
    # One kernel more than layers: which is which is not known.
    extra = engine_of(tmp_path, layers, [*kernels, kernels[1]])
    assert [layer for layer, *_ in matches(extra)] == [0, None, None]


def test_names_of_kernels_may_go_on_behind_the_tactic(tmp_path):
    layers = [("a", "sm80_xmma_gemm_f16"), ("b", "sm80_xmma_gemm_f16_tn")]
    kernels = [
        TracedKernel("", "sm80_xmma_gemm_f16_execute_kernel__5x_cublas", 1_000),
        TracedKernel("", "void sm80_xmma_gemm_f16_tn_kernel<2>(float*)", 2_000),
    ]
    found = engine_of(tmp_path, layers, kernels)
    assert [(layer, match) for layer, match, *_ in matches(found)] == [(0, "order"), (1, "order")]


def test_idle_time_is_that_of_the_generated_queries(tmp_path):
    kernels = [TracedKernel("conv", "k", 20_000), TracedKernel("fc", "k", 20_000, launch_delay_ns=100_000)]
    found = engine_of(tmp_path, LAYERS, kernels, queries=4, between_ns=50_000).kernels
    causes = {each.cause: each for each in found.idle}
    assert set(causes) == {"host", "launch", "synchronization"}
    assert causes["host"].percent > 50
    longest = found.gaps[0]
    assert (longest.cause, longest.is_between_queries) == ("host", False)
    assert (longest.layer_before, longest.layer_after) == (0, 2)
    assert found.gap_count == 7
    assert 0 < found.between_percent < found.idle_percent
    assert found.concurrent_percent == 0


def test_a_trace_without_queries_states_totals(tmp_path):
    export = NsysExport()
    for begin in (1_000, 20_000):
        export.kernel(begin + 500, begin + 1_500, "k", export.call(begin, begin + 100))
    found = engine_of(tmp_path, LAYERS, [], export=export)
    assert found.kernels.queries == 0
    assert found.kernels.launches == 2
    assert found.kernels.enqueue_ms is None
    assert kernels_sentence(found).startswith("The trace has 2 kernels, which take 0.00200\u00a0ms.")


def test_without_a_trace_there_is_no_section(tmp_path):
    found = analyze(read_engine(SAMPLES / "resnet18-int8-before"))
    assert found.kernels is None
    assert "kernels" not in members_and_sentences(found)["sentences"]
    assert kernels_sentence(found) == "There is no trace of the kernels."


def test_sentences_state_what_is_known(tmp_path):
    found = engine_of(tmp_path, LAYERS, [TracedKernel("conv", "k", 20_000)], queries=3)
    sentence = kernels_sentence(found)
    assert sentence.startswith("A query runs 1 kernel, which takes 0.0200\u00a0ms. No kernel ran in ")
    text = trace_sentence(found.kernels)
    assert text.startswith(
        "Nsight Systems 2026.2.1.210 on NVIDIA H100 80GB HBM3: 3 queries. The layer is known"
    )
    graph = replace(found.kernels, query_kind="graph", queries_found=9)
    assert "the last 3 of 9 launches of a CUDA graph" in trace_sentence(graph)
