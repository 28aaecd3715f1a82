"""Small plans for tests of TREx's charts and comparisons."""

from __future__ import annotations

import json
import warnings

from trexreport import EnginePlan

INT8, FP16, FP32 = "Row major Int8 format", "Row major linear FP16 format", "Row major linear FP32"


def tensor(name, layout=FP16, dimensions=(2, 8, 4, 4)):
    return {"Name": name, "Dimensions": list(dimensions), "Format/Datatype": layout}


def layer(name, kind, inputs, outputs, **more):
    return {
        "Name": name,
        "LayerType": kind,
        "ParameterType": kind,
        "Inputs": inputs,
        "Outputs": outputs,
        **more,
    }


def convolution(name, source, result, **more):
    given = {"Kernel": [3, 3], "Groups": 1, "OutMaps": 8, "TacticName": f"kernel of {name}"}
    weights = {"Weights": {"Type": "Half", "Count": 576}}
    return layer(name, "Convolution", [source], [result], **given, **weights, **more)


def small_layers(precision=FP16):
    """A quantizing reformat, two convolutions and pointwise operations between them."""
    return [
        layer("q", "Reformat", [tensor("in", FP32)], [tensor("a", precision)], Origin="QDQ"),
        convolution("c1", tensor("a", precision), tensor("b", precision)),
        layer(
            "add",
            "PointWise",
            [tensor("b", precision), tensor("a", precision)],
            [tensor("c", precision)],
            Operations=["const auto x = a + b", "const auto y = relu(x)"],
            NbOperations=2,
        ),
        convolution("c2", tensor("c", precision), tensor("out", precision)),
    ]


def make_plan(folder, layers=None, name="small", throughput=None):
    """A plan whose first layer takes 1 ms, the second 2 ms and so on."""
    layers = small_layers() if layers is None else layers
    total = sum(range(len(layers) + 1))
    rows = [
        {
            "name": each["Name"],
            "timeMs": 10.0 * at,
            "averageMs": 1.0 * at,
            "medianMs": 1.0 * at,
            "percentage": 100 * at / total,
        }
        for at, each in enumerate(layers, start=1)
    ]
    graph, profile, measured = (folder / f"{name}.{kind}.json" for kind in ("graph", "profile", "measured"))
    graph.write_text(json.dumps({"Layers": layers, "Bindings": ["in", "out"]}), encoding="utf-8")
    profile.write_text(json.dumps([{"count": 10}, *rows]), encoding="utf-8")
    summary = {"Throughput": throughput, "Latency": [1.0, 3.0, 2.0, 2.0, 3.0]} if throughput else {}
    measured.write_text(json.dumps({"performance_summary": summary, "device_information": {"SMs": 8.0}}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return EnginePlan(graph, profile, measured, name=name)
