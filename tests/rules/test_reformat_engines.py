"""What the rules on reformats find on engines of every kind, and that no reformat has two reasons."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from case_files import analyze_case
from engine_findings import findings, raw_times
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.reformat.reformat_places import reformat_places
from trexreport.reader import read_engine

#: The generated engines have other numbers of blocks, and convert at fewer edges or at more.
GENERATED = {
    "controlnet-trt8.6": {"TRX202": 12, "TRX205": 1, "TRX206": 12, "TRX207": 18},
    "names-only-bert": {"TRX205": 1},
    "orin-bev-trt8.6": {"TRX201": 4, "TRX207": 1},
}


@pytest.mark.parametrize(
    ("engine", "places"),
    [
        ("a100-resnet18-fp16", {"TRX206": 2}),
        ("a100-resnet18-fp32", {"TRX202": 1}),
        ("a100-resnet18-qat", {"TRX201": 1, "TRX205": 1, "TRX206": 1}),
        ("a100-resnet18-qat-residual", {"TRX205": 1, "TRX206": 1}),
        ("a100-resnet18-qat-residual-qgap", {"TRX206": 1}),
        ("controlnet-trt8.6", {"TRX205": 1, "TRX207": 27}),
        ("names-only-bert", {}),
        ("orin-bev-trt8.6", {"TRX207": 1}),
        ("rtx3060-mobilenetv2-torchtrt", {}),
        ("rtx3060-resnet18-fp16-trt10", {}),
        ("rtx3090-resnet50-fp16", {"TRX206": 1}),
        ("thor-driving-transformer-trt10", {"TRX205": 1}),
        ("torchtrt-alexnet-runonacc", {}),
    ],
)
def test_findings(engines_folder, engine_source, engine, places):
    if engine_source == "generated":
        places = GENERATED.get(engine, places)
    found = findings(engines_folder, engine, "reformat")
    codes = {code for code, _ in found.codes}
    assert {code: len(found.places(code)) for code in codes} == places


def test_no_reformat_is_listed_twice(engines_folder):
    folders = sorted(path for path in engines_folder.iterdir() if path.is_dir())
    assert len(folders) >= 13
    for folder in folders:
        found = findings(engines_folder, folder.name, "reformat")
        single = [finding for finding in found.outcome.findings if finding.code != "TRX205"]
        places = [place for finding in single for place in finding.places]
        listed = Counter(layer for place in places for layer in place.layers)
        assert max(listed.values(), default=1) == 1


def test_the_input_of_an_fp16_network(engines_folder):
    found = findings(engines_folder, "a100-resnet18-fp16", "reformat")
    place = found.places("TRX206")[0]
    (first, time_ms), *_ = raw_times(engines_folder / "a100-resnet18-fp16").items()
    assert first.startswith("Reformatting CopyNode for Input Tensor 0")
    assert " converts an input of the engine from FP32 linear to FP16 NHWC4 (" in place.message
    assert place.message.startswith("Reformatting CopyNode …")
    assert f" of layer time, {time_ms:.4f}\u00a0ms)." in place.message
    # The layers take longer than the GPU does without the profiler, so the savings are a part of the time.
    assert place.gain.high_ms == pytest.approx(time_ms * Context(found.analysis).gpu_part)


def test_an_input_that_is_transposed_first_is_an_input(engines_folder):
    found = findings(engines_folder, "rtx3090-resnet50-fp16", "reformat")
    layer, side = reformat_places(Context(found.analysis)).at_io_tensors[0]
    assert (layer.index, side) == (1, "input")


def test_normalizations_between_convolutions(engines_folder, engine_source):
    """Group normalization as a plugin in the plain layout has a reformat on each side of it."""
    found = findings(engines_folder, "controlnet-trt8.6", "reformat")
    types = Counter(
        found.analysis.layers[layer].type for place in found.places("TRX207") for layer in place.layers
    )
    assert (
        types
        == {
            "real": {"PluginV2": 27, "Reformat": 38, "MyelinReformat": 19},
            "generated": {"PluginV2": 18, "Reformat": 18, "MyelinReformat": 18},
        }[engine_source]
    )


_FORMATS = {
    "h8": "Channel major FP16 format where channel % 8 == 0",
    "f16": "Row major linear FP16 format",
    "f32": "Row major linear FP32",
    "i32": "Thirty-two wide channel vectorized row major Int8 format",
}


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 30), st.sampled_from(sorted(_FORMATS)), st.sampled_from("rrrrqpeg"), st.booleans()
        ),
        max_size=14,
    )
)
def test_each_reformat_has_one_reason(tmp_path_factory, steps):
    """Layers that each read what any earlier one wrote: reformats, Q/DQ, plugins, sums, poolings."""
    kinds = {"r": "Reformat", "q": "Reformat", "p": "PluginV2", "e": "ElementWise", "g": "Pooling"}
    tensors = ["x | Row major linear FP32 | 1x64x8x8"]
    layers = []
    for number, (source, layout, kind, _) in enumerate(steps):
        written = f"t{number} | {_FORMATS[layout]} | 1x64x8x8"
        layers.append(
            {
                "Name": f"layer {number}",
                "LayerType": kinds[kind],
                "ParameterType": kinds[kind],
                "Origin": "QDQ" if kind == "q" else "REFORMAT",
                "Inputs": [tensors[source % len(tensors)]],
                "Outputs": [written],
                "ms": 0.1,
            }
        )
        tensors.append(written)
    bindings = ["x", *(f"t{number}" for number, step in enumerate(steps) if step[3])]
    analysis = analyze_case({"layers": layers, "bindings": bindings}, tmp_path_factory.mktemp("case"))
    context = Context(analysis)
    places = reformat_places(context)
    listed = Counter(
        layer.index
        for group in (
            *places.round_trips,
            *places.chains,
            [layer for layer, _ in places.at_io_tensors],
            *(beside for _, beside in places.around_plugins),
            places.type_conversions,
            places.layout_changes,
        )
        for layer in group
    )
    assert set(listed.values()) <= {1}
    changing = {each.layer for each in analysis.reformats if each.change != "copy"}
    left_over = {index for index in changing if analysis.layers[index].attributes["Origin"] == "QDQ"}
    assert changing - left_over <= set(listed) <= changing


@pytest.mark.parametrize(("options", "expected"), [("--outputIOFormats=fp16:chw", ["TRX206"]), ("", [])])
def test_a_log_that_lists_no_bindings_shows_the_outputs_of_a_build_that_requests_formats(
    options, expected, tmp_path
):
    name = "Reformatting CopyNode for Output Tensor 0 to conv"
    lines = [
        f"&&&& RUNNING TensorRT.trtexec [TensorRT v8203] # trtexec --onnx=m.onnx --fp16 --verbose {options}",
        "[11/22/2026-10:00:01] [V] [TRT] Engine Layer Information:",
        "Layer(CaskConvolution): conv, Tactic: 0x01, x[Half(1,8,9,9)] -> a[Half(1,8,9,9)]",
        f"Layer(Reformat): {name}, Tactic: 0x00, a[Half(1,8,9,9)] -> y[Half(1,8,9,9)]",
        "[11/22/2026-10:00:02] [I] Engine built in 10 sec.",
    ]
    (tmp_path / "m.build.log").write_text("\n".join([*lines, ""]))
    times = [{"name": each, "timeMs": 1, "averageMs": 1, "medianMs": 1} for each in ("conv", name)]
    (tmp_path / "m.profile.json").write_text(json.dumps([{"count": 1}, *times]))
    found = analyze(read_engine(tmp_path)).lint.findings
    assert [each.code for each in found if each.code == "TRX206"] == expected
