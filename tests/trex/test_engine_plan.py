"""The Python interface beside TREx: its figures for real engines, and its habits on plans made by hand."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import warnings

import pytest
from small_plans import (
    FP32,
    layer,
    quiet,
    small_layers,
    small_profile,
    tensor,
)

from trexreport import (
    EnginePlan,
    clean_for_display,
    group_count,
    group_mean_attr,
    group_sum_attr,
)
from trexreport.errors import InputError, UsageError


def test_programs_may_use_trexs_private_name_of_the_table(plan):
    assert plan._df is plan.df
    plan._df = plan.df[plan.df["latency.avg_time"] > 2]
    assert list(plan.df["latency.avg_time"]) == [3.0, 4.0]


def test_times_are_joined_by_name_not_by_position(plan):
    assert list(plan.df["latency.avg_time"]) == [3.0, 2.0, 4.0, 1.0]
    assert list(plan.df["latency.time"]) == [30.0, 20.0, 40.0, 10.0]
    assert list(plan.df["latency.median_time"]) == pytest.approx([2.7, 1.8, 3.6, 0.9])
    assert list(plan.df["latency.pct_time"]) == pytest.approx([20, 40 / 3, 80 / 3, 20 / 3])
    assert plan.total_runtime == 10.0


def test_metadata_separators_become_plus(plan):
    assert plan.df["Metadata"][0] == "[ONNX Layer: c]+[ONNX Layer: r]"
    assert plan.layers[0].metadata == "[ONNX Layer: c]+[ONNX Layer: r]"


@pytest.mark.parametrize(
    ("layout", "precision", "bits"),
    [
        ("Row major linear FP32", "FP32", 32),
        ("Row major linear FP16 format", "FP16", 16),
        ("Channel major BF16 format where channel % 8 == 0", "BF16", 16),
        ("BFloat16", "BF16", 16),
        ("FP8", "FP8", 8),
        ("Row major linear INT64", "INT64", 64),
        ("Bool", "Bool", 8),
        ("Int4", "INT4", 4),
        ("FP4E2M1", "FP4", 4),
        ("Row major Int8 format", "INT8", 8),
    ],
)
def test_every_data_type_has_its_true_size(layout, precision, bits):
    plan = quiet([layer("x", "Shuffle", [tensor("in", (3, 5), layout)], [tensor("out", (3, 5), layout)])])
    activation = plan.layers[0].inputs[0]
    assert (activation.precision, activation.data_size) == (precision, bits / 8)
    assert activation.size_bytes == math.ceil(15 * bits / 8)
    assert plan.df["total_io_size_bytes"][0] == 2 * activation.size_bytes


def test_sizes_leave_padding_out_and_unknown_sizes_count_as_nothing():
    padded = "Thirty-two wide channel vectorized row major Int8 format"
    plan = quiet(
        [layer("x", "Shuffle", [tensor("in", (1, 3, 2, 2), padded)], [tensor("out", (-1, 3), FP32)])]
    )
    assert plan.layers[0].inputs_size_bytes == 12
    assert plan.layers[0].outputs_size_bytes == 0
    assert plan.layers[0].inputs[0].format == "Int8 NC/32HW32"


def test_layers_without_inputs_have_no_precision():
    plan = quiet([layer("start", "TrainStation"), layer("x", "Shuffle", ["in"], ["out"])])
    assert plan.layers[0].precision is None
    assert list(plan.df["precision"]) == [None, "FP32"]
    assert clean_for_display(plan.df)["Inputs"][0] == ""


def test_without_a_profile_times_are_zero_and_a_warning_says_so(files):
    with pytest.warns(UserWarning, match="no profile"):
        plan = EnginePlan(files[0])
    columns = ["latency.time", "latency.avg_time", "latency.median_time", "latency.pct_time"]
    assert (plan.df[columns] == 0.0).all(axis=None)
    assert plan.total_runtime == 0
    assert list(plan.get_layers_by_type("Convolution")["attr.compute_efficiency"]) == [0, 0]


def test_a_profile_of_some_layers_warns_and_leaves_the_rest_at_zero(files):
    files[1].write_text(json.dumps(small_profile(("pool",))), encoding="utf-8")
    with pytest.warns(UserWarning, match=r"x\.engine\.profile\.json.*conv1"):
        plan = EnginePlan(*files)
    assert list(plan.df["latency.avg_time"]) == [0.0, 1.0, 0.0, 0.0]


def test_a_profile_without_medians_has_nan_there(files):
    rows = [{key: value for key, value in row.items() if key != "medianMs"} for row in small_profile()]
    files[1].write_text(json.dumps(rows), encoding="utf-8")
    frame = EnginePlan(*files).df
    assert frame["latency.median_time"].isna().all()
    assert list(frame["latency.avg_time"]) == [3.0, 2.0, 4.0, 1.0]


def test_keyword_names_and_lists_of_layers(files):
    plan = EnginePlan(graph=files[0], profile=files[1])
    assert plan.name == "x.engine.graph.json"
    assert plan.total_runtime == 10
    listed = EnginePlan(small_layers(), files[1], name="mine")
    assert listed.name == "mine"
    assert list(listed.df["latency.avg_time"]) == list(plan.df["latency.avg_time"])
    assert [each.name for each in listed.get_bindings()[0]] == ["in"]
    with pytest.raises(UsageError, match="graph file"):
        EnginePlan()
    with pytest.raises(UsageError, match="twice"):
        EnginePlan(files[0], graph=files[0])
    with pytest.raises(InputError, match=r"missing\.json"):
        EnginePlan(files[0], files[0].with_name("missing.json"))


def test_sibling_files_are_not_taken_without_being_asked_for(files):
    assert not quiet(files[0]).engine.is_profiled


def test_optimization_profiles():
    names = ["a", "a [profile 1]", "a [profile 12]"]
    graph = [layer(name, "Shuffle", [f"in{n}"], [f"out{n}"]) for n, name in enumerate(names)]
    assert [each.name for each in quiet(graph).layers] == ["a"]
    assert [each.name for each in quiet(graph, profile_id=12).layers] == ["a [profile 12]"]


def test_literal_one_liners_of_the_notebooks(plan):
    assert list(plan.df.nlargest(3, "latency.pct_time")["Name"]) == ["conv2", "conv1", "pool"]
    summed = plan.df.groupby(["type"]).sum()[["latency.avg_time"]]
    assert dict(summed["latency.avg_time"]) == {"Convolution": 7.0, "Pooling": 2.0, "Reformat": 1.0}
    assert dict(plan.df.groupby(["type"]).sum(numeric_only=True)["latency.avg_time"]) == {
        "Convolution": 7.0,
        "Pooling": 2.0,
        "Reformat": 1.0,
    }
    assert plan.df["total_io_size_bytes"].describe()["count"] == 4
    assert plan.df.query('type == "Convolution"').shape[0] == 2
    assert plan.df[plan.df["Origin"] == "QDQ"]["Name"].tolist() == ["cast"]


def test_lists_and_records_join_under_sum(plan):
    summed = plan.df.groupby(["type"]).sum()
    assert summed["Weights"]["Convolution"] == [
        {"Type": "Float", "Count": 288},
        {"Type": "Float", "Count": 576},
    ]
    assert [each["Name"] for each in summed["Inputs"]["Convolution"]] == ["in", "c"]
    assert isinstance(plan.df["Weights"][0], dict)
    assert isinstance(plan.df["Inputs"][0], list)


def test_attributes_that_a_layer_lacks_are_zero(plan):
    pool = plan.df.iloc[1]
    assert [pool[key] for key in ("Groups", "Origin", "Kernel", "Weights")] == [0, 0, 0, 0]
    assert (plan.df["Kernel"] != 0).tolist() == [True, False, True, False]
    assert plan.df["Groups"].dtype == "int32"


def test_columns_of_mixed_values_can_be_added_up():
    values = [1, "text", [1, 2], {"a": 1}, None, 2.5, True, 10**400]
    graph = [
        layer(f"l{n}", "Shuffle", ["in"], [f"t{n}"], Odd=value, Number=value if n in (0, 7) else 1)
        for n, value in enumerate(values)
    ]
    frame = quiet(graph).df
    assert frame.groupby("type").sum()["Odd"]["Shuffle"]
    assert frame["Number"].sum() == math.inf


def test_keys_of_the_file_never_hide_a_computed_column():
    odd = {
        "type": 7,
        "precision": {},
        "latency.avg_time": "x",
        "tactic": [],
        "subtype": 1,
        "weights_size": None,
    }
    plan = quiet([layer("x", "Shuffle", ["in"], ["out"], **odd)])
    row = plan.df.iloc[0]
    assert (row["type"], row["precision"], row["tactic"], row["subtype"]) == (
        "Shuffle",
        "FP32",
        "TensorRT",
        "Shuffle",
    )
    assert (row["latency.avg_time"], row["weights_size"]) == (0.0, 0)


def test_hostile_texts_are_kept_as_cells():
    names = ["<script>alert(1)</script>", '"quoted\\', "a\x00b", "\ud800", "=1+1", "x" * 100_000, ""]
    plan = quiet(
        [layer(name, "Shuffle", ["in"], [f"t{n}"], Note=name) for n, name in enumerate(names)], name="<b>"
    )
    assert len(plan.df) == len(names)
    plan.df.groupby("type").sum()
    page = plan._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


@pytest.mark.parametrize(
    ("layer_type", "raw", "columns"),
    [
        ("PointWise", {"NbOperations": 2, "Operations": ["a", "b"], "NbInputArgs": 1},
         {"attr.n_operations": 2, "attr.operations": ["a", "b"], "attr.n_input_args": 1}),
        ("Reformat", {"Origin": "QDQ"}, {"attr.origin": "QDQ"}),
        ("Pooling", {"PoolingType": "MAX", "WindowSize": [2], "PaddingMode": "p", "Stride": [2]},
         {"attr.pooling_type": "MAX", "attr.window_size": [2], "attr.padding_mode": "p", "attr.stride": [2]}),
        ("Scale", {"Mode": "UNIFORM", "Shift": {"Count": 1}, "Scale": {"Count": 2}, "Power": {},
                   "Activation": "NONE", "ChannelAxis": 1},
         {"attr.mode": "UNIFORM", "attr.shift": {"Count": 1}, "attr.scale": {"Count": 2}, "attr.power": {},
          "attr.activation": "NONE", "attr.ch_axis": 1}),
        ("Shuffle", {"FirstTranspose": [0, 1], "SecondTranspose": [1, 0], "Reshape": "nbDims=2"},
         {"attr.first_transpose": [0, 1], "attr.second_transpose": [1, 0], "attr.reshape": "nbDims=2"}),
        ("Resize", {"ResizeMode": "kNEAREST", "ResizeScales": [1, 2]},
         {"attr.mode": "kNEAREST", "attr.scales": [1, 2]}),
        ("Slice", {"Start": [0], "Stride": [1], "Size": [4], "Mode": "kDEFAULT"},
         {"attr.start": [0], "attr.stride": [1], "attr.size": [4], "attr.mode": "kDEFAULT"}),
    ],
)  # fmt: skip
def test_attributes_of_other_types(layer_type, raw, columns):
    graph = [layer("x", "Something", ["in"], ["out"], ParameterType=layer_type, **raw)]
    row = quiet(graph).get_layers_by_type(layer_type).iloc[0]
    assert {name: row[name] for name in columns} == columns


def test_a_type_that_no_layer_has(plan):
    assert len(plan.get_layers_by_type("Nonsense")) == 0
    assert "latency.avg_time" in plan.get_layers_by_type("Convolution".lower()).columns


def test_bindings_keep_the_order_of_the_file(tmp_path):
    path = tmp_path / "x.graph.json"
    names = [f"in{n}" for n in (3, 1, 2)]
    graph = {"Layers": [layer("l", "Shuffle", sorted(names), ["z", "y"])], "Bindings": [*names, "z", "y"]}
    path.write_text(json.dumps(graph), encoding="utf-8")
    plan = quiet(path)
    inputs, outputs = plan.get_bindings()
    assert [each.name for each in inputs] == names
    assert [each.name for each in outputs] == ["z", "y"]
    assert plan.bindings == [*names, "z", "y"]


def test_summary_prints_its_blocks(plan, capsys):
    plan.summary()
    printed = capsys.readouterr().out
    assert "Model:\n\tInputs: in: [1, 4, 4, 4]xFP32 NCHW\n" in printed
    assert "\tAverage time: 10.000 ms\n\tLayers: 4\n" in printed
    for title in ("Device Properties:", "Builder Configuration:", "Performance Summary:"):
        assert title in printed


def test_metadata_files(files, tmp_path):
    measured = tmp_path / "p.json"
    latency = [0.2, 0.4, 0.3, 0.31, 0.35, 0.36, 0.38]
    measured.write_text(
        json.dumps(
            {
                "performance_summary": {"Throughput": 100.0, "Latency": latency},
                "inference_options": {},
                "device_information": {"SMs": 108.0, "Compute Clock Rate": 1.41, "Selected Device": "A100"},
            }
        ),
        encoding="utf-8",
    )
    built = tmp_path / "b.json"
    built.write_text(
        json.dumps({"model_options": {"Format": "ONNX"}, "build_options": {"Precision": "FP16"}}),
        encoding="utf-8",
    )
    plan = EnginePlan(*files, profile_metadata=measured, build_metadata=built)
    assert plan.performance_summary == {"Throughput": 100.0, "Latency": latency}
    assert plan.device_properties == {"SMs": 108.0, "Compute Clock Rate": 1.41, "Selected Device": "A100"}
    assert plan.builder_cfg == {"Format": "ONNX", "Precision": "FP16"}


def test_display_helpers(plan):
    assert group_count(plan.df, "type").to_dict("records")[0] == {"type": "Convolution", "count": 2}
    summed = group_sum_attr(plan.df, "precision", "latency.avg_time")
    assert dict(zip(summed["precision"], summed["latency.avg_time"], strict=True)) == {
        "FP16": 1.0,
        "FP32": 9.0,
    }
    assert group_mean_attr(plan.df, "type", "latency.avg_time")["latency.avg_time"].tolist() == [
        3.5,
        2.0,
        1.0,
    ]
    shown = clean_for_display(plan.df)
    assert list(shown.columns)[:4] == ["Name", "type", "Inputs", "Outputs"]
    assert not {"subtype", "TacticValue", "precision", "total_io_size_bytes"} & set(shown.columns)
    assert shown["Inputs"][0] == "FP32 NCHW"
    assert isinstance(plan.df["Inputs"][0], list)


def test_tooltip_lists_the_raw_attributes(plan):
    # Graphviz's line break ends each line.
    lines = plan.layers[0].tooltip().split("\\n")[:-1]
    assert "TacticName:a_kernel" in lines
    assert not any(line.startswith(("Inputs", "Outputs", "ParameterType", "LayerName")) for line in lines)
    assert lines == sorted(lines)


def test_a_plan_of_names_only():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plan = EnginePlan(["conv1", "relu"], name="names")
    assert any("detailed" in str(each.message) for each in caught)
    assert list(plan.df["Name"]) == ["conv1", "relu"]
    assert plan.df.groupby("type").sum()["latency.avg_time"].tolist() == [0.0]


def test_pandas_is_not_imported_before_the_table_is_asked_for(files):
    code = (
        "import sys, warnings; warnings.simplefilter('ignore');"
        "from trexreport import EnginePlan; plan = EnginePlan(sys.argv[1]); plan.summary_dict();"
        "assert 'pandas' not in sys.modules; plan.df; assert 'pandas' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(files[0])], check=True)
