"""A model is taken for that of an engine only if more than names agree, and the reason is a fact."""

from __future__ import annotations

from dataclasses import replace

import pytest
from onnx_engines import FusedEngine, fused_engine

from trexreport.analyzer import analyze
from trexreport.model.onnx import OnnxGraph, OnnxInitializer, OnnxModel, OnnxNode, OnnxValue
from trexreport.wording.onnx import onnx_sentence

#: Output channels and kernel of each convolution of two networks of one family.
SMALL = [(64, 7), (64, 3), (64, 3), (128, 3), (128, 3), (256, 3), (256, 3)]
LARGE = [(64, 7), (64, 1), (64, 3), (256, 1), (128, 3), (512, 1), (256, 3)]


def network(kernels, name="/layers.{}/{}", is_quantized=False, weights_of=None):
    """Return a model of convolutions, each with a Relu; `name` gets the number and the type of a node."""
    nodes, weights = [], []
    for at, (maps, extent) in enumerate(kernels):
        weights.append(OnnxInitializer(f"w{at}", "FLOAT", (maps, 3, extent, extent)))
        weight = f"w{at}"
        if is_quantized:
            for kind in ("QuantizeLinear", "DequantizeLinear"):
                nodes.append(OnnxNode(f"{kind}{at}", kind, inputs=(weight,), outputs=(f"{kind}{at}",)))
                weight = f"{kind}{at}"
        if weights_of:
            weights[-1] = OnnxInitializer(f"w{at}", "FLOAT", (extent, extent, 3, maps))
            nodes.append(OnnxNode(f"{weights_of}{at}", weights_of, inputs=(weight,), outputs=(f"v{at}",)))
            weight = f"v{at}"
        nodes.append(
            OnnxNode(name.format(2 * at, "Conv"), "Conv", inputs=(f"t{at}", weight), outputs=(f"c{at}",))
        )
        nodes.append(
            OnnxNode(name.format(2 * at + 1, "Relu"), "Relu", inputs=(f"c{at}",), outputs=(f"t{at + 1}",))
        )
    ends = (OnnxValue("t0"),), (OnnxValue(f"t{len(kernels)}"),)
    return OnnxModel("m.onnx", graph=OnnxGraph("g", tuple(nodes), *ends, tuple(weights)))


def engine_of(kernels, model, name="/layers.{}/{}"):
    """Return an engine of a network, and the model beside it."""
    engine = FusedEngine(model)
    for at, (maps, extent) in enumerate(kernels):
        names = [name.format(2 * at, "Conv"), name.format(2 * at + 1, "Relu")]
        engine.layers.append(
            {
                "Name": " + ".join(names),
                "LayerType": "CaskConvolution",
                "ParameterType": "Convolution",
                "Kernel": [extent, extent],
                "OutMaps": maps,
                "Inputs": [],
                "Outputs": [],
            }
        )
        engine.profile.append({"name": engine.layers[-1]["Name"], "averageMs": 1.0, "percentage": 1.0})
    return engine


def verdict(engine):
    found = analyze(engine.read()).onnx
    return found.match, found.match_reason


@pytest.mark.parametrize("is_quantized", [False, True])
def test_kernels_decide_among_models_with_the_same_names(is_quantized):
    models = {id(kernels): network(kernels, is_quantized=is_quantized) for kernels in (SMALL, LARGE)}
    assert verdict(engine_of(SMALL, models[id(SMALL)])) == ("same", None)
    assert verdict(engine_of(LARGE, models[id(LARGE)])) == ("same", None)
    assert verdict(engine_of(SMALL, models[id(LARGE)])) == ("other", "convolutions")
    assert verdict(engine_of(LARGE, models[id(SMALL)])) == ("other", "convolutions")


@pytest.mark.parametrize("key", ["Stride", "Dilation"])
def test_strides_and_dilations_decide_too(key):
    engine = engine_of(SMALL, network(SMALL))
    for layer in engine.layers:
        layer[key] = [1, 1]
    assert verdict(engine) == ("same", None)
    for layer in engine.layers[::2]:
        layer[key] = [2, 2]
    assert verdict(engine) == ("other", "convolutions")


@pytest.mark.parametrize("kind", ["Transpose", "Mul"])
def test_weights_that_are_computed_say_nothing_of_kernels(kind):
    assert verdict(engine_of(SMALL, network(SMALL, weights_of=kind))) == ("same", None)


def test_one_other_kernel_is_another_version():
    changed = [*SMALL[:-1], (512, 3)]
    assert verdict(engine_of(SMALL, network(changed))) == ("partly", "convolutions")


def test_kernels_that_are_not_stated_decide_nothing():
    engine = engine_of(SMALL, network(LARGE))
    for layer in engine.layers:
        del layer["Kernel"]
    assert verdict(engine) == ("same", None)
    model = network(LARGE)
    weights = tuple(replace(each, shape=None) for each in model.graph.initializers)
    unknown = replace(model, graph=replace(model.graph, initializers=weights))
    assert verdict(engine_of(SMALL, unknown)) == ("same", None)


@pytest.mark.parametrize("name", ["{1}_{0}", "node_{1}_{0}", "{0}"])
@pytest.mark.parametrize("missing", [0, 2, 4, 6])
def test_numbers_hold_all_or_none(name, missing):
    """With one node more at the beginning, the other numbers are those of other nodes."""
    kernels = SMALL * 2
    engine = engine_of(kernels, network(kernels[: len(kernels) - missing], name), name)
    for layer in engine.layers:
        del layer["Kernel"]
    assert verdict(engine) == (("other", "names") if missing else ("same", None))


@pytest.mark.parametrize(("given", "match"), [("t0", "same"), ("images", "other")])
def test_few_numbers_need_the_inputs_too(given, match):
    """A region names only its ends: "Conv_0" is in any model."""
    engine = FusedEngine(network(SMALL, "{1}_{0}"))
    engine.layers.append(
        {
            "Name": "{ForeignNode[Conv_0...Relu_13]}",
            "LayerType": "Myelin",
            "Inputs": [{"Name": given, "Dimensions": [1]}],
            "Outputs": [{"Name": "result", "Dimensions": [1]}],
        }
    )
    engine.profile.append({"name": engine.layers[0]["Name"], "averageMs": 1.0, "percentage": 1.0})
    assert verdict(engine)[0] == match


def test_a_larger_model_is_seen_although_a_layer_names_what_it_does_not_have():
    engine = engine_of(SMALL, network(SMALL * 2))
    engine.layers.append({"Name": "/softmax/Softmax", "LayerType": "SoftMax", "Inputs": [], "Outputs": []})
    engine.profile.append({"name": "/softmax/Softmax", "averageMs": 1.0, "percentage": 1.0})
    assert verdict(engine) == ("partly", "not-executed")


def test_each_reason_has_its_sentence():
    engine = fused_engine(60, "metadata", 1)
    engine.model = fused_engine(60, "metadata", 2).model
    found = {}
    for case in (
        engine,
        engine_of(SMALL, network(LARGE)),
        engine_of(SMALL, network(SMALL * 2)),
        engine_of(SMALL, network([*SMALL[:-1], (512, 3)])),
    ):
        analysis = analyze(case.read())
        found[analysis.onnx.match, analysis.onnx.match_reason] = onnx_sentence(analysis)
    assert "of the" in found["other", "names"]
    assert found["other", "convolutions"].endswith("other kernels, strides or dilations.")
    assert found["partly", "not-executed"].endswith("are in no layer.")
    assert found["partly", "convolutions"].endswith("other kernels, strides or dilations.")
    assert all(("not the model" in text) == (match == "other") for (match, _), text in found.items())
