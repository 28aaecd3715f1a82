"""A trace or tactics of another engine, or of another GPU, contradict the capture they are given with."""

import json

import pytest
from nsys_reports import RANGE_KERNELS

from samples.generator.build_log import timed_layer
from samples.generator.nsys import NsysExport, TracedKernel, traced_queries
from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.wording.contradictions import contradiction_sentences
from trexreport.wording.kernels import trace_sentence

LAYERS = [f"layer{number}" for number in range(8)]


@pytest.fixture
def capture(tmp_path):
    folder = tmp_path / "capture"
    folder.mkdir()
    (folder / "x.graph.json").write_text(json.dumps({"Layers": [*LAYERS, "Reformat [profile 0]"]}))
    (folder / "x.build.log").write_text(
        "[I] === Device Information ===\n[I] Selected Device: NVIDIA H100 80GB HBM3\n"
    )
    return folder


def codes(capture, ranges, device="NVIDIA H100 80GB HBM3", **changes):
    return [each.code for each in engine_with(capture, ranges, device, **changes).contradictions]


def engine_with(capture, ranges, device="NVIDIA H100 80GB HBM3", **changes):
    export = NsysExport(device=device)
    traced_queries(export, [TracedKernel(name, "kernel", 5_000, **changes) for name in ranges], 2)
    return read_engine(capture, files={"kernels": export.write(capture.parent / "x.sqlite")})


def test_a_trace_of_the_engine_contradicts_nothing(capture):
    assert codes(capture, [*LAYERS, "Reformat"]) == []
    # Libraries mark what they like, and so does a short trace.
    assert codes(capture, [LAYERS[0], *(f"other{number}" for number in range(9))]) == []
    assert codes(capture, ["a", "b"]) == []


def test_a_trace_of_another_engine_is_found(capture):
    engine = engine_with(capture, [f"net/{number}" for number in range(5)])
    (found,) = engine.contradictions
    assert found.code == "traced-layers"
    assert "5 layers beginning with 'net/0'" in found.message
    assert "x.sqlite" in found.message


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([f"net/{number}" for number in range(5)], ["traced-layers"]),
        (LAYERS, []),
        # One known layer among what a program marks around it.
        ([LAYERS[0], *(f"step{number}" for number in range(30))], []),
    ],
)
def test_sums_of_another_engine_are_found(capture, names, expected):
    rows = "".join(f":{name},PushPop,1,1,10,10,50000,5000,5000,5000,5000,0,kernel\n" for name in names)
    file = capture.parent / "x.csv"
    file.write_text(f"{RANGE_KERNELS}\n{rows}")
    engine = read_engine(capture, files={"kernels": file})
    assert [each.code for each in engine.contradictions] == expected
    sentence = trace_sentence(analyze(engine).kernels)
    assert ("No range in nvtx_kern_sum is a layer of this engine" in sentence) == bool(expected)


@pytest.mark.parametrize("changes", [{"region": True}, {"name": "{ForeignNode[%d]}"}])
def test_regions_of_myelin_say_nothing_of_layers(capture, changes):
    name = changes.pop("name", "region%d")
    assert codes(capture, [name % number for number in range(5)], **changes) == []


@pytest.mark.parametrize(
    ("device", "expected"), [("NVIDIA L4", ["traced-gpu"]), ("H100", []), ("", []), ("<GPU>", [])]
)
def test_a_trace_of_another_gpu_is_found(capture, device, expected):
    assert codes(capture, LAYERS, device) == expected


def test_no_rule_judges_the_engine_by_the_trace_of_another_one(capture):
    analysis = analyze(engine_with(capture, [f"net/{number}" for number in range(5)], launch_delay_ns=90_000))
    own = analyze(engine_with(capture, LAYERS, launch_delay_ns=90_000))
    assert "TRX820" in {each.code for each in own.lint.findings}
    assert not {"TRX820", "TRX821", "TRX822"} & {each.code for each in analysis.lint.findings}
    assert "so kernels and idle times are not known" in contradiction_sentences(analysis.contradictions)[0]


def timed(capture, *names):
    formats = {"Half(64,1:8,8,1) -> Half(64,1:8,8,1)": [("sm80_a", "0x0a", 0.02), ("sm80_b", "0x0b", 0.03)]}
    lines = [line for name in names for line in timed_layer(name, "CaskConvolution", formats, "10")]
    (capture / "other.log").write_text("\n".join(lines))
    return read_engine(capture)


def test_tactics_of_another_build_are_found(capture):
    (found,) = timed(capture, "a", "b", "c").contradictions
    assert found.code == "timed-layers"
    assert "other.log" in found.message
    assert "3 layers beginning with 'a'" in found.message


@pytest.mark.parametrize(
    "names", [["a", "b", "c", "layer1"], ["a", "b"], [f"{{ForeignNode[{at}]}}" for at in range(4)]]
)
def test_layers_that_vanish_are_no_contradiction(capture, names):
    engine = timed(capture, *names)
    assert len(engine.tactics.layers) == len(names)
    assert not engine.contradictions


def kernels_of(capture, ran):
    """Return the contradictions of an engine of six tactics whose trace has some kernels in its layers."""
    names = [f"conv{at}" for at in range(6)]
    layers = [
        {"Name": name, "LayerType": "CaskConvolution", "TacticName": f"sm80_xmma_fprop_f16_tile{at}x64_g1"}
        for at, name in enumerate(names)
    ]
    (capture / "x.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": []}))
    export = NsysExport()
    traced_queries(export, [TracedKernel(*each, 5_000) for each in zip(names, ran, strict=False)], 2)
    engine = read_engine(capture, files={"kernels": export.write(capture.parent / "x.sqlite")})
    return [(each.code, each.message) for each in engine.contradictions]


def test_kernels_of_the_plan_contradict_nothing(capture):
    own = [f"sm80_xmma_fprop_f16_tile{at}x64_g1_execute_kernel_trt" for at in range(6)]
    assert kernels_of(capture, own) == []
    # Two layers may start something else besides, and libraries have names of their own.
    assert kernels_of(capture, ["sm80_splitk_reduce_f32", "sm80_other_a_b", *own[2:]]) == []
    assert kernels_of(capture, ["cutlass_kernel"] * 6) == []


def test_the_kernels_of_another_build_of_the_model_are_found(capture):
    types = [f"sm80_xmma_fprop_f16f32_tile{at}x64_g1_execute_kernel_trt" for at in range(6)]
    less = [f"sm80_xmma_fprop_f16_tile{at}x64_execute_kernel_trt" for at in range(6)]
    ((code, message),) = kernels_of(capture, [f"sm80_xmma_fprop_i8i8_tile{at}x32_g1_trt" for at in range(6)])
    assert code == "traced-kernels"
    assert "sm80_xmma_fprop_f16_tile0x64_g1 of 'conv0'" in message
    # One word alone, as a suffix of a library, makes no other kernel, unless it states the types.
    assert kernels_of(capture, less) == []
    assert [code for code, _ in kernels_of(capture, types)] == ["traced-kernels"]


@pytest.mark.parametrize(("compute_ms", "expected"), [(0.04, []), (1.0, []), (40.0, ["traced-times"])])
@pytest.mark.parametrize("as_sums", [False, True])
def test_times_in_another_unit_are_found(capture, compute_ms, expected, as_sums):
    (capture / "x.timing.log").write_text(
        "[I] === Performance summary ===\n[I] GPU Compute Time: "
        f"min = {compute_ms} ms, max = {compute_ms} ms, mean = {compute_ms} ms, median = {compute_ms} ms\n"
    )
    if as_sums:
        name = "TensorRT:ExecutionContext::enqueue"
        file = capture.parent / "x.csv"
        file.write_text(f"{RANGE_KERNELS}\n{name},PushPop,1,1,10,80,400000,5000,5000,5000,5000,0,kernel\n")
        engine = read_engine(capture, files={"kernels": file})
    else:
        engine = engine_with(capture, LAYERS)
    assert [each.code for each in engine.contradictions] == expected
    if expected:
        assert "kernels of 0.0400\xa0ms in a query" in engine.contradictions[0].message
