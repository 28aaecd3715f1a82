"""The Python interface beside TREx: its figures for real engines, and its habits on plans made by hand."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import warnings

import pytest
from trex_oracle import ENGINES, SHARED

from trexreport import (
    EnginePlan,
    clean_for_display,
    group_count,
    group_mean_attr,
    group_sum_attr,
    summary_dict,
)
from trexreport.errors import InputError, UsageError

FP32 = "Row major linear FP32"
FP16 = "Row major linear FP16"


# --- Real engines -------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=ENGINES)
def pair(request):
    """A plan and what TREx 0.2.1 computes of the same engine."""
    oracle = SHARED / "oracle" / f"{request.param}.json"
    if not oracle.exists():
        pytest.skip("the engines are not beside this checkout")
    graph = next((SHARED / "engines" / request.param).glob("*.graph.json"))
    base = str(graph).removesuffix(".graph.json")
    plan = EnginePlan(
        graph, f"{base}.profile.json", f"{base}.profile.metadata.json", f"{base}.build.metadata.json"
    )
    return plan, json.loads(oracle.read_text(encoding="utf-8"))


@pytest.mark.engines
def test_columns_are_trexs_in_trexs_order(pair):
    plan, oracle = pair
    assert list(plan.df.columns) == oracle["df_columns"]
    assert len(plan.df) == oracle["layer_count"]


@pytest.mark.engines
def test_totals(pair):
    plan, oracle = pair
    assert plan.total_runtime == pytest.approx(oracle["total_latency_ms"])
    assert plan.df["latency.pct_time"].sum() == pytest.approx(oracle["total_latency_pct"])
    assert plan.df["latency.median_time"].sum() == pytest.approx(oracle["median_total_ms"])
    assert plan.total_act_size == oracle["total_activations_bytes"]
    overlooked = sum(layer.weights_size for layer in plan.layers if layer.type == "ConvActPool")
    assert plan.total_weights_size == oracle["total_weights_bytes"] + overlooked
    assert plan.df["total_footprint_bytes"].sum() == oracle["total_footprint_bytes"] + overlooked


@pytest.mark.engines
@pytest.mark.parametrize(
    ("table", "keys"),
    [
        ("by_type", ["type"]),
        ("by_precision", ["precision"]),
        ("by_output_precision", ["output_precision"]),
        ("by_subtype", ["subtype"]),
        ("by_type_precision", ["type", "precision"]),
    ],
)
def test_groups(pair, table, keys):
    plan, oracle = pair
    grouped = plan.df.groupby(keys)
    for row in oracle[table]:
        key = tuple(row[each] for each in keys) if len(keys) > 1 else row[keys[0]]
        assert grouped.size()[key] == row["count"]
        assert grouped["latency.avg_time"].sum()[key] == pytest.approx(row["latency_ms"])
        assert grouped["latency.pct_time"].sum()[key] == pytest.approx(row["pct"])
    assert len(grouped) == len(oracle[table])


@pytest.mark.engines
def test_each_layer(pair):
    plan, oracle = pair
    columns = {
        "name": "Name",
        "type": "type",
        "subtype": "subtype",
        "precision": "precision",
        "output_precision": "output_precision",
        "tactic": "tactic",
        "avg_ms": "latency.avg_time",
        "median_ms": "latency.median_time",
        "pct": "latency.pct_time",
        "io_bytes": "total_io_size_bytes",
        "weights_bytes": "weights_size",
        "footprint_bytes": "total_footprint_bytes",
    }
    checked = list(zip(plan.df.to_dict("records"), oracle["layers"], strict=True))
    assert checked
    for ours, theirs in checked:
        for key, column in columns.items():
            # TREx does not see the weights of a ConvActPool.
            if not (ours["type"] == "ConvActPool" and key in ("weights_bytes", "footprint_bytes")):
                assert ours[column] == theirs[key], (ours["Name"], column)


@pytest.mark.engines
def test_convolutions(pair):
    plan, oracle = pair
    frame = plan.get_layers_by_type("Convolution")
    assert frame["attr.macs"].dtype == "int64"
    for ours, theirs in zip(frame.to_dict("records"), oracle["convolutions"], strict=True):
        assert {key: ours[key] for key in theirs} == {
            key: pytest.approx(value) if isinstance(value, float) else value for key, value in theirs.items()
        }


@pytest.mark.engines
def test_bindings_and_summary(pair):
    plan, oracle = pair
    assert plan.bindings == oracle["bindings"]
    for found, wanted in zip(plan.get_bindings(), (oracle["inputs"], oracle["outputs"]), strict=True):
        assert [
            {
                "name": each.name,
                "shape": each.shape,
                "format": each.format,
                "precision": each.precision,
                "size_bytes": each.size_bytes,
            }
            for each in found
        ] == wanted
    assert plan.summary_dict() == summary_dict(plan) == oracle["summary"]


@pytest.mark.engines
def test_settings(pair):
    plan, oracle = pair
    assert plan.device_properties == oracle["device_properties"]
    assert plan.performance_summary == oracle["performance_summary"]
    # Of the memory pools TREx keeps the word "workspace"; the model's path depends on who built it.
    wanted = {key: text for key, text in oracle["builder_cfg"].items() if key != "Memory Pools"}
    wanted["Model"] = plan.builder_cfg["Model"]
    assert plan.builder_cfg == wanted


@pytest.mark.engines
def test_the_slowest_and_the_tactics(pair):
    plan, oracle = pair
    slowest = plan.df.nlargest(10, "latency.pct_time")
    assert list(slowest["Name"]) == [row["name"] for row in oracle["top10"]]
    assert list(slowest["latency.avg_time"]) == [row["avg_ms"] for row in oracle["top10"]]


@pytest.mark.engines
@pytest.mark.parametrize(
    ("graph", "profile"),
    [
        ("thor-driving-transformer-trt10/layers_tofp16.json", "profile_tofp16.json"),
        ("controlnet-trt8.6/layerinfo.json", "profile.json"),
        ("orin-bev-trt8.6/layers_.json", "profile_.json"),
        ("names-only-bert/layer_info.json", "profile.json"),
        ("rtx3060-mobilenetv2-torchtrt/trt_engine_info.json", "trt_layer_latency.json"),
        ("torchtrt-alexnet-runonacc/_run_on_acc_0_engine_layer_information.json", None),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_one_liners_of_the_notebooks_on_engines_that_trex_fails_on(graph, profile, capsys):
    path = SHARED / "engines" / graph
    if not path.exists():
        pytest.skip("the engines are not beside this checkout")
    plan = EnginePlan(path, path.with_name(profile) if profile else None)
    frame = plan.df
    by_type = frame.groupby(["type"]).sum()[["latency.avg_time"]]
    assert by_type["latency.avg_time"].sum() == pytest.approx(plan.total_runtime)
    assert len(frame.groupby("precision").sum(numeric_only=True)) == frame["precision"].nunique()
    assert not frame["latency.avg_time"].isna().any()
    for layer_type in frame["type"].unique():
        assert len(plan.get_layers_by_type(layer_type)) == (frame["type"] == layer_type).sum()
    assert len(clean_for_display(frame)) == len(frame)
    plan.summary()
    assert f"Layers: {len(frame)}" in capsys.readouterr().out
    assert not set(frame["type"]) & {"NoOp", "Constant", "signal", "wait", "shape_call"}


# --- Plans made by hand -------------------------------------------------------------------------------


def tensor(name, dimensions=(1, 8, 4, 4), layout=FP32):
    return {"Name": name, "Dimensions": list(dimensions), "Format/Datatype": layout}


def layer(name, layer_type, inputs=(), outputs=(), **more):
    as_tensors = [
        [tensor(each) if isinstance(each, str) else each for each in side] for side in (inputs, outputs)
    ]
    return {"Name": name, "LayerType": layer_type, "Inputs": as_tensors[0], "Outputs": as_tensors[1], **more}


def convolution(name, source, result, kernel=(3, 3), **more):
    maps, channels = result["Dimensions"][1], source["Dimensions"][1]
    given = {
        "ParameterType": "Convolution",
        "Kernel": list(kernel),
        "Groups": 1,
        "OutMaps": maps,
        "Stride": [1] * len(kernel),
        "Weights": {
            "Type": "Float",
            "Count": maps * channels * math.prod(kernel) // (more.get("Groups") or 1),
        },
        "Bias": {"Type": "Float", "Count": 8},
        "TacticName": "a_kernel",
    }
    return layer(name, "CaskConvolution", [source], [result], **{**given, **more})


def small_layers():
    """Two convolutions, a pooling, a reformat, with a no-op and a constant between them."""
    return [
        convolution(
            "conv1", tensor("in", (1, 4, 4, 4)), tensor("a"), Metadata="[ONNX Layer: c]\x1e[ONNX Layer: r]"
        ),
        layer("noop", "NoOp", ["a"], [tensor("b", (1, 128))]),
        layer("weights", "Constant", [], ["w"]),
        layer(
            "pool", "CaskPooling", [tensor("b", (1, 128))], ["c"], ParameterType="Pooling", WindowSize=[2, 2]
        ),
        convolution("conv2", tensor("c"), tensor("d", layout=FP16), Operations=["relu"]),
        layer("cast", "Reformat", [tensor("d", layout=FP16)], ["out"], Origin="QDQ"),
    ]


def small_profile(names=("cast", "pool", "conv1", "conv2", "noop")):
    total = sum(range(1, len(names) + 1))
    return [
        {"count": 10},
        *(
            {
                "name": name,
                "timeMs": 10.0 * position,
                "averageMs": 1.0 * position,
                "medianMs": 0.9 * position,
                "percentage": 100.0 * position / total,
            }
            for position, name in enumerate(names, start=1)
        ),
    ]


def quiet(*arguments, **options):
    """A plan, with what it warns of left aside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return EnginePlan(*arguments, **options)


@pytest.fixture
def files(tmp_path):
    graph, profile = tmp_path / "x.engine.graph.json", tmp_path / "x.engine.profile.json"
    graph.write_text(json.dumps({"Layers": small_layers(), "Bindings": ["in", "out"]}), encoding="utf-8")
    profile.write_text(json.dumps(small_profile()), encoding="utf-8")
    return graph, profile


@pytest.fixture
def plan(files):
    return EnginePlan(*files)


def test_no_ops_and_constants_are_left_out_of_the_table(plan):
    assert list(plan.df["Name"]) == ["conv1", "pool", "conv2", "cast"]
    assert [each.name for each in plan.all_layers] == ["conv1", "weights", "pool", "conv2", "cast"]
    assert [each.name for each in plan.constants] == ["weights"]


def test_programs_may_use_trexs_private_name_of_the_table(plan):
    assert plan._df is plan.df


def test_times_are_joined_by_name_not_by_position(plan):
    assert list(plan.df["latency.avg_time"]) == [3.0, 2.0, 4.0, 1.0]
    assert list(plan.df["latency.time"]) == [30.0, 20.0, 40.0, 10.0]
    assert list(plan.df["latency.median_time"]) == pytest.approx([2.7, 1.8, 3.6, 0.9])
    assert list(plan.df["latency.pct_time"]) == pytest.approx([20, 40 / 3, 80 / 3, 20 / 3])
    assert plan.total_runtime == 10.0


def test_the_consumer_of_a_no_op_reads_what_the_no_op_read(plan):
    pool = plan.find("pool")
    assert [each.name for each in pool.inputs] == ["a"]
    assert pool.inputs[0].shape == [1, 8, 4, 4]
    # The table is what the file says.
    assert plan.df["Inputs"][1] == [tensor("b", (1, 128))]


def test_chains_of_no_ops_are_folded():
    plan = quiet(
        [
            layer("first", "Shuffle", ["in"], ["a"]),
            layer("noop 1", "NoOp", ["a"], ["b"]),
            layer("noop 2", "NoOp", ["b"], ["c"]),
            layer("second", "Shuffle", ["c"], ["out"]),
        ]
    )
    assert [each.name for each in plan.find("second").inputs] == ["a"]


def test_a_no_op_that_only_names_an_output_renames_it_at_its_producer():
    graph = [layer("conv", "Shuffle", ["in"], ["a"]), layer("noop", "NoOp", ["a"], ["out"])]
    plan = quiet(graph)
    assert [each.name for each in plan.layers] == ["conv"]
    assert [each.name for each in plan.layers[0].outputs] == ["out"]
    assert plan.df["Outputs"][0][0]["Name"] == "a"
    assert [each.name for each in plan.get_bindings()[1]] == ["out"]


def test_other_readers_of_a_renamed_tensor_follow():
    graph = [
        layer("conv", "Shuffle", ["in"], ["a"]),
        layer("noop", "NoOp", ["a"], ["out"]),
        layer("next", "Shuffle", ["a"], ["out2"]),
    ]
    plan = quiet(graph)
    assert [each.name for each in plan.find("next").inputs] == ["out"]


def test_synchronization_is_dropped_however_many_follow_one_another():
    graph = [
        layer(f"s{n}", kind) for n, kind in enumerate(["signal", "wait", "wait", "shape_call", "signal"])
    ]
    plan = quiet([*graph, layer("relu", "PointWise", ["in"], ["out"])])
    assert [each.name for each in plan.all_layers] == ["relu"]


def test_names_are_readable_and_unique():
    names = ["a\x1eb", "x", "x", "x_2", "x", "a\ud800"]
    plan = quiet([layer(name, "Shuffle", ["in"], [f"t{n}"]) for n, name in enumerate(names)])
    shown = list(plan.df["Name"])
    assert shown[0] == "a+b"
    assert shown[1] == "x"
    assert len(set(shown)) == len(names)
    assert shown[5] == "a\ufffd"
    assert plan.find("a\x1eb") is plan.layers[0]
    assert plan.find("nothing") is None


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


def test_weights_leave_the_bias_out(plan):
    conv = plan.layers[0]
    assert (conv.weights_cnt, conv.weights_type, conv.weights_size) == (288, "Float", 1152)
    assert (conv.bias_cnt, conv.bias_size) == (8, 32)
    assert conv.total_io_size_bytes == (64 + 128) * 4
    assert conv.total_footprint_bytes == conv.total_io_size_bytes + 1152
    assert plan.df["weights_size"][0] == 1152


@pytest.mark.parametrize(("data_type", "size"), [("BF16", 576), ("FP8", 288), ("Int4", 144), ("INT64", 2304)])
def test_weights_of_new_types_have_a_size(data_type, size):
    weights = {"Type": data_type, "Count": 288}
    plan = quiet([convolution("c", tensor("in", (1, 4, 4, 4)), tensor("out"), Weights=weights)])
    assert plan.total_weights_size == size


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


def test_convolution_columns(plan):
    frame = plan.get_layers_by_type("Convolution")
    assert list(frame.index) == [0, 2]
    first = frame.iloc[0]
    macs = 8 * 16 * 4 * 9
    assert first["attr.macs"] == macs
    assert (first["attr.M"], first["attr.N"], first["attr.K"]) == (16, 8, 36)
    moved = 64 * 4 + 8 * 36 * 4 + 128 * 4
    assert first["attr.arithmetic_intensity"] == pytest.approx(macs / moved)
    assert first["attr.compute_efficiency"] == pytest.approx(macs / 3.0)
    assert first["attr.memory_efficiency"] == pytest.approx(moved / 3.0)
    assert first["attr.kernel"] == [3, 3]
    assert first["attr.groups"] == 1
    assert frame["attr.operations"].tolist() == [0, ["relu"]]
    assert "attr.has_relu" not in frame.columns


def test_grouped_convolutions_keep_k_whole():
    plan = quiet([convolution("c", tensor("in", (1, 8, 4, 4)), tensor("out"), Groups=8)])
    row = plan.get_layers_by_type("Convolution").iloc[0]
    assert row["attr.macs"] == 8 * 16 * 9
    assert row["attr.K"] == 72


@pytest.mark.parametrize(("rank", "macs"), [(1, 8 * 4 * 4 * 3), (3, 8 * 64 * 4 * 27)])
def test_convolutions_of_other_ranks(rank, macs):
    source, result = tensor("in", (1, 4, *(4,) * rank)), tensor("out", (1, 8, *(4,) * rank))
    frame = quiet([convolution("c", source, result, kernel=(3,) * rank)]).get_layers_by_type("Convolution")
    assert frame["attr.macs"].tolist() == [macs]


def test_convolutions_of_unknown_shape_have_no_figures():
    graph = [
        convolution("dynamic", tensor("in", (-1, 4, 4, 4)), tensor("a", (-1, 8, 4, 4))),
        convolution("odd", tensor("in", (1, 4, 4, 4)), tensor("b"), Kernel="3x3", Groups=None, OutMaps="8"),
        convolution("known", tensor("in", (1, 4, 4, 4)), tensor("out")),
    ]
    frame = quiet(graph).get_layers_by_type("Convolution")
    assert frame["attr.macs"].isna().tolist() == [True, True, False]


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


def test_a_plan_of_nothing_but_no_ops():
    plan = quiet([layer("n", "NoOp", ["in"], ["out"])])
    assert plan.df.empty
    assert len(plan.get_layers_by_type("Convolution")) == 0
    assert [each.name for each in plan.get_bindings()[1]] == ["out"]
    assert plan.df.nlargest(3, "latency.pct_time").empty
    assert plan.df.groupby(["type"]).sum()["latency.avg_time"].empty


def test_shapes_beyond_all_bounds_give_no_figures_but_do_no_harm():
    huge = [tensor(name, (2**47,) * 30) for name in ("in", "out")]
    plan = quiet([convolution("c", *huge, kernel=(3,) * 28), convolution("d", tensor("in"), huge[1])])
    assert plan.df.groupby("type").sum()["total_io_size_bytes"].tolist() == [math.inf]
    assert plan.get_layers_by_type("Convolution")["attr.macs"].isna().all()
    assert plan.summary_dict()["Activations"] == "> 2^60 MB"


def test_pandas_is_not_imported_before_the_table_is_asked_for(files):
    code = (
        "import sys, warnings; warnings.simplefilter('ignore');"
        "from trexreport import EnginePlan; plan = EnginePlan(sys.argv[1]); plan.summary_dict();"
        "assert 'pandas' not in sys.modules; plan.df; assert 'pandas' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(files[0])], check=True)
