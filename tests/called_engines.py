"""Random ONNX models with functions that are called several times, and engines of them, with what is true."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field

from onnx_engines import FusedEngine

from trexreport.analyzer.onnx.flat_graph import flatten
from trexreport.model.onnx import OnnxFunction, OnnxGraph, OnnxInitializer, OnnxModel, OnnxNode, OnnxValue

#: How the layers state their nodes. "names" is a file of names without tensors.
STYLES = ("layers", "metadata", "myelin", "names")


@dataclass
class CalledEngine(FusedEngine):
    """Attributes: `nodes`: for each layer, the indices of its nodes among those of the flat graph."""

    nodes: list[set[int]] = field(default_factory=list)


def called_engine(
    calls: int, style: str, seed: int, *, is_parallel: bool = False, shares_names: bool = True
) -> CalledEngine:
    """Return an engine of a model that calls functions.

    Args:
        calls: Number of calls.
        style: One of `STYLES`.
        seed: Of the random choices.
        is_parallel: Whether calls may read the same tensors, so that their order says nothing.
        shares_names: Whether nodes of one function, and of two functions, may have the same name.
    """
    rng = random.Random(seed)
    functions = [_function(f"f{at}", rng, (), shares_names=shares_names) for at in range(2)]
    functions.append(_function("outer", rng, functions, shares_names=shares_names))
    model = _model(functions, calls, rng, is_parallel=is_parallel)
    engine = CalledEngine(model)
    graph = flatten(model)
    names = _Unique()
    ends = {node.index for node in graph.nodes if node.node.graphs}
    spelled = [names.of(node.name + "_OutputLayer" * (node.index in ends)) for node in graph.nodes]
    tensor_names = _tensor_names(graph, rng, is_hidden=style == "myelin")
    groups = _groups(graph, rng)
    layer_of = {index: at for at, group in enumerate(groups) for index in group}
    readers = defaultdict(set)
    for node in graph.nodes:
        for tensor in node.inputs:
            readers[tensor].add(layer_of[node.index])
    for at, group in enumerate(groups):
        inside = {tensor for index in group for tensor in graph.nodes[index].outputs}
        read = [tensor for index in group for tensor in graph.nodes[index].inputs]
        outside = [tensor for tensor in dict.fromkeys(read) if tensor not in inside]
        written = [each for each in inside if readers[each] - {at} or each in graph.results]
        # The parser adds the last layer of an If itself, without Metadata.
        is_end = bool(ends & set(group))
        name = " + ".join(spelled[each] for each in group)
        layer = {
            "Name": f"__myl_Fused_myl0_{at}" if style == "myelin" and not is_end else name,
            "LayerType": "kgen",
            "Inputs": [_tensor(tensor_names[each]) for each in outside if each not in graph.constants],
            "Outputs": [_tensor(tensor_names[each]) for each in sorted(written)],
        }
        if style == "names":
            layer["Inputs"] = layer["Outputs"] = []
        if style in ("metadata", "myelin") and not is_end:
            layer["Metadata"] = ("\x1f" if style == "myelin" else "\x1e").join(
                _metadata(graph.nodes[each]) for each in group
            )
        engine.layers.append(layer)
        engine.profile.append({"name": layer["Name"], "averageMs": 1.0, "percentage": 1.0})
        engine.nodes.append(set(group))
    return engine


def _metadata(node):
    function = f" | Local Function: {node.functions[-1]}" if node.functions else ""
    return f"[ONNX Layer: {node.name}{function}]"


def _function(name, rng, inner, *, shares_names):
    """Return a function of a few nodes, which may call other ones."""
    nodes, last = [], "i"
    for at in range(rng.randint(2, 5)):
        if inner and rng.random() < 0.5:
            nodes.append(OnnxNode(f"call{at}", rng.choice(inner).name, "d", (last,), (f"t{at}",)))
        else:
            op_type = rng.choice(("Relu", "MatMul", "Softmax"))
            # Two functions may have nodes of one name, and one function too.
            node_name = f"{op_type}_in" if shares_names and rng.random() < 0.5 else f"{name}/{op_type}_{at}"
            nodes.append(OnnxNode(node_name, op_type, inputs=(last, "i"), outputs=(f"t{at}",)))
        last = f"t{at}"
    return OnnxFunction("d", name, ("i",), (last,), tuple(nodes))


def _model(functions, calls, rng, *, is_parallel):
    nodes, outputs = [], ["x"]
    for at in range(calls):
        source = rng.choice(outputs[-4:]) if is_parallel else outputs[-1]
        kind = rng.random()
        if kind < 0.7:
            nodes.append(OnnxNode(f"call{at}", rng.choice(functions).name, "d", (source,), (f"m{at}",)))
        elif kind < 0.75:
            branches = {
                name: OnnxGraph(
                    name,
                    (OnnxNode("branch/Relu", "Relu", inputs=(source,), outputs=(f"b{at}",)),),
                    outputs=(OnnxValue(f"b{at}"),),
                )
                for name in ("else_branch", "then_branch")
            }
            nodes.append(OnnxNode(f"/if{at}", "If", inputs=("x",), outputs=(f"m{at}",), graphs=branches))
        elif kind < 0.85:
            nodes.append(OnnxNode("Add", "Add", inputs=(source, rng.choice(outputs)), outputs=(f"m{at}",)))
        else:
            nodes.append(OnnxNode(f"/own/{at}", "Relu", inputs=(source, "w"), outputs=(f"m{at}",)))
        outputs.append(f"m{at}")
    nodes.append(OnnxNode("/last", "Concat", inputs=tuple(outputs[1:]), outputs=("y",)))
    graph = OnnxGraph("g", tuple(nodes), (OnnxValue("x"),), (OnnxValue("y"),), (OnnxInitializer("w"),))
    return OnnxModel("model.onnx", graph=graph, functions=tuple(functions))


class _Unique:
    """Makes names unique as TensorRT's parser does: one counter for all."""

    def __init__(self):
        self._taken = set()
        self._counter = 0

    def of(self, name):
        found = name
        while found in self._taken:
            found = f"{name}_{self._counter}"
            self._counter += 1
        self._taken.add(found)
        return found


def _tensor_names(graph, rng, *, is_hidden):
    """Return the names of tensors in the engine; Myelin has its own for those inside."""
    unique = _Unique()
    outer = {tensor: name for name, tensor in graph.aliases}
    names = {}
    for node in graph.nodes:
        for tensor in (*node.inputs, *node.outputs):
            if tensor not in names:
                is_end = tensor in graph.results or (tensor not in graph.producer and tensor[0] == 0)
                hidden = f"__mye{rng.randrange(10**9)}_{len(names)}"
                names[tensor] = unique.of(outer.get(tensor, tensor[1])) if is_end or not is_hidden else hidden
    return names


def _groups(graph, rng):
    """Return the nodes of each layer, in the order of execution: an If after its two branches."""
    groups, last = [], []
    for node in graph.nodes:
        is_branch = node.name == "branch/Relu"
        if last and (node.node.graphs or is_branch or len(last) >= rng.randint(1, 4)):
            groups.append(last)
            last = []
        if node.node.graphs:
            continue
        last.append(node.index)
        if is_branch and node.index > 1 and graph.nodes[node.index - 1].name == "branch/Relu":
            groups += [last, [node.index - 2]]
            last = []
    return [*groups, last] if last else groups


def _tensor(name):
    return {"Name": name, "Dimensions": [1, 8], "Format/Datatype": "Row major linear FP16 format"}
