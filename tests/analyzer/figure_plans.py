"""Small engines for tests of figures."""

from __future__ import annotations

from trexreport.model import (
    Binding,
    DataFormat,
    Engine,
    Layer,
    LayerTime,
    Tensor,
)

HALF = DataFormat("Half", "FP16")
FLOAT = DataFormat("Float", "FP32")


def tensor(name, *dimensions, kind=HALF, version=1):
    return Tensor(name, dimensions or (8,), kind, version=version)


def entry(name, *dimensions, kind=HALF):
    return tensor(name, *dimensions, kind=kind, version=0)


def engine(*layers, inputs=("x",), outputs=("y",), **more):
    """Return an engine of (type, inputs, outputs, ms) in execution order."""
    made = [
        Layer(
            index,
            f"l{index}",
            f"l{index}",
            kind,
            inputs=reads,
            outputs=writes,
            time=None if time is None else LayerTime(time),
        )
        for index, (kind, reads, writes, time) in enumerate(layers)
    ]
    found = {each.name: each for layer in made for each in (*layer.inputs, *layer.outputs)}
    bindings = [Binding(name, "input", found.get(name)) for name in inputs]
    bindings += [Binding(name, "output", found.get(name)) for name in outputs]
    return Engine("e", tuple(made), tuple(bindings), **more)


def roles(analysis):
    return {f"{each.name}{each.version}": each.role for each in analysis.tensors}
