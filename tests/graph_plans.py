"""Engines for tests of blocks and graphs, written down in few words."""

from __future__ import annotations

import json
import random

from trexreport.analyzer import analyze
from trexreport.model import Source
from trexreport.reader import assemble
from trexreport.reader.capture import Capture


def layer(name, inputs, outputs, kind="Convolution", *, precision="FP16", dims=(1, 8), **more):
    """Return a layer of a graph file; `ms` is its time."""

    def tensors(names):
        return [
            {"Name": each, "Dimensions": list(dims), "Format/Datatype": f"Row major linear {precision}"}
            for each in names
        ]

    return {"Name": name, "LayerType": kind, "Inputs": tensors(inputs), "Outputs": tensors(outputs), **more}


def analysis_of(layers, bindings=("in", "out"), *, timed=True):
    """Return the analysis of layers made by `layer`, each with its `ms` or one microsecond.

    Each reads what its writer writes, whatever shapes it states itself.
    """
    written = {}
    layers = [_reading(each, written) for each in layers]
    times = [each.pop("ms", 0.001) for each in layers]
    records = [
        {"name": each["Name"], "timeMs": ms * 10, "averageMs": ms, "percentage": 1.0}
        for each, ms in zip(layers, times, strict=True)
    ]
    graph = json.dumps({"Layers": layers, "Bindings": list(bindings)}).encode()
    sources = [Source("graph", "g", graph)]
    if timed and layers:
        sources.append(Source("profile", "p", json.dumps([{"count": 10}, *records]).encode()))
    return analyze(assemble(Capture("engine", tuple(sources))))


def _reading(record, written):
    """Return a layer whose inputs have the shapes in which they were written; add those of its outputs."""
    inputs = [
        {**each, "Dimensions": written.get(each["Name"], each["Dimensions"])} for each in record["Inputs"]
    ]
    written.update((each["Name"], each["Dimensions"]) for each in record["Outputs"])
    return {**record, "Inputs": inputs}


def chain(names, **more):
    """Return layers in a row from "in" to "out"."""
    tensors = ["in", *(f"t{number}" for number in range(1, len(names))), "out"]
    return [layer(name, [tensors[i]], [tensors[i + 1]], **more) for i, name in enumerate(names)]


def decoder(blocks, *, depth=14, named=True):
    """Return a decoder: blocks with a residual, and a mask that all of them read."""
    layers, last = [layer("/model/embed/Gather", ["in"], ["h"], "Gather")], "h"
    layers.append(layer("/model/mask/Cast", ["in"], ["mask"], "Cast"))
    for block in range(blocks):
        first = last
        for step in range(depth):
            path = f"/model/layers.{block}/part.{step}/MatMul" if named else f"__myl_{block}_{step}"
            reads = [last, "mask"] if step == 3 else [last, first] if step == depth - 1 else [last]
            kind = f"kind{step % 5}"
            # A block writes what it reads.
            dims = (1, 8 + step % (depth - 1))
            layers.append(layer(path, reads, [f"b{block}s{step}"], kind, dims=dims, ms=0.01))
            last = f"b{block}s{step}"
    layers.append(layer("/lm_head/MatMul", [last], ["out"], "MatrixMultiply"))
    return layers


def unet(depth):
    """Return a U-Net whose skip connections span the whole plan."""
    layers, last, skips = [], "in", []
    for level in range(depth):
        layers.append(layer(f"/down.{level}/Conv", [last], [f"d{level}"]))
        last = f"d{level}"
        skips.append(last)
    for level in reversed(range(depth)):
        layers.append(layer(f"/up.{level}/Conv", [last, skips.pop()], [f"u{level}" if level else "out"]))
        last = f"u{level}"
    return layers


def random_layers(seed, count):
    """Return layers with any names, that read any tensors and write over some."""
    source = random.Random(seed)
    names = ["in"]
    layers = []
    for number in range(count):
        reads = [source.choice(names) for _ in range(source.randrange(4))]
        writes = [
            source.choice(names) if source.random() < 0.1 else f"t{number}.{each}"
            for each in range(source.randrange(3))
        ]
        names += [each for each in writes if each not in names]
        kind = source.choice(["Convolution", "Reformat", "NoOp", "Constant", "kgen", "signal", "wait"])
        depth = source.randrange(4)
        path = "/".join(f"m{source.randrange(3)}.{source.randrange(3)}" for _ in range(depth))
        name = source.choice([f"/{path}/Conv_{number}", f"layer {number}", f"{path} & <{number}>"])
        layers.append(layer(name, reads, writes, kind, StreamId=source.randrange(3), EventId=number % 4))
    return layers
