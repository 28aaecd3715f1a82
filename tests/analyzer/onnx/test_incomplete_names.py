"""Names of layers do not state all that a layer computes: activations, Q behind it, folded batch norms."""

from __future__ import annotations

import json

import pytest

from trexreport.analyzer import analyze
from trexreport.model import Source
from trexreport.model.onnx import OnnxGraph, OnnxInitializer, OnnxModel, OnnxNode, OnnxValue
from trexreport.reader import assemble
from trexreport.reader.capture import Capture
from trexreport.reader.onnx.structure import write_structure
from trexreport.wording.onnx import onnx_sentence


def quantized_model(blocks, tensor="onnx::Tensor_{}"):
    """Return a chain of quantized convolutions, with nodes numbered as PyTorch's exporter did up to 1.12."""
    nodes = []

    def add(op_type, *inputs):
        nodes.append(
            OnnxNode(f"{op_type}_{len(nodes)}", op_type, inputs=inputs, outputs=(tensor.format(len(nodes)),))
        )
        return nodes[-1].outputs[0]

    def quantize(value):
        scale, zero = add("Constant"), add("Constant")
        return add("DequantizeLinear", add("QuantizeLinear", value, scale, zero), scale, zero)

    value = "x"
    for block in range(blocks):
        value = add("Conv", quantize(value), quantize(f"conv{block}.weight"))
        value = add("Relu", add("BatchNormalization", value, f"bn{block}"))
    value = add("Gemm", quantize(value), quantize("fc.weight"), "fc.bias")
    names = [f"conv{block}.weight" for block in range(blocks)] + [f"bn{block}" for block in range(blocks)]
    constants = (*names, "fc.weight", "fc.bias")
    graph = OnnxGraph(
        "main",
        tuple(nodes),
        (OnnxValue("x"),),
        (OnnxValue(value),),
        tuple(map(OnnxInitializer, constants)),
    )
    return OnnxModel("model.onnx", graph=graph)


def layers_of(model):
    """Return layers as TensorRT 8 names them, each of which writes what the next one's Q returns."""
    layers = []
    weight = ""
    for node in model.graph.nodes:
        if node.op_type == "QuantizeLinear" and node.inputs[0].endswith("weight"):
            weight = f"{node.inputs[0]} + {node.name}"
        elif node.op_type == "QuantizeLinear":
            if layers:
                layers[-1]["Outputs"] = [tensor(node.outputs[0])]
            else:
                layers.append(layer(node.name, node.outputs[0]))
        elif node.op_type in ("Conv", "Gemm"):
            layers.append(layer(f"{weight} + {node.name}", node.outputs[0]))
    extra = (
        "fc.bias + (Unnamed Layer* 6) [Shuffle] + unsqueeze_node_after_fc.bias + (Unnamed Layer* 6) [Shuffle]"
    )
    layers[-1]["Name"] += f" + {extra}"
    layers.append(layer("copied_squeeze_after_(Unnamed Layer* 7) [ElementWise]", "out"))
    return layers


def layer(name, output):
    return {"Name": name, "LayerType": "CaskConvolution", "Inputs": [], "Outputs": [tensor(output)]}


def tensor(name):
    return {"Name": name, "Dimensions": [1, 8], "Format/Datatype": "Int8 NC/4HW4 format"}


def analyzed(model, layers):
    profile = [{"name": each["Name"], "averageMs": 1.0, "percentage": 1.0} for each in layers]
    files = (
        Source("graph", "x.graph.json", json.dumps({"Layers": layers, "Bindings": []}).encode()),
        Source("profile", "x.profile.json", json.dumps(profile).encode()),
        Source("onnx", "x.onnx-structure.json", write_structure(model)),
    )
    return analyze(assemble(Capture("x", files)))


@pytest.mark.parametrize("blocks", [3, 60])
def test_a_quantized_engine_of_numbered_nodes_is_known(blocks):
    """Its layers write what the Q of the next ones return: that is not a sign of another model."""
    model = quantized_model(blocks)
    found = analyzed(model, layers_of(model)).onnx
    assert (found.match, found.matched_names) == ("same", found.stated_names)
    by_type = {}
    for node in found.nodes:
        by_type.setdefault(node.op_type, set()).add((node.state, node.reason, node.evidence))
    assert by_type["Relu"] == {("fused", None, "inferred")}
    assert by_type["BatchNormalization"] == {("vanished", "weights", None)}
    assert not any(node.state == "unknown" for node in found.nodes)
    for node in found.nodes:
        if node.op_type == "Relu":
            convolution = found.nodes[found.nodes[node.index - 1].inputs[0]]
            assert (node.layers, node.shared_ms) == (convolution.layers, 1.0)


def test_what_lies_between_named_nodes_is_computed_with_them():
    model = quantized_model(3)
    layers = layers_of(model)
    names = [
        node.name for node in model.graph.nodes if node.op_type in ("Conv", "Relu", "BatchNormalization")
    ]
    # One layer computes the first two convolutions, and names only these.
    layers[1] = {**layers.pop(2), "Name": f"{names[0]} + {names[3]}"}
    found = analyzed(model, layers).onnx
    assert [node.layers for node in found.nodes if node.op_type == "Relu"] == [[1], [1], [2]]


def test_other_tensors_are_another_model_for_quantized_engines_too():
    model = quantized_model(12)
    layers = layers_of(model)
    outputs = [each["Outputs"] for each in layers]
    for each, other in zip(layers, outputs[5:] + outputs[:5], strict=True):
        each["Outputs"] = other
    analysis = analyzed(model, layers)
    assert analysis.onnx.match == "other"
    assert "the layers write other tensors" in onnx_sentence(analysis)


@pytest.mark.parametrize(("more", "match"), [(0, "same"), (1, "same"), (12, "partly")])
def test_a_model_that_computes_more_may_be_another_version(more, match):
    """A ResNet34 has all the nodes of a ResNet18."""
    # Without the last layers, whose names are those of other nodes in the larger model.
    layers = layers_of(quantized_model(30))[:-2]
    analysis = analyzed(quantized_model(30 + more), layers)
    assert analysis.onnx.match == match
    assert ("convolutions" in onnx_sentence(analysis)) == (match == "partly")


def test_layers_of_unknown_nodes_may_compute_what_no_other_layer_does():
    layers = [*layers_of(quantized_model(12))[:-2], layer("__myl_Fused_myl0_1", "unknown")]
    assert analyzed(quantized_model(24), layers).onnx.match == "same"


def test_an_engine_without_onnx_names_nothing_of_a_model():
    """Torch-TensorRT's layers name operators; one tensor in common does not hold the whole model."""
    name = "[CONVOLUTION]-[aten_ops.convolution.default]-[/layer{0}/conv_{0}]"
    layers = [
        {
            **layer(name.format(at), f"(Unnamed Layer* {at}) [Convolution]_output"),
            "Inputs": [tensor(f"t{at}")],
        }
        for at in range(3)
    ]
    layers.append(layer("[MATRIX_MULTIPLY]_[aten_ops_addmm_default]_[/fc/addmm_mm]_myl1_1", "a"))
    layers.append(layer("/fc/addmm_constant_0", "b"))
    assert analyzed(quantized_model(3), layers).onnx.match == "unknown"
    model = quantized_model(3)
    layers[2]["Outputs"] = [tensor(model.graph.outputs[0].name)]
    found = analyzed(model, layers).onnx
    assert found.stated_names == 0
    assert [(node.op_type, node.evidence) for node in found.nodes if node.layers] == [("Gemm", "tensor")]
