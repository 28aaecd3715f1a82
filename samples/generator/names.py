"""Make an engine of which nothing but its layers' names is known, as without detailed verbosity."""

from __future__ import annotations

from .engine import Engine, Layer, Tensor, Work
from .files import names_json, profile_json
from .roofline import A100

BLOCKS = 12
#: Bytes that the layers of a kind move, so that they take a time.
SIZES = {"conv": 60_000_000, "quantizer": 30_000_000, "region": 400_000_000}


def _layer(name: str, kind: str = "") -> Layer:
    work = Work(weight_bytes=SIZES[kind]) if kind else None
    return Layer(name, kind, (), (Tensor(f"{name}_out", (1,), "Half"),), work=work)


def _layers() -> list[Layer]:
    """Return a quantized backbone with an encoder of text behind it."""
    layers = [
        _layer("[trainStation1]", "quantizer"),
        _layer("/backbone/conv1/_input_quantizer/QuantizeLinear", "quantizer"),
    ]
    layers += [
        _layer(f"backbone.layer{stage}.0.downsample.1.{part} + (Unnamed Layer* {stage}) [Shuffle]")
        for stage in (2, 3, 4)
        for part in ("running_var", "running_mean")
    ]
    layers += [_layer(f"(Unnamed Layer* {number}) [Constant]") for number in (714, 715, 716)]
    for stage in (1, 2, 3, 4):
        for block in range(2):
            for part in ("conv1", "conv2"):
                module = f"backbone.layer{stage}.{block}.{part}"
                path = f"/backbone/layer{stage}/layer{stage}.{block}/{part}"
                name = f"{module}.weight + {path}/_weight_quantizer/QuantizeLinear + {path}/Conv"
                layers.append(_layer(f"{path}/_input_quantizer/QuantizeLinear", "quantizer"))
                layers.append(_layer(f"Reformatting CopyNode for Input Tensor 0 to {name}", "quantizer"))
                layers.append(_layer(name, "conv"))
    for block in range(BLOCKS):
        node = f"/bert/encoder/layer.{block}"
        layers.append(
            _layer(f"{{ForeignNode[{node}/attention/self/MatMul...{node}/output/LayerNorm/Add_1]}}", "region")
        )
    # TensorRT gives some helpers one name.
    layers += [_layer("(Unnamed Layer* 900) [Shuffle]"), _layer("(Unnamed Layer* 900) [Shuffle]")]
    return [*layers, _layer("[trainStation2]", "quantizer")]


def names_only() -> dict[str, bytes]:
    """Return the list of names and the profile."""
    engine = Engine(tuple(_layers()), {"Bindings": ["image", "input_ids", "logits"]})
    profile = profile_json(engine, A100, 11, 96)
    return {"layer_info.json": names_json(engine).encode(), "profile.json": profile.encode()}
