"""The namespace of TREx: its modules, what "import *" gives, and helpers that take plain records."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from trexreport import trex
from trexreport.trex.activations import Activation, create_activations
from trexreport.trex.df_preprocessing import change_col_order, clean_df, clean_io, drop_columns, fix_df
from trexreport.trex.layer import Layer, fold_no_ops
from trexreport.trex.misc import group_sum_attr, shape_to_str, stack_dataframes, stack_dicts

FP32 = "Row major linear FP32"


def tensor(name, dimensions=(1, 8, 4, 4), layout=FP32):
    return {"Name": name, "Dimensions": list(dimensions), "Format/Datatype": layout}


def record(name, layer_type="Shuffle", source="in", result="out", **more):
    return {
        "Name": name,
        "LayerType": layer_type,
        "Inputs": [tensor(source)],
        "Outputs": [tensor(result)],
        **more,
    }


def test_star_gives_trexs_names_and_the_libraries_that_notebooks_use():
    names: dict = {}
    exec("from trexreport.trex import *", names)  # noqa: S102
    expected = {"EnginePlan", "Activation", "Layer", "fold_no_ops", "import_graph_file", "summary_dict"}
    expected |= {"pd", "np", "Dict", "List", "group_count", "clean_df", "layer_colormap", "colors", "misc"}
    assert expected <= names.keys()
    assert names["pd"].__name__ == "pandas"


def test_plotting_has_the_colors_that_it_had_in_trex_0_1():
    from trexreport.trex import colors, plotting

    assert plotting.layer_colormap is colors.layer_colormap
    assert plotting.precision_colormap is colors.precision_colormap


def test_names_of_the_package_are_those_of_its_modules():
    assert trex.group_count is importlib.import_module("trexreport.trex.misc").group_count
    assert trex.colors.precision_colormap["FP16"] == "orange"
    assert trex.colors.layer_colormap["something else"] == "gray"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = trex.nothing
    with pytest.raises(AttributeError, match="'process_engine'; use `trexreport collect` instead"):
        _ = trex.process_engine
    with pytest.raises(AttributeError, match="no attribute"):
        _ = importlib.import_module("trexreport.trex.misc").px


def test_importing_the_namespace_loads_no_table_library():
    code = "import sys, trexreport.trex as t; t.EnginePlan; assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_activation_of_a_record():
    made = Activation(tensor("x", (2, 3), "Four wide channel vectorized row major Int8 format."))
    assert (made.name, made.shape, made.format, made.precision) == ("x", [2, 3], "Int8 NC/4HW4", "INT8")
    assert (made.data_size, made.size_bytes) == (1, 6)
    assert str(made) == "x: [2, 3]xInt8 NC/4HW4"
    assert made.tooltip() == "[2, 3]\\nInt8 NC/4HW4"
    # As in TREx each is itself: sets of activations work.
    assert len({made, Activation(tensor("x"))}) == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Half", ("Half", "FP16", 2)),
        ("BFloat16", ("BFloat16", "BF16", 2)),
        ("Row major linear BOOL", ("Bool", "Bool", 1)),
        ("Channel major INT8 format where column stride % 32 == 0", ("Int8 NHWC1", "INT8", 1)),
        ("Sixteen wide channel vectorized row major FP16 format", ("FP16 NC16HW", "FP16", 2)),
        ("FloatComplex", ("FloatComplex", "FloatComplex", 0)),
        ("no such thing", ("Unknown format", "Unknown", 0)),
    ],
)
def test_formats_have_trexs_names(text, shown):
    made = Activation(tensor("x", (1,), text))
    assert (made.format, made.precision, made.data_size) == shown


def test_layer_of_a_record():
    raw = record(
        "conv", "CaskConvolution", ParameterType="Convolution", Weights={"Type": "Half", "Count": 10}
    )
    layer = Layer(raw)
    assert (layer.name, layer.type, layer.subtype, layer.precision) == (
        "conv",
        "Convolution",
        "CaskConvolution",
        "FP32",
    )
    assert (layer.weights_cnt, layer.weights_type, layer.weights_size) == (10, "Half", 20)
    assert (layer.bias_cnt, layer.bias_type, layer.bias_size, layer.metadata) == (0, None, 0, None)
    assert layer.total_footprint_bytes == 2 * 512 + 20
    assert repr(layer) == "Layer(conv)"


def test_no_ops_between_layers_of_records_are_folded():
    layers = [Layer(record("a", result="x")), Layer(record("n", "NoOp", "x", "y"))]
    layers += [Layer(record("b", source="y", result="z")), Layer(record("m", "NoOp", "z", "out"))]
    first, second = fold_no_ops(layers, ["in", "out"])
    assert [each.name for each in (*first.outputs, *second.inputs, *second.outputs)] == ["x", "x", "out"]


def test_records_become_trexs_columns():
    import pandas as pd

    frame = pd.DataFrame([record("a", Groups=2), record("b", "CaskConvolution", ParameterType="Convolution")])
    assert fix_df(frame) is frame
    assert list(frame.columns) == [
        "Name",
        "subtype",
        "Inputs",
        "Outputs",
        "Groups",
        "tactic",
        "type",
        "output_precision",
    ]
    assert frame["Groups"].tolist() == [2, 0]
    assert frame["type"].tolist() == ["Shuffle", "Convolution"]
    inputs, outputs = create_activations(frame.iloc[0])
    assert [each.name for each in (*inputs, *outputs)] == ["in", "out"]


def test_tables_change_in_place():
    import pandas as pd

    frame = fix_df(pd.DataFrame([record("a"), {**record("b"), "Inputs": [], "Outputs": []}]))
    copied = clean_df(frame, inplace=False)
    assert isinstance(frame["Inputs"][0], list)
    clean_io(frame)
    assert frame["Inputs"].tolist() == copied["Inputs"].tolist() == ["FP32 NCHW", ""]
    clean_io(frame)
    assert frame["Outputs"].tolist() == ["FP32 NCHW", ""]
    drop_columns(frame, ["Outputs", "no such column"])
    assert "Outputs" not in frame
    assert change_col_order(frame).columns[1] == "type"


def test_groups_of_several_columns():
    import pandas as pd

    frame = pd.DataFrame({"type": ["a", "a"], "x": [1, 2], "y": [3, 4]})
    assert group_sum_attr(df=frame, grouping_attr="type", reduced_attr=["x", "y"]).to_dict("records") == [
        {"type": "a", "x": 3, "y": 7}
    ]


def test_tables_side_by_side():
    import pandas as pd

    assert stack_dicts([{"a": 1}, {"b": 2}], "") == {"a": [1, ""], "b": ["", 2]}
    frames = [pd.DataFrame({"n": ["x"], "v": [1]}), pd.DataFrame({"n": ["y", "x"], "v": [2, 3]})]
    assert stack_dataframes(frames, "n", "v") == {"x": [1, 3], "y": [0, 2]}
    assert shape_to_str((1, 2)) == "[1,2]"
