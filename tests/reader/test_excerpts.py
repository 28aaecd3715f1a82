"""A list of layers that is a part of an engine's says so, and figures that need the rest are not made up."""

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.model import Source
from trexreport.reader import assemble
from trexreport.reader.capture import Capture

HEADING = "Engine Layer Information:"
CHAIN = (
    "Layer(CaskConvolution): a, Tactic: 0x01, x[Half(-2,3,8,8)] -> t[Half(-2,8,8,8)]",
    "Layer(TiledPooling): b, Tactic: 0x02, t[Half(-2,8,8,8)] -> u[Half(-2,8,4,4)]",
)
APART = "Layer(CaskConvolution): c, Tactic: 0x01, v[Half(-2,9,5,5)] -> w[Half(-2,9,5,5)]"
ONE_LINE = (
    "Name: {name}, LayerType: PointWiseV2, Inputs: [ {{ Name: {read}, Location: Device, Dimensions: "
    "[6,3,8,8], Format/Datatype: Row major linear FP32 }}], Outputs: [ {{ Name: {write}, Location: Device, "
    "Dimensions: [6,3,8,8], Format/Datatype: Row major linear FP32 }}], TacticValue: 0x09"
)
ROW = "[01/09/2024-07:11:22] [I]       33.97       0.0896       0.0891       1.4   conv1 + relu1"


def read(*lines):
    return assemble(Capture("x", (Source("log", "x.log", "\n".join(lines).encode()),)))


def noted(*lines):
    return {note.slug: note.message for note in read(*lines).notes}


def test_a_whole_list_is_no_excerpt():
    found = noted(HEADING, *CHAIN)
    assert not {"log-layers-excerpt", "log-not-trtexec"} & found.keys()
    # A terminal may have broken its lines.
    assert "log-layers-excerpt" not in noted(HEADING, CHAIN[0], CHAIN[1][:60], CHAIN[1][60:])


def test_a_reshape_that_was_left_out_parts_no_layers():
    reshaped = "Layer(Shuffle): c, Tactic: 0x01, v[Half(-2,128)] -> w[Half(-2,128)]"
    assert "log-layers-excerpt" not in noted(HEADING, *CHAIN, reshaped)


def test_parts_that_share_no_tensor_are_an_excerpt():
    found = noted(HEADING, *CHAIN, APART)
    assert "log-not-trtexec" not in found
    assert found["log-layers-excerpt"] == (
        "The log lists 3 layers, likely an excerpt, and all figures are of these: they are in 2 parts that "
        "share no tensor."
    )


def test_broken_lines_of_a_list_without_its_heading_are_counted():
    found = noted(CHAIN[0], CHAIN[1][:60], CHAIN[1][60:])
    assert "the heading of the list is missing" in found["log-layers-excerpt"]
    assert found["log-layers-excerpt"].endswith("1 line is broken, the first of them line 2.")


def test_the_tensors_of_an_excerpt_are_not_taken_for_inputs():
    """So the memory at a time is at least what its largest layer reads and writes."""
    layers = [ONE_LINE.format(name=name, read=f"{name}.in", write=f"{name}.out") for name in "ab"]
    layers[1] = layers[1].replace("8,8]", "8,4]")
    memory = analyze(read("[I] Layers:", *(f"[I] {each}" for each in layers))).memory
    assert (memory.peak_live_bytes, memory.bindings) == (2 * 6 * 3 * 8 * 8 * 4, 0)


def test_dynamic_shapes_of_a_build_inform():
    found = with_consequences(analyze(read(HEADING, *CHAIN)).lint.findings)
    (finding,) = [each for each in found if each.code == "TRX701"]
    assert finding.severity == "info"


@pytest.mark.parametrize("rows", [0, 1, 9])
def test_rows_without_the_beginning_of_their_table_are_counted(rows):
    layer = ONE_LINE.format(name="a", read="x", write="y")
    engine = read("[I] Layers:", f"[I] {layer}", *[ROW] * rows)
    found = {note.slug: note.message for note in engine.notes}
    assert ("log-cut-table" in found) is bool(rows)
    if rows:
        assert found["log-cut-table"].startswith(
            f"{rows} line{'s are rows' if rows > 1 else ' is a row'} of a"
        )
        assert "from line 3 on" in found["log-cut-table"]
    (message,) = [each.message for each in analyze(engine).lint.findings if each.code == "TRX810"]
    assert ("lacks its beginning" in message) is bool(rows)


CONVOLUTION = (
    "Name: {name}, LayerType: CaskConvolution, Inputs: [ {{ Name: {name}_in, Location: Device, Dimensions: "
    "[32,256,{size},{size}], Format/Datatype: Channel major FP16 format where channel % 8 == 0 }}], Outputs: "
    "[ {{ Name: {name}_out, Location: Device, Dimensions: [32,256,{size},{size}], Format/Datatype: Channel "
    "major FP16 format where channel % 8 == 0 }}], ParameterType: Convolution, Kernel: [3,3], PaddingMode: "
    "kEXPLICIT_ROUND_DOWN, PrePadding: [1,1], PostPadding: [1,1], Stride: [1,1], Dilation: [1,1], OutMaps: "
    '256, Groups: 1, Weights: {{"Type": "Half", "Count": 589824}}, HasSparseWeights: 0, Activation: RELU, '
    "TacticName: sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tensor16x8x16, TacticValue: 1"
)


def test_where_layers_are_missing_a_finding_is_not_on_all_of_them():
    device = "[01/09/2024-07:11:22] [I] Selected Device: NVIDIA A100 80GB PCIe"
    lines = device, CONVOLUTION.format(name="a", size=56), CONVOLUTION.format(name="b", size=28)
    assert "log-layers-excerpt" in noted(*lines)
    found = [each for each in analyze(read(*lines)).lint.findings if each.code == "TRX406"]
    assert [each.message.partition(" are ")[0] for each in found] == ["2 layers that multiply in FP16"]


def test_a_summary_without_its_heading_is_read_behind_options_that_were_cut():
    head = "[01/09/2024-07:11:22] [I] "
    figures = "min = 1 ms, max = 3 ms, mean = 2 ms, median = {} ms, percentile(99%) = 3 ms"
    engine = read(
        "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx --fp16",
        f"{head}=== Build Options ===",
        f"{head}Precision: FP32+FP16",
        "...",
        f"{head}Latency: {figures.format(2)}",
        f"{head}GPU Compute Time: {figures.format(1.5)}",
        f"{head}Total Host Walltime: 3 s",
    )
    assert {name: each.median_ms for name, each in engine.measurement.summary.items()} == {
        "Latency": 2.0,
        "GPU Compute Time": 1.5,
    }
    assert engine.measurement.walltime_s == 3
    assert engine.setup.build_options == {"Precision": "FP32+FP16"}
    # What was measured did not crash before.
    assert {note.slug: note.severity for note in engine.notes}["log-no-banner"] == "info"
    assert "log-unfinished" not in {note.slug for note in engine.notes}
