"""Nodes of a model as blocks, and what their Q/DQ nodes convert."""

import pytest
from onnx_engines import STYLES, fused_engine

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.blocks import leaf_blocks
from trexreport.analyzer.analysis.node_layers import folded_nodes, node_layers
from trexreport.analyzer.onnx.describe import describe_onnx
from trexreport.analyzer.onnx.node_origin import node_origin
from trexreport.model.onnx import OnnxGraph, OnnxInitializer, OnnxModel, OnnxNode, OnnxValue
from trexreport.reader import read_engine


def check_blocks(found):
    blocks, count = found.blocks.items, len(found.nodes)
    in_leaves = [index for block in blocks if not block.children for index in block.layers]
    assert sorted(in_leaves) == list(range(count))
    assert set(leaf_blocks(blocks)) == set(range(count))
    for block in blocks:
        assert block.count == len(block.layers)
        assert block.layers == sorted(block.layers)
        if block.children:
            assert block.layers == sorted(index for child in block.children for index in blocks[child].layers)
        assert not block.differs


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seed", range(3))
def test_every_node_is_in_one_block(style, seed):
    found = analyze(fused_engine(400, style, seed).read()).onnx
    check_blocks(found)
    assert found.blocks.basis == "names"
    for block in found.blocks.items:
        if block.kind == "module":
            assert any("/".join(found.nodes[index].module).startswith(block.path) for index in block.layers)


def test_blocks_of_the_sample_are_its_modules(with_model):
    found = analyze(read_engine(with_model)).onnx
    check_blocks(found)
    assert {"layer1.0", "layer1.1", "layer4.0", "layer4.1"} <= {block.label for block in found.blocks.items}


def _model(nodes, initializers=(), outputs=("y",)):
    return OnnxModel(
        "m.onnx",
        graph=OnnxGraph(
            "g", tuple(nodes), (OnnxValue("x"),), tuple(map(OnnxValue, outputs)), tuple(initializers)
        ),
    )


def _node(name, op_type, inputs, output, **attributes):
    return OnnxNode(name, op_type, inputs=tuple(inputs), outputs=(output,), attributes=attributes)


def _described(model):
    from dataclasses import replace

    base = analyze(fused_engine(2, "names", 1).read())
    first = model.graph.nodes[0]
    layer = replace(base.layers[0], name=first.name, origins=[first.name], attributes={"Name": first.name})
    return describe_onnx(model, [layer], base.tensors)


def test_quantization_is_what_the_model_states():
    nodes = [
        _node("scale", "Constant", (), "s", value_float=0.5),
        _node("q", "QuantizeLinear", ("x", "s", "zero"), "q0"),
        _node("dq", "DequantizeLinear", ("q0", "s", "zero"), "d0"),
        _node("wdq", "DequantizeLinear", ("w8", "ws"), "w", axis=1),
        _node("plain", "QuantizeLinear", ("d0", "s"), "y2", axis=1),
        _node("conv", "Conv", ("d0", "w"), "y"),
    ]
    initializers = (
        OnnxInitializer("zero", "INT8", ()),
        OnnxInitializer("w8", "INT4", (8, 8)),
        OnnxInitializer("ws", "FLOAT", (8,)),
    )
    found = _described(_model(nodes, initializers, ("y", "y2"))).nodes
    facts = {node.name: node.quantization for node in found}
    assert (facts["q"].data_type, facts["q"].scale, facts["q"].values_of) == ("INT8", 0.5, None)
    assert (facts["dq"].data_type, facts["dq"].scale, facts["dq"].values_of) == ("INT8", 0.5, 1)
    assert (facts["wdq"].data_type, facts["wdq"].scale, facts["wdq"].axis) == ("INT4", None, 1)
    # Neither a type nor, of a scale that a node computes, its extents are stated.
    assert facts["plain"].data_type == ""
    assert facts["conv"] is None
    assert facts["scale"] is None


def test_only_what_an_arrow_can_show_is_folded():
    nodes = [
        _node("a", "Relu", ("x",), "a0"),
        _node("q", "QuantizeLinear", ("a0", "s"), "q0"),
        _node("dq", "DequantizeLinear", ("q0", "s"), "d0"),
        _node("b", "Conv", ("d0",), "b0"),
        _node("q2", "QuantizeLinear", ("b0", "s2"), "q20"),
        _node("dq2", "DequantizeLinear", ("q20", "s"), "d20"),
        _node("int", "Cast", ("q20",), "c0"),
        _node("sum", "Add", ("d20", "c0"), "y"),
        _node("end", "DequantizeLinear", ("q20", "s"), "y2"),
        _node("scale", "Identity", ("s",), "s2"),
    ]
    # In topological order.
    nodes = [nodes[-1], *nodes[:-1]]
    model = _model(nodes, [OnnxInitializer("s", "FLOAT", ())], ("y", "y2"))
    found = _described(model).nodes
    names = {node.index: node.name for node in found}
    folded = {names[index]: names.get(source) for index, source in folded_nodes(found).items()}
    # "q2" is read by a Cast too, so it has a box; "end" is an output; "scale" is read by "q2".
    assert folded == {"q": "a", "dq": "a", "dq2": "q2"}
    layers, tensors = node_layers(found, folded_nodes(found))
    at = {name: index for index, name in names.items()}
    assert tensors[at["dq"]].producers == [at["a"]]
    assert tensors[at["dq"]].consumers == [at["b"]]
    assert not layers[at["q"]].inputs
    assert not layers[at["dq"]].outputs
    assert [use.tensor for use in layers[at["a"]].outputs] == [at["a"], at["dq"]]


@pytest.fixture(scope="module")
def with_model(tmp_path_factory):
    import shutil
    from pathlib import Path

    samples = Path(__file__).resolve().parents[3] / "samples"
    folder = tmp_path_factory.mktemp("blocks")
    for path in (samples / "resnet18-int8-before").iterdir():
        shutil.copy(path, folder)
    shutil.copy(samples / "models/resnet18-int8-before.onnx", folder)
    return folder


def test_layers_without_names_of_modules_are_divided_by_the_model():
    """As of an exporter that names nodes "node_relu_3", and writes their modules beside them."""
    from dataclasses import replace

    engine = fused_engine(400, "metadata", 2)
    number = {node.parser_name: at for at, node in enumerate(engine.model.graph.nodes)}
    named = [
        replace(
            node,
            name=f"node_{number[node.parser_name]}",
            metadata={"pkg.torch.onnx.name_scopes": str(["", *_scopes(node.name), "op"])},
        )
        for node in engine.model.graph.nodes
    ]
    for layer in engine.layers:
        for before, after in sorted(number.items(), key=lambda each: -len(each[0])):
            layer["Metadata"] = layer["Metadata"].replace(f": {before}", f": node_{after}")
    engine.model = replace(engine.model, graph=replace(engine.model.graph, nodes=tuple(named)))
    read = engine.read()
    with_model, without = analyze(read), analyze(replace(read, onnx=None))
    assert with_model.onnx.match == "same"
    assert without.blocks.basis != "names"
    assert with_model.blocks.basis == "names"
    labels = {block.label for block in with_model.blocks.items}
    assert {f"layers.{at}" for at in range(10)} <= labels
    for block in with_model.blocks.items:
        if block.kind == "module" and not block.children:
            modules = [
                "/".join(with_model.onnx.nodes[node].module)
                for index in block.layers
                for node in with_model.onnx.layer_nodes[index]
            ]
            assert any(module.startswith(block.path) for module in modules)


def _scopes(name):
    """Return the scopes of a name as PyTorch writes them, each a whole name."""
    parts = [part for part in name.split("/")[:-1] if part]
    return [".".join(parts[: at + 1]) for at in range(len(parts))]


@pytest.mark.parametrize("deep", [65, 3_000])
def test_modules_are_as_deep_as_blocks_can_be(deep):
    scopes = [".".join(["m"] * (depth + 1)) for depth in range(deep)]
    written = "[" + ", ".join(f"'{scope[-200:]}{index}'" for index, scope in enumerate(scopes)) + "]"
    metadata = {"pkg.torch.onnx.name_scopes": written}
    assert len(node_origin("n", metadata).module) == 64
    name = "/a" * min(deep, 1_900) + "/Conv"
    assert len(node_origin(name, {}).module) == 64
    nodes = [_node(f"{name}_{index}", "Relu", ["x"], f"y{index}") for index in range(40)]
    assert list(_described(_model(nodes)).nodes[0].module) == ["a"] * 64
