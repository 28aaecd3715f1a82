"""Every format text of the engine inspector: data type, layout, and the bytes of a tensor."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.model import DataFormat, Tensor, Weights
from trexreport.reader.data_formats import canonical_data_type, parse_format
from trexreport.reader.graph_file import read_tensor, read_weights

SHAPE = (2, 3, 5, 7)
ELEMENTS = math.prod(SHAPE)


def padded(multiple: int) -> int:
    return 2 * (-(-3 // multiple) * multiple) * 5 * 7


@pytest.mark.parametrize(
    ("text", "data_type", "layout", "size"),
    [
        ("Row major linear FP32", "FP32", "linear", ELEMENTS * 4),
        ("Row major linear FP32 format (kLINEAR)", "FP32", "linear", ELEMENTS * 4),
        ("Row major linear FP16 format", "FP16", "linear", ELEMENTS * 2),
        ("Row major linear BF16 format", "BF16", "linear", ELEMENTS * 2),
        ("Row major linear BFloat16 format", "BF16", "linear", ELEMENTS * 2),
        ("Row major Int8 format", "INT8", "linear", ELEMENTS),
        ("Row major linear Int32", "INT32", "linear", ELEMENTS * 4),
        ("Row major linear INT32.", "INT32", "linear", ELEMENTS * 4),
        ("Row major linear Int64", "INT64", "linear", ELEMENTS * 8),
        ("Row major linear BOOL", "BOOL", "linear", ELEMENTS),
        ("Row major linear UInt8 format", "UINT8", "linear", ELEMENTS),
        ("Row major linear FP8 format", "FP8", "linear", ELEMENTS),
        ("Row major linear INT4 format", "INT4", "linear", ELEMENTS // 2),
        ("Row major linear FP4 format", "FP4", "linear", ELEMENTS // 2),
        ("Channel major FP32 format", "FP32", "NHWC", ELEMENTS * 4),
        ("Channel major FP32 format where channel % 4 == 0", "FP32", "NHWC4", padded(4) * 4),
        ("Channel major FP16 format where channel % 2 == 0", "FP16", "NHWC2", padded(2) * 2),
        ("Channel major FP16 format where channel % 4 == 0", "FP16", "NHWC4", padded(4) * 2),
        ("Channel major FP16 format where channel % 8 == 0", "FP16", "NHWC8", padded(8) * 2),
        ("Channel major FP16 format where channel % 16 == 0", "FP16", "NHWC16", padded(16) * 2),
        ("Channel major BF16 format where channel % 8 == 0 (kHWC8)", "BF16", "NHWC8", padded(8) * 2),
        ("Channel major INT8 format where channel == 4", "INT8", "NHWC4", padded(4)),
        ("Two wide channel vectorized row major FP16 format", "FP16", "NC/2HW2", padded(2) * 2),
        ("Four wide channel vectorized row major Int8 format", "INT8", "NC/4HW4", padded(4)),
        ("Sixteen wide channel vectorized row major FP16 format", "FP16", "NC/16HW16", padded(16) * 2),
        ("Thirty-two wide channel vectorized row major Int8 format", "INT8", "NC/32HW32", padded(32)),
        ("Thirty-two wide channel vectorized row major FP16 format", "FP16", "NC/32HW32", padded(32) * 2),
        ("Thirty-two wide channel vectorized row major FP32 format", "FP32", "NC/32HW32", padded(32) * 4),
        ("kCHW32", "unknown", "NC/32HW32", None),
        ("Float", "FP32", "", ELEMENTS * 4),
        ("Half", "FP16", "", ELEMENTS * 2),
        ("Double", "FP64", "", ELEMENTS * 8),
        ("Int8", "INT8", "", ELEMENTS),
        ("Int32", "INT32", "", ELEMENTS * 4),
        ("Int64", "INT64", "", ELEMENTS * 8),
        ("Bool", "BOOL", "", ELEMENTS),
        ("BFloat16", "BF16", "", ELEMENTS * 2),
        ("FP8", "FP8", "", ELEMENTS),
        ("FP8E4M3", "FP8", "", ELEMENTS),
        ("UInt8", "UINT8", "", ELEMENTS),
        ("Int4", "INT4", "", ELEMENTS // 2),
        ("FP4", "FP4", "", ELEMENTS // 2),
        ("FP4E2M1", "FP4", "", ELEMENTS // 2),
        ("E8M0", "E8M0", "", ELEMENTS),
        ("Unknown format", "unknown", "", None),
        ("Complex64", "unknown", "", None),
        ("N/A due to dynamic shapes", "unknown", "", None),
        ("", "unknown", "", None),
    ],
)
def test_format_texts(text, data_type, layout, size):
    found = parse_format(text)
    assert (found.text, found.data_type, found.layout) == (text, data_type, layout)
    assert found.size_bytes(SHAPE) == size


def test_volumes_pad_the_dimension_before_three_spatial_ones():
    text = "Channel major FP16 format where channel % 8 == 0 with 3 spatial dimensions"
    found = parse_format(text)
    assert found.layout == "NDHWC8"
    assert found.size_bytes((1, 3, 4, 5, 6)) == 8 * 4 * 5 * 6 * 2
    assert parse_format("FP16 (kDHWC8)").size_bytes((1, 3, 4, 5, 6)) == 8 * 4 * 5 * 6 * 2


def test_channels_of_tensors_of_lower_rank():
    found = parse_format("Channel major FP16 format where channel % 8 == 0")
    assert found.size_bytes((3, 5, 7)) == 8 * 5 * 7 * 2
    assert found.size_bytes((2, 3)) == 2 * 8 * 2
    assert found.size_bytes((3,)) == 8 * 2
    assert found.size_bytes(()) == 2


def test_odd_numbers_of_half_bytes_are_rounded_up():
    assert parse_format("Int4").size_bytes((3,)) == 2
    assert Weights("weights", "FP4", 5).size_bytes == 3


def test_sizes_that_are_not_known():
    assert parse_format("Half").size_bytes((1, -1, 3)) is None
    assert parse_format("Half").size_bytes((0, 3)) == 0
    assert parse_format("Half").size_bytes((2**48, 2**48)) is None
    assert Weights("weights", "unknown", 3).size_bytes is None


@pytest.mark.parametrize(
    ("record", "data_type", "layout"),
    [
        ({"Format": "Row major linear FP32 format (kLINEAR)", "Datatype": "Float"}, "FP32", "linear"),
        ({"Format": "Channel major format where channel % 8 == 0", "DataType": "Half"}, "FP16", "NHWC8"),
        ({"Format": "kHWC8", "Datatype": "BFloat16"}, "BF16", "NHWC8"),
        ({"Datatype": "FP4"}, "FP4", ""),
        ({"Format": "Row major linear FP8 format"}, "FP8", "linear"),
        ({"Format/Datatype": "Half", "Datatype": "Float"}, "FP16", ""),
        ({"Format/Datatype": "N/A due to dynamic shapes"}, "unknown", ""),
        ({"Format/Datatype": "N/A due to dynamic shapes Half"}, "FP16", ""),
        ({"Format/Datatype": None, "Format": 7, "Datatype": []}, "unknown", ""),
        ({}, "unknown", ""),
    ],
)
def test_combined_and_split_fields(record, data_type, layout):
    found = read_tensor({"Name": "t", "Dimensions": [2, 8], **record}).format
    assert (found.data_type, found.layout) == (data_type, layout)


def test_a_type_behind_a_shape_that_is_not_resolved_is_shown_alone():
    shown = {
        text: read_tensor({"Name": "t", "Dimensions": [-1], "Format/Datatype": text}).format.text
        for text in ("N/A due to dynamic shapes Half", "N/A due to dynamic shapes")
    }
    assert list(shown.values()) == ["Half", "N/A due to dynamic shapes"]


@pytest.mark.parametrize(
    ("dimensions", "expected"),
    [
        ([1, 2], (1, 2)),
        ([], ()),
        ([-1, 3], (-1, 3)),
        ([1, "x", None, 2.5], (1, -1, -1, -1)),
        ([2.0, "3", True], (2, 3, -1)),
        ([10**400, 2**60, -7], (-1, -1, -1)),
        (None, (-1,)),
        ("1x2", (-1,)),
    ],
)
def test_dimensions_never_fail_and_never_count_as_zero(dimensions, expected):
    tensor = read_tensor({"Name": "t", "Dimensions": dimensions, "Format/Datatype": "Half"})
    assert tensor.dimensions == expected
    assert (tensor.size_bytes is None) == (-1 in expected)


def test_a_tensor_without_dimensions_has_no_known_size():
    assert read_tensor({"Name": "t", "Format/Datatype": "Half"}).size_bytes is None


def test_weights_of_every_spelling():
    record = {
        "Weights": {"Type": "Half", "Count": 10},
        "Bias": {"Type": "Float", "Count": 2},
        "ConvWeights": {"Type": "Strange", "Count": 4},
        "ConvBias": {"Type": "Int8", "Count": 0},
        "weights": {"Type": "FP8", "Count": 3},
    }
    found = read_weights(record)
    assert [(each.role, each.data_type, each.size_bytes) for each in found] == [
        ("weights", "FP16", 20),
        ("weights", "unknown", None),
        ("bias", "FP32", 8),
        ("constant", "FP8", 3),
    ]
    assert read_weights({"Weights": 3, "Bias": {"Count": "many"}}) == (Weights("bias", "unknown", None),)


@given(st.text(max_size=60), st.text(max_size=20), st.lists(st.integers(-2, 2**50), max_size=6))
def test_any_text_is_kept_and_sized_or_unknown(text, data_type, dimensions):
    found = parse_format(text, data_type)
    assert text.strip() in found.text
    size = found.size_bytes(dimensions)
    assert size is None or size >= 0
    assert isinstance(found.short, str)


@given(st.text(max_size=20))
def test_canonical_names_are_their_own(text):
    found = canonical_data_type(text)
    assert canonical_data_type(found) == found


@given(st.recursive(st.none() | st.integers() | st.floats() | st.text(max_size=5), st.lists, max_leaves=6))
def test_any_value_can_stand_for_a_tensors_fields(value):
    keys = ("Name", "Dimensions", "Format/Datatype", "Datatype", "Location")
    tensor = read_tensor(dict.fromkeys(keys, value))
    assert isinstance(tensor, Tensor)
    assert isinstance(tensor.format, DataFormat)
    assert json.dumps(tensor.dimensions)
