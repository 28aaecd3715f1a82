"""The Python interface beside TREx on generated engines: its figures are plain arithmetic on the files."""

from __future__ import annotations

import json
import math

import pytest
from trex_oracle import ENGINES

from trexreport import EnginePlan, layer_type_formatter, to_dot

#: TREx's names for the types of kernels.
TYPES = {
    "CaskConvolution": "Convolution",
    "CaskPooling": "Pooling",
    "CudaPooling": "Pooling",
    "CudnnPooling": "Pooling",
    "TiledPooling": "Pooling",
    "CudaSoftMax": "SoftMax",
    "Padding": "Slice",
}
BYTES = {"Float": 4, "Half": 2, "Int8": 1}


class Raw:
    """The files of one capture."""

    def __init__(self, folder):
        (graph,) = folder.glob("*.graph.json")
        (profile,) = folder.glob("*.engine.profile.json")
        self.graph, self.profile = graph, profile
        document = json.loads(graph.read_text("utf-8"))
        # TREx leaves out what does nothing.
        self.layers = [layer for layer in document["Layers"] if layer["LayerType"] != "NoOp"]
        self.bindings = document["Bindings"]
        self.rows = {row["name"]: row for row in json.loads(profile.read_text("utf-8"))[1:]}

    def sum_of(self, key):
        return math.fsum(self.rows[layer["Name"]][key] for layer in self.layers)


@pytest.fixture(scope="module", params=ENGINES)
def pair(request, generated_engines):
    raw = Raw(generated_engines / request.param)
    return raw, EnginePlan(raw.graph, raw.profile)


def type_of(layer):
    return TYPES.get(layer["LayerType"], layer["LayerType"])


def test_every_layer_has_its_row(pair):
    raw, plan = pair
    assert list(plan.df["Name"]) == [layer["Name"] for layer in raw.layers]
    assert list(plan.df["type"]) == [type_of(layer) for layer in raw.layers]
    assert list(plan.df["tactic"]) == [layer.get("TacticName", "TensorRT") for layer in raw.layers]
    for column, key in (("avg", "averageMs"), ("median", "medianMs")):
        times = [raw.rows[layer["Name"]][key] for layer in raw.layers]
        assert list(plan.df[f"latency.{column}_time"]) == times


def test_totals_and_groups(pair):
    raw, plan = pair
    assert plan.total_runtime == pytest.approx(raw.sum_of("averageMs"))
    assert plan.df["latency.median_time"].sum() == pytest.approx(raw.sum_of("medianMs"))
    assert plan.df["latency.pct_time"].sum() == pytest.approx(100, abs=0.01)
    grouped = plan.df.groupby("type")
    assert set(grouped.groups) == {type_of(layer) for layer in raw.layers}
    for name, times in grouped["latency.avg_time"]:
        alike = [raw.rows[layer["Name"]]["averageMs"] for layer in raw.layers if type_of(layer) == name]
        assert len(times) == len(alike)
        assert times.sum() == pytest.approx(math.fsum(alike))


def test_weights_and_work_of_convolutions(pair):
    raw, plan = pair
    frame = plan.get_layers_by_type("Convolution")
    convolutions = [layer for layer in raw.layers if type_of(layer) == "Convolution"]
    assert len(frame) == len(convolutions) >= 20
    for row, layer in zip(frame.to_dict("records"), convolutions, strict=True):
        batch, maps, *extent = layer["Outputs"][0]["Dimensions"]
        channels = layer["Inputs"][0]["Dimensions"][1]
        taps = math.prod(layer["Kernel"])
        assert row["attr.macs"] == batch * maps * math.prod(extent) * channels * taps
        assert (row["attr.M"], row["attr.N"]) == (batch * math.prod(extent), maps)
    weights = plan.df[plan.df["type"] == "Convolution"]["weights_size"]
    # TREx counts no biases.
    assert list(weights) == [
        layer["Weights"]["Count"] * BYTES[layer["Weights"]["Type"]] for layer in convolutions
    ]


def test_bindings_and_the_slowest(pair):
    raw, plan = pair
    assert plan.bindings == raw.bindings
    inputs, outputs = plan.get_bindings()
    assert [each.name for each in (*inputs, *outputs)] == raw.bindings
    slowest = sorted(raw.layers, key=lambda layer: -raw.rows[layer["Name"]]["averageMs"])[:10]
    assert list(plan.df.nlargest(10, "latency.avg_time")["Name"]) == [layer["Name"] for layer in slowest]


def test_the_drawing_has_every_layer_and_every_use(pair):
    """A node for each layer that does something and for each binding; an edge for each use of a tensor."""
    raw, plan = pair
    graph = to_dot(plan, layer_type_formatter)
    assert graph.node_count >= len(raw.layers) + len(raw.bindings)
    assert graph.edge_count >= graph.node_count - 1
    for layer in raw.layers:
        assert layer["Name"].split(" + ", maxsplit=1)[0][:20] in graph.source.replace("\u00a0", " ")


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
def test_one_liners_of_the_notebooks_on_other_kinds_of_engines(generated_engines, graph, profile, capsys):
    path = generated_engines / graph
    plan = EnginePlan(path, path.with_name(profile) if profile else None)
    frame = plan.df
    by_type = frame.groupby(["type"]).sum()[["latency.avg_time"]]
    assert by_type["latency.avg_time"].sum() == pytest.approx(plan.total_runtime)
    assert len(frame.groupby("precision").sum(numeric_only=True)) == frame["precision"].nunique()
    assert not frame["latency.avg_time"].isna().any()
    assert len(frame) > 10
    plan.summary()
    assert f"Layers: {len(frame)}" in capsys.readouterr().out
    assert not set(frame["type"]) & {"NoOp", "Constant", "signal", "wait", "shape_call"}
