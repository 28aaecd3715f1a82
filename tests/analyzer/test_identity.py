"""What an engine is according to its files."""

from __future__ import annotations

import pytest

from trexreport.analyzer.identity import describe_bindings, identify
from trexreport.model import Binding, DataFormat, Engine, Setup, Tensor
from trexreport.model.measured_log import MeasuredLog


@pytest.mark.parametrize(
    ("options", "batch"),
    [
        ({"Batch": "1"}, 1),
        ({"Batch": "8"}, 8),
        ({"Batch": "Explicit"}, None),
        ({"Batch": ""}, None),
        ({}, None),
    ],
)
def test_the_implicit_batch_that_a_log_prints_counts_where_no_input_is_known(options, batch):
    setup = Setup(inference_options=options, tensorrt_version="7.2.3")
    assert identify(Engine("e", (), setup=setup)).batch == batch


@pytest.mark.parametrize("batch", [4, None])
def test_of_several_logs_the_batch_is_that_of_the_shown_one(batch):
    """A name decides nothing: the times of the others may contradict it."""
    logs = tuple(
        MeasuredLog(file, "net", (), size, 10.0, 1.0, 1.0, is_shown=file == "net_bs8.log")
        for file, size in (("net_bs1.log", 1), ("net_bs8.log", batch))
    )
    assert identify(Engine("net_bs8", (), logs=logs)).batch == batch


def test_the_command_names_the_model_where_no_option_does():
    commands = ("trtexec --onnx=/models/net.onnx --fp16",)
    assert identify(Engine("e", (), setup=Setup(commands=commands))).model == "net.onnx"
    stated = Setup(commands=commands, model_options={"Model": "other.onnx"})
    assert identify(Engine("e", (), setup=stated)).model == "other.onnx"


def run_of(shape, **more):
    return Setup(io_shapes={"image": shape, "scores": "7x10"}, input_names=("image",), **more)


def with_input(*dimensions):
    data = Tensor("image", dimensions, DataFormat("FP32", "linear"))
    return (Binding("image", "input", data),)


def shown(bindings, setup):
    found = identify(Engine("e", (), bindings, setup=setup))
    return [(each.name, list(each.dimensions)) for each in found.inputs], found.batch


def test_the_log_states_the_extents_that_the_layers_leave_open():
    assert shown(with_input(-1, 3, 32, 32), run_of("4x3x32x32")) == ([("image", [4, 3, 32, 32])], 4)


@pytest.mark.parametrize("shape", ["4x3x64x32", "4x3x32", "3x32x32x32x1"])
def test_extents_of_another_shape_do_not_replace_what_the_layers_have(shape):
    assert shown(with_input(-1, 3, 32, 32), run_of(shape)) == ([("image", [-1, 3, 32, 32])], None)


def test_a_log_alone_states_the_inputs_and_their_batch():
    assert shown((), run_of("4x3x32x32")) == ([("image", [4, 3, 32, 32])], 4)


def test_an_implicit_batch_is_not_the_first_extent_of_a_log():
    setup = run_of("3x32x32", inference_options={"Batch": "1"}, tensorrt_version="8.2.1")
    assert shown((), setup) == ([("image", [3, 32, 32])], 1)


@pytest.mark.parametrize(
    ("shape", "command", "batch"),
    [
        ("10x3x640x1088", "trtexec --loadEngine=e.plan", 10),
        ("10x3x640x1088", "trtexec --loadEngine=e.plan --batch=1", 1),
        ("3x640x1088", "trtexec --loadEngine=e.plan", 1),
    ],
)
def test_the_batch_that_trtexec_prints_by_default_is_not_that_of_four_axes(shape, command, batch):
    setup = Setup(
        inference_options={"Batch": "1"},
        commands=(command,),
        io_shapes={"images": shape, "scores": "10x31"},
        input_names=("images",),
    )
    assert identify(Engine("e", (), setup=setup)).batch == batch


@pytest.mark.parametrize(
    ("output", "batch"), [("1x10x128x128", None), ("1x6", 6), ("6x10", 6), ("12x10", 6), ("10", 6)]
)
def test_the_cameras_of_one_frame_are_no_batch(output, batch):
    setup = Setup(io_shapes={"images": "6x3x64x64", "boxes": output}, input_names=("images",))
    assert identify(Engine("e", (), setup=setup)).batch == batch


def test_a_log_alone_states_the_inputs_and_outputs():
    setup = Setup(io_shapes={"images": "4x3x64x64", "masks": "4x9"}, input_names=("images",))
    found = describe_bindings(Engine("e", (), setup=setup))
    assert [(each.name, each.mode, list(each.dimensions), each.size_bytes) for each in found] == [
        ("images", "input", [4, 3, 64, 64], None),
        ("masks", "output", [4, 9], None),
    ]
