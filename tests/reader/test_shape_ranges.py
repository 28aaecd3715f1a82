"""A log states the optimization profile of the engine, and other files are compared with what it states."""

import json
import time

import pytest

from trexreport.model import Source
from trexreport.reader import assemble
from trexreport.reader.capture import Capture
from trexreport.reader.contradictions.build_shapes import allowed_shapes
from trexreport.reader.setup_files import describe_setup_files
from trexreport.reader.shape_ranges import read_shape_range
from trexreport.reader.trtexec_log import read_trtexec_log

BUILT = "Set shape of input tensor {} for optimization profile {} to: MIN={} OPT={} MAX={}"
LOADED = "Model input {} (profile {}): min={}, opt={}, max={}"
RANGE = ((1, 3), (2, 3), (4, 3))
LAYER = {
    "Name": "conv",
    "LayerType": "Convolution",
    "Inputs": [{"Name": "x", "Dimensions": [2, 3], "Format/Datatype": "Row major linear FP32"}],
    "Outputs": [{"Name": "y", "Dimensions": [2, 3], "Format/Datatype": "Row major linear FP32"}],
}


def log_of(command, *lines):
    """Return a log of one run of trtexec."""
    ends = [f"&&&& {state} TensorRT.trtexec # trtexec {command}" for state in ("RUNNING", "PASSED")]
    return "\n".join((ends[0], *(f"[I] {each}" for each in lines), ends[1])) + "\n"


def engine_of(text):
    """Return the engine of a layer and a log."""
    graph = json.dumps({"Layers": [LAYER], "Bindings": ["x", "y"]}).encode()
    return assemble(
        Capture("m", (Source("graph", "m.graph.json", graph), Source("log", "m.log", text.encode())))
    )


@pytest.mark.parametrize("form", [BUILT, LOADED])
@pytest.mark.parametrize("name", ["x", "a b (profile 7): c"])
def test_a_line_of_a_build_and_of_a_loaded_engine_state_it(form, name):
    assert read_shape_range(form.format(name, 1, "1x3", "2x3", "4x3")) == ((1, name), RANGE)


@pytest.mark.parametrize(
    "ends",
    [("1x3x8", "2x3", "4x3"), ("3x3", "2x3", "4x3"), ("1x3", "5x3", "4x3"), ("", "", ""), ("-1x3",) * 3],
)
@pytest.mark.parametrize("form", [BUILT, LOADED])
def test_extents_that_are_no_range_are_not_taken(form, ends):
    assert read_shape_range(form.format("x", 0, *ends)) is None
    (binding, _) = engine_of(log_of("--loadEngine=m.plan", form.format("x", 0, *ends))).bindings
    assert binding.shape_range is None


def test_a_contradiction_names_the_log_that_states_the_range():
    line = LOADED.format("x", 0, "8x3", "8x3", "16x3")
    engine = engine_of(log_of("--loadEngine=m.plan", line))
    assert [binding.shape_range for binding in engine.bindings] == [((8, 3), (8, 3), (16, 3)), None]
    (found,) = engine.contradictions
    assert [(each.file, each.value) for each in found.values] == [
        ("m.graph.json", "2×3"),
        ("m.log", "8×3 to 16×3"),
    ]


def test_of_several_profiles_none_contradicts_a_run():
    lines = (LOADED.format("x", 0, "8x3", "8x3", "16x3"), LOADED.format("x", 1, "1x3", "2x3", "4x3"))
    assert engine_of(log_of("--loadEngine=m.plan --useProfile=1", *lines)).contradictions == ()


def test_of_several_runs_in_a_log_the_one_that_is_shown_states_it():
    ranges = (("9x3", "9x3", "9x3"), ("1x3", "2x3", "4x3"))
    runs = [log_of("--onnx=m.onnx --saveEngine=m.plan", BUILT.format("x", 0, *each)) for each in ranges]
    assert read_trtexec_log("".join(runs), "m.log").setup.shape_ranges == {(0, "x"): RANGE}


def test_a_long_text_in_place_of_shapes_takes_no_time():
    text = log_of("--onnx=m.onnx", "=== Build Options ===", f"Input build shape: {'a' * 200_000}")
    source = Source("log", "m.log", text.encode())
    (file,) = describe_setup_files([(source, read_trtexec_log(text, source.name))], [])
    began = time.process_time()
    assert list(allowed_shapes(file)) == []
    assert time.process_time() - began < 5
