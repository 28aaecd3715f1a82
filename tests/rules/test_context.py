"""What rules may ask of an engine, beyond what their cases ask."""

from __future__ import annotations

import pytest
from case_files import analyze_case

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import estimate, of_layers
from trexreport.analyzer.rules.savings import with_shares

_TEXT = "{} | Row major linear FP16 format | 1x64x8x8"


def _layer(name, kind, read, written, **more):
    return {
        "Name": name,
        "LayerType": kind,
        "ParameterType": kind,
        "Inputs": [_TEXT.format(each) for each in read],
        "Outputs": [_TEXT.format(each) for each in written],
        **more,
    }


def _context(tmp_path, layers, **more):
    return Context(analyze_case({"layers": layers, "bindings": ["x", "y"], **more}, tmp_path))


def test_what_is_asked_for_once_is_made_once(tmp_path):
    context = _context(tmp_path, [_layer("a", "Pooling", ["x"], ["y"])])
    made = []

    def make(given):
        made.append(given)
        return len(given.layers)

    assert (context.cached(make), context.cached(make)) == (1, 1)
    assert made == [context]


def test_the_time_of_indices_is_that_of_their_layers_each_once(tmp_path):
    chain = (("a", "x", "b", 0.5), ("b", "b", "c", 0.25), ("c", "c", "y", 0.125))
    layers = [_layer(name, "Pooling", [read], [written], ms=ms) for name, read, written, ms in chain]
    context = _context(tmp_path, layers)
    assert context.time_of([0, 1, 2, 0]) == context.time_ms(context.layers) > 0
    assert (context.time_of(()), context.time_of({2})) == (0.0, context.layer_ms(2))


@pytest.mark.parametrize(("query_ms", "percents"), [(1.0, [50, 25]), (2.0, [25, 25]), (1000.0, [None, None])])
def test_savings_are_no_percentage_of_a_time_that_files_contradict(tmp_path, query_ms, percents):
    layers = [_layer("a", "Pooling", ["x"], ["y"], ms=1.0)]
    context = _context(tmp_path, layers, queries_ms={"pattern": [query_ms], "times": 50})
    assert bool(context.analysis.contradictions) is (percents[0] is None)
    gains = of_layers("bound", [(context.layers[0], 0.0, 0.5)]), estimate(0.0, query_ms / 4)
    found = [with_shares(context, gain).high_percent for gain in gains]
    assert [percent and round(percent) for percent in found] == percents


def test_walks_end_where_branches_meet_and_where_a_loop_closes(tmp_path):
    """Two branches of reformats join; the pooling also reads what it writes, as a loop does."""
    context = _context(
        tmp_path,
        [
            _layer("start", "Pooling", ["x", "y"], ["a"]),
            _layer("left", "Reformat", ["a"], ["b"]),
            _layer("right", "Reformat", ["a"], ["c"]),
            _layer("joined", "Reformat", ["b", "c"], ["d"]),
            _layer("end", "Pooling", ["d"], ["y"]),
        ],
    )
    start, _, _, _, end = context.layers
    assert [layer.name for layer in context.successors(start, context.is_reformat)] == ["end"]
    assert [layer.name for layer in context.predecessors(end, context.is_reformat)] == ["start"]
    own = _context(
        tmp_path, [_layer("loop", "Pooling", ["x", "x"], ["x"]), _layer("z", "Pooling", ["x"], ["y"])]
    )
    assert [layer.name for layer in own.successors(own.layers[0])] == ["z"]


def test_the_capability_is_stated_or_that_of_the_newest_kernel(tmp_path):
    kernels = [
        _layer("a", "Pooling", ["x"], ["b"], TacticName="sm50_xmma_pooling"),
        _layer("c", "Pooling", ["b"], ["y"], TacticName="ampere_h16816cudnn_128x128"),
    ]
    assert _context(tmp_path, kernels).min_compute_capability == 80
    stated = {"device": {"Compute Capability": "8.9"}}
    assert _context(tmp_path, kernels, setup=stated).min_compute_capability == 89
    odd = {"device": {"Compute Capability": "8.x"}}
    assert _context(tmp_path, kernels, setup=odd).min_compute_capability == 80
    assert _context(tmp_path, [_layer("a", "Pooling", ["x"], ["y"])]).min_compute_capability is None


def test_layers_without_times_may_all_matter(tmp_path):
    layers = [_layer("a", "Pooling", ["x"], ["y"])]
    untimed = _context(tmp_path, layers)
    assert untimed.is_significant(untimed.layers, 50)
    timed = _context(tmp_path, [{**layers[0], "ms": 0.1}, _layer("b", "Pooling", ["y"], ["z"], ms=0.9)])
    assert timed.is_significant(timed.layers[1:], 50)
    assert not timed.is_significant(timed.layers[:1], 50)


@pytest.mark.parametrize(
    ("engine", "gpu", "is_jetson"),
    [
        ("net_orin_fp16.trt", "", True),
        ("/opt/Jetson-Nano/net.trt", "", True),
        ("net_orin_fp16.trt", "NVIDIA A10", False),
        ("florinet.trt", "", None),
        ("/home/xavier/net.trt", "", None),
        ("/opt/xavier/net.trt", "", True),
        ("/home/jetson/net.trt", "", True),
        ("yolox_nano.trt", "", None),
    ],
)
def test_names_show_a_jetson_where_no_file_states_the_gpu(tmp_path, engine, gpu, is_jetson):
    setup = {
        "commands": [f"trtexec --loadEngine={engine}"],
        "device": {"Selected Device": gpu} if gpu else {},
    }
    layers = [_layer("a", "Pooling", ["x"], ["y"])]
    assert _context(tmp_path, layers, setup=setup).is_jetson is is_jetson
