"""Names of layers are taken apart into the names of the original model."""

from __future__ import annotations

import pytest
from alignment_plans import analysis_of, layer, metadata

from trexreport.analyzer.comparison.names import (
    KnownParts,
    is_heavy,
    is_opaque,
    is_parameter,
    is_serial,
    kinds,
    names_of,
    parts_of,
    reformatted_layer,
)

PARTS = {
    "conv1 + relu1": ["conv1", "relu1"],
    "Conv_1 || Conv_2": ["Conv_1", "Conv_2"],
    "PWN(/a/Sigmoid)": ["/a/Sigmoid"],
    "PWN(PWN(/a/Sigmoid), /a/Mul)": ["/a/Sigmoid", "/a/Mul"],
    "/a/Conv + PWN(PWN(/b/Sigmoid), /b/Mul)": ["/a/Conv", "/b/Sigmoid", "/b/Mul"],
    "PWN((Unnamed Layer* 5) [Constant] + (Unnamed Layer* 6) [Unary], /a/Mul)": [
        "unnamed:5:Constant",
        "unnamed:6:Unary",
        "/a/Mul",
    ],
    "/a/Conv + /a/Relu [profile 2]": ["/a/Conv", "/a/Relu"],
    "/a/q/MatMul+/a/k/MatMul_myl3_17": ["/a/q/MatMul", "/a/k/MatMul"],
    "/a/q/MatMul [profile 1]_myl3_17": ["/a/q/MatMul"],
    "__myl_CastMulAdd_myl2_14": [],
    "__mye21924_myl2_10": [],
    "_gemm_mha_v2_myl0_12": [],
    "{ForeignNode[/a/Constant_output_0.../b/Where_13]}": ["/a/Constant_output_0", "/b/Where_13"],
    "[CONVOLUTION]-[aten_ops.convolution.default]-[/f/0/convolution] + [RELU]-[aten_ops.relu]-[/f/1/relu]": [
        "/f/0/convolution",
        "/f/1/relu",
    ],
    "Reformatting CopyNode for Input Tensor 0 to conv1": [],
    "name (with) brackets": ["name (with) brackets"],
    "": [],
}


@pytest.mark.parametrize("name", PARTS)
def test_a_name_gives_its_parts(name):
    assert parts_of(name) == PARTS[name]


@pytest.mark.parametrize(
    ("name", "partial"),
    [
        ("/a/MatMul_myl3_17", True),
        ("/a/q/MatMul+/a/k/MatMul_myl3_17", True),
        ("{ForeignNode[/a/Mul.../b/Where_13]}", True),
        ("/a/Conv + /a/Relu", False),
        ("/a/Conv", False),
    ],
)
def test_names_of_myelin_leave_out_what_is_fused_unless_metadata_states_it(name, partial):
    analysis = analysis_of([layer(name), layer(name, Metadata=metadata("/a/MatMul", "/a/Add"))])
    found = [names_of(each, analysis.tensors, KnownParts()).partial for each in analysis.layers]
    assert found == [partial, False]


def test_quantizers_and_spellings_are_put_aside():
    record = layer(
        "layer1.0.weight + /q/QuantizeLinear + /layers_0/Conv_myl0_1",
        Metadata=metadata("/layers.0/Conv", "/layers.0/Conv_output_0_QuantizeLinear"),
        writes=["/layers.0/Conv_output_0", "Reformatted Input Tensor 0 to x", "input.8"],
    )
    analysis = analysis_of([record])
    names = names_of(analysis.layers[0], analysis.tensors, KnownParts())
    assert names.model == {"/layers_0/Conv": True, "layer1.0.weight": False}
    assert names.operations == 1
    assert names.quantizers
    assert names.written == ["/layers_0/Conv_output_0"]
    assert names.written_serial == ["input.8"]


@pytest.mark.parametrize(
    "name", ["reshape_before_/fc/Gemm", "copied_squeeze_after_/fc/Gemm", "/fc/Gemm_clone_1"]
)
def test_what_tensorrt_adds_to_a_name_is_taken_off(name):
    analysis = analysis_of([layer(name)])
    assert [*names_of(analysis.layers[0], analysis.tensors, KnownParts()).model] == ["/fc/Gemm"]


@pytest.mark.parametrize("name", ["Conv_22", "Conv__435", "191", "input.8", "onnx::Add_210", "node_linear_3"])
def test_numbers_given_in_order_are_serial(name):
    assert is_serial(name)


@pytest.mark.parametrize(
    "name", ["conv1", "fc.bias", "/layer1/Conv_22", "resnet50/conv2_block1_1_conv/Conv2D"]
)
def test_names_that_a_person_gave_are_not_serial(name):
    assert not is_serial(name)


def test_kinds_and_weights_are_derived_from_names():
    assert kinds(["/a/b.1/Conv", "Relu_4", "/a/Mul_12", "123"]) == ("Conv", "Relu", "Mul", "123")
    assert [is_heavy(name) for name in ("/a/Conv_3", "/a/MatMul", "fc.weight", "/a/Add")] == [True] * 3 + [
        False
    ]
    assert is_parameter("layer1.0.conv1.weight")
    assert not is_parameter("/layer1/Conv")


def test_helpers_and_subgraphs_are_recognized():
    assert reformatted_layer("Reformatting CopyNode for Output Tensor 12 to a + b") == "a + b"
    assert reformatted_layer("a + b") is None
    assert is_opaque("{ForeignNode[a...b]}")
    assert not is_opaque("a")


def test_what_layers_of_two_engines_state_is_read_once():
    records = [layer("conv1", Metadata=metadata("conv1"), writes=["y"])]
    known = KnownParts()
    first, second = (
        names_of(analysis.layers[0], analysis.tensors, known)
        for analysis in (analysis_of(records), analysis_of(records))
    )
    assert first is second
    other = analysis_of([layer("conv1", Metadata=metadata("conv2"), writes=["y"])])
    assert names_of(other.layers[0], other.tensors, known).model == {"conv2": True, "conv1": False}


@pytest.mark.parametrize("between", [" + ", "\t+\n", " || ", ", ", ",\t", "\x1e", "\x1f"])
def test_parts_are_separated_by_each_of_what_joins_names(between):
    assert parts_of(f"conv1{between}__mye7") == ["conv1"]
    assert parts_of(f"conv1{between}relu1") == ["conv1", "relu1"]


def test_names_that_only_resemble_made_ones_are_parts():
    assert parts_of("__my_layer + a__mye1") == ["__my_layer", "a__mye1"]
