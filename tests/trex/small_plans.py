"""Small plans as TREx's class reads them."""

from __future__ import annotations

import math
import warnings

from trexreport import (
    EnginePlan,
)

FP32 = "Row major linear FP32"
FP16 = "Row major linear FP16"


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
        layer("noop", "NoOp", ["a"], [tensor("b", (1, 128, 1, 1))]),
        layer("weights", "Constant", [], ["w"]),
        layer(
            "pool",
            "CaskPooling",
            [tensor("b", (1, 128, 1, 1))],
            ["c"],
            ParameterType="Pooling",
            WindowSize=[2, 2],
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
