"""On real engines the table equals TREx's own."""

from __future__ import annotations

import json

import pytest
from trex_oracle import ENGINES, SHARED

from trexreport import (
    EnginePlan,
    clean_for_display,
    summary_dict,
)

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
