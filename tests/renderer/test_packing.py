"""What the page's script unpacks is what was packed."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.numbers import format_number
from trexreport.reader import read_engine
from trexreport.renderer.packing import (
    columns_of,
    encoded_apart,
    in_columns,
    json_lines,
    pack_for_script,
    pack_pieces,
    six_digits,
)
from trexreport.renderer.page_data import attribute_lines, page_data

SAMPLES = Path(__file__).parents[2] / "samples"
SCALARS = (
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, -1.5, "", "1", "null", "é"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)
RECORDS = st.lists(st.dictionaries(st.sampled_from(["name", "type", "__proto__"]), VALUES), max_size=30)


def from_columns(packed):
    """Do what `fromColumns` in static/js/data/unpack.js does."""
    records = [{} for _ in range(packed["count"])]
    for key, values, *which in packed["columns"]:
        for at, record in enumerate(records):
            value = values[which[0][at] if which else at]
            if value is not None:
                record[key] = value
    return records


@given(RECORDS)
def test_records_come_back_without_their_empty_values(records):
    packed = json.loads(json.dumps(in_columns(records)))
    known = [{key: value for key, value in record.items() if value is not None} for record in records]
    # As text: to Python 1, 1.0 and True are equal.
    assert json.dumps(from_columns(packed), sort_keys=True) == json.dumps(known, sort_keys=True)


def test_what_many_share_is_written_once():
    packed = in_columns([{"type": "gemm", "ms": index} for index in range(6)])
    assert packed == {"count": 6, "columns": [["type", ["gemm"], [0] * 6], ["ms", [0, 1, 2, 3, 4, 5]]]}


@given(st.binary(max_size=2000))
def test_bytes_come_back_and_are_packed_alike_each_time(data):
    packed = pack_for_script(data)
    assert gzip.decompress(base64.b64decode(packed)) == data
    assert packed == pack_for_script(data)
    header = base64.b64decode(packed)[:10]
    assert header[4:8] == bytes(4), "no time"
    assert header[9] == 255, "no system"


@given(st.binary(max_size=2000), st.integers(1, 500))
def test_pieces_are_packed_as_the_whole_is(data, size):
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert gzip.decompress(base64.b64decode(pack_pieces(pieces, 6))) == data


@pytest.fixture(scope="module")
def analysis():
    return analyze(read_engine(SAMPLES / "resnet18-int8-before"))


@given(st.lists(st.recursive(st.none() | st.text() | st.just("\x1e"), st.lists, max_leaves=5)))
@example([])
@example(["\x1e"])
@example([["a", "\x1e", "b"], ["\x1e", "\x1e"], 'a,"\x1e",b'])
def test_lines_of_json_are_those_of_each_value(values):
    assert json_lines(values) == "\n".join(json.dumps(value, separators=(",", ":")) for value in values)
    spaced = json.JSONEncoder()
    assert encoded_apart(values, spaced) == [spaced.encode(value) for value in values]


def test_each_layer_has_its_line_of_attributes(analysis):
    lines = b"".join(attribute_lines(analysis)).decode("ascii").split("\n")
    assert [json.loads(line) for line in lines] == [layer.attributes for layer in analysis.layers]


def test_times_are_as_measured_and_computed_figures_as_good_as_six_digits(analysis):
    layers = from_columns(page_data(analysis, {})["layers"])
    assert [layer.get("avg_ms") for layer in layers] == [layer.avg_ms for layer in analysis.layers]
    for layer, facts in zip(layers, analysis.layers, strict=True):
        pairs = (
            (layer.get("share_percent"), facts.share_percent),
            (layer.get("bandwidth_gbs"), facts.bandwidth_gbs),
        )
        for shown, exact in pairs:
            assert shown == (None if exact is None else pytest.approx(exact, rel=5e-6))


@given(st.floats(1e-6, 1e9))
@example(6.1249996)
@example(64.949999)
@example(0.01625000001)
def test_a_figure_of_six_digits_is_shown_as_the_exact_one(value):
    assert format_number(six_digits(value)) == format_number(value)
    assert format_number(six_digits(value), 4) == format_number(value, 4)
    assert six_digits(value) == pytest.approx(value, rel=5e-6)


def test_equal_values_that_are_written_differently_stay_apart():
    values = [0.0, -0.0, 0.0, -0.0, 0.0, -0.0]
    assert json.dumps(from_columns(columns_of(6, {"ms": values}))) == json.dumps(
        [{"ms": value} for value in values]
    )
    mixed = [1, True, 1.0, 1, True, 1.0]
    assert json.dumps(from_columns(columns_of(6, {"n": mixed}))) == json.dumps(
        [{"n": value} for value in mixed]
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(6.1249996)
@example(150000.0)
@example(1.5e-7)
def test_a_figure_is_as_its_six_digits_unless_they_are_a_tie(value):
    digits = f"{abs(value):.5e}".partition("e")[0].replace(".", "").rstrip("0")
    is_tie = digits.endswith("5") and len(digits) < 6
    assert six_digits(value) == (value if is_tie else float(f"{value:.6g}"))
