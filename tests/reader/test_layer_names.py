"""What names and metadata say of where a layer came from."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trexreport.model import fused_names
from trexreport.reader import layer_names


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ("", ()),
        ("[ONNX Layer: conv1]", ("conv1",)),
        ("[ONNX Layer: a]\x1e[ONNX Layer: b]", ("a", "b")),
        ("[ONNX Layer: a]\x1f[ONNX Layer: b]\x1e[ONNX Layer: a]", ("a", "b")),
        ("[ONNX Layer: (Unnamed Layer* 3) [Shuffle]]", ("(Unnamed Layer* 3) [Shuffle]",)),
        ("[ONNX Layer: a[0]]\x1e[ONNX Layer: b]]]", ("a[0]", "b]]")),
        ("[ONNX Layer: two\nlines]", ("two\nlines",)),
        ("[TorchScript Layer: x]", ("x",)),
        ("plain text", ("plain text",)),
        ("\x1e\x1f \x1e", ()),
    ],
)
def test_origins(metadata, expected):
    assert layer_names.origins(metadata) == expected


@pytest.mark.parametrize(
    ("name", "index", "plain"),
    [
        ("conv", None, "conv"),
        ("conv [profile 1]", 1, "conv"),
        ("conv [profile 0]", 0, "conv"),
        ("conv [profile 10]", 10, "conv"),
        ("conv [profile 12345]", 12345, "conv"),
        ("node_linear [profile 1]_myl11_2", 1, "node_linear_myl11_2"),
        ("conv [profile x]", None, "conv [profile x]"),
        ("conv [profile 1", None, "conv [profile 1"),
        ("conv [profile " + "9" * 5000 + "]", None, None),
    ],
)
def test_marks_of_optimization_profiles(name, index, plain):
    assert layer_names.optimization_profile(name) == index
    assert layer_names.without_profile(name) == (name if plain is None else plain)


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("__myl_CastMul_myl11_2", "11"),
        ("node_linear [profile 1]_myl11_2", "11"),
        ("__myl_Move_myl3", "3"),
        ("conv1", None),
        ("a_myl5_b", None),
    ],
)
def test_myelin_groups(name, group):
    assert layer_names.myelin_group(name) == group


@pytest.mark.parametrize(
    ("name", "operations"),
    [
        ("__myl_CastMulAdd_myl2_14", ("Cast", "Mul", "Add")),
        ("__myl_MulMeanSqrtDivMul_myl0_3", ("Mul", "Mean", "Sqrt", "Div", "Mul")),
        ("__myl_Fc_myl0_3", ("FullyConnected",)),
        ("__myl_MatAdd_myl0_3", ("FullyConnected", "Add")),
        ("__myl_MatmAdd_myl0_3", ("FullyConnected", "Add")),
        ("__myl_MatmulAdd_myl0_3", ("FullyConnected", "Add")),
        ("__myl_GemmAdd_myl0_3", ("FullyConnected", "Add")),
        ("__myl_Max0Xyz_myl0_3", ("MaxReduce", "Xyz")),
        ("__myl_TranReshMove_0x1234abcd", ("Transpose", "Reshape", "Move")),
        ("__myl_DivMulTopk_myl7_4", ("Div", "Mul", "TopK")),
        ("__myl_MoveResi_myl8_270", ("Move", "Resize")),
        # As some releases write them, with three letters each.
        ("__myl_MovSliSliTra_myl87_1", ("Move", "Slice", "Slice", "Transpose")),
        (
            "__myl_CasMeaSubMulMeaAddSqrDivMulCasMulAdd_myl0_3",
            (*("Cast", "Mean", "Sub", "Mul", "Mean", "Add"), *("Sqrt", "Div", "Mul", "Cast", "Mul", "Add")),
        ),
        ("__myl_CasResCasGatRes_myl203_3", ("Cast", "Reshape", "Cast", "Gather", "Reshape")),
        ("conv1 + relu1", ()),
        ("__myl_", ()),
        ("/model/Mul_myl2_14", ()),
    ],
)
def test_operations_of_generated_kernels(name, operations):
    assert layer_names.myelin_operations(name) == operations


@pytest.mark.parametrize(
    ("nodes", "operations"),
    [
        ((), ("Reshape", "Move")),
        (("/up/Resize_1",), ("Resize", "Move")),
        (("/up/Resize_1", "/up/Reshape"), ("Reshape", "Move")),
    ],
)
def test_the_nodes_of_a_kernel_show_that_it_resizes(nodes, operations):
    assert layer_names.myelin_operations("__myl_ResMov_myl0_3", nodes) == operations


@pytest.mark.parametrize(
    ("nodes", "operation"),
    [
        ((), "Exp"),
        (("/attn/Unsqueeze", "/attn/Expand_1", "/attn/Reshape"), "Broadcast"),
        (("/attn/Expand_1", "/attn/Exp"), "Exp"),
        (("/attn/Expand", "/attn/Softmax_2"), "Exp"),
        (("/attn/Unsqueeze", "/attn/Reshape"), "Exp"),
    ],
)
def test_the_nodes_of_a_kernel_show_that_it_expands(nodes, operation):
    assert layer_names.myelin_operations("__myl_UnsExpRes_myl0_3", nodes) == (
        "Unsqueeze",
        operation,
        "Reshape",
    )


@given(
    st.lists(st.sampled_from(["[ONNX Layer: ", "]", "[", "\x1f", "\x1e", "a", " "]), max_size=12).map("".join)
)
@example("[ONNX Layer: a]\x1f[ONNX Layer: b]")
@example("[ONNX Layer: a][ONNX Layer: b]")
@example("a]\x1fb")
def test_plain_entries_are_divided_as_all_others_are(metadata):
    separators = fused_names._BRACKETED if metadata.lstrip().startswith("[") else fused_names._PLAIN
    entries = [entry.strip() for entry in separators.split(metadata) if entry.strip()]
    found = [fused_names._ENTRY.match(entry) for entry in entries]
    names = [match[1] if match else entry for match, entry in zip(found, entries, strict=True)]
    assert fused_names.metadata_texts(metadata) == names
