"""Models made by hand with the `onnx` package: every part of one that is read."""

from __future__ import annotations

import numpy as np
from onnx import AttributeProto, TensorProto, helper, numpy_helper


def value(name, shape=(1, "batch", None), data_type=TensorProto.FLOAT16):
    return helper.make_tensor_value_info(name, data_type, shape)


def with_metadata(message, **entries):
    helper.set_metadata_props(message, {key.replace("__", "."): text for key, text in entries.items()})
    return message


def model_of(graph, **changes):
    return helper.make_model(graph, **{"opset_imports": [helper.make_opsetid("", 20)], **changes})


def plain():
    weight = numpy_helper.from_array(np.zeros((4, 3), np.float16), "w")
    node = helper.make_node(
        "Gemm",
        ["x", "w", ""],
        ["y"],
        name="",
        alpha=0.5,
        transB=1,
        axes=[-1, 2, 2**62],
        mode="añb",
        kinds=["a", ""],
    )
    node.attribute.append(helper.make_attribute("scales", [1.5, float("inf"), -0.0]))
    node.attribute.append(helper.make_attribute("none", [], attr_type=AttributeProto.INTS))
    node.attribute.append(helper.make_attribute("value", weight))
    with_metadata(node, namespace=": Model/fc", pkg__torch__onnx__stack_trace='File "m.py", line 3\n  y = x')
    graph = helper.make_graph(
        [node, helper.make_node("Relu", ["y"], ["z"], name="relu", domain="ai.onnx")],
        "main",
        [value("x"), value("w", (4, 3))],
        [value("z", None), helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, (1,))],
        [weight, helper.make_tensor("c", TensorProto.INT64, [2], [-1, 5])],
        value_info=[value("y", (), 99)],
    )
    model = model_of(
        graph,
        producer_name="pytorch",
        producer_version="2.15",
        domain="a.b",
        model_version=-3,
        opset_imports=[helper.make_opsetid("ai.onnx", 20), helper.make_opsetid("c", 1)],
    )
    return with_metadata(model, framework="x", empty="")


def subgraphs():
    def branch(name, *nodes):
        return helper.make_graph(
            list(nodes), name, [], [value("o")], [helper.make_tensor("k", 1, [1], [2.0])]
        )

    inner = helper.make_node(
        "If",
        ["c"],
        ["o"],
        name="inner",
        then_branch=branch("a", helper.make_node("Neg", ["x"], ["o"], name="neg")),
        else_branch=branch("b"),
    )
    loop = helper.make_node("Loop", ["n", "c"], ["o"], name="loop", body=branch("body", inner))
    loop.attribute.append(helper.make_attribute("cases", [branch("one"), branch("two", inner)]))
    return model_of(helper.make_graph([loop], "g", [value("x")], [value("o")]))


def functions():
    inner = helper.make_node("Pow", ["x"], ["y"], name="pow", domain="own")
    inner.attribute.add(name="exponent", type=AttributeProto.INT, ref_attr_name="e")
    opset = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    first = helper.make_function("own", "F", ["x"], ["y"], [inner], opset, ["e"])
    second = helper.make_function("own", "F", ["x"], ["y"], [inner], opset, overload="two")
    calls = [helper.make_node("F", ["x"], ["z"], name="call", domain="own", overload="two", e=2)]
    return model_of(helper.make_graph(calls, "g", [value("x")], [value("z")]), functions=[first, second])


def external():
    tensors = []
    for index, entries in enumerate(({"location": "w.bin", "length": "24"}, {"location": "w.bin"})):
        tensor = TensorProto(name=f"w{index}", data_type=TensorProto.FLOAT8E4M3FN, dims=[2, 12])
        tensor.data_location = TensorProto.EXTERNAL
        for key, text in entries.items():
            tensor.external_data.add(key=key, value=text)
        tensors.append(tensor)
    sparse = helper.make_sparse_tensor(
        helper.make_tensor("s", TensorProto.FLOAT, [1], [3.0]), helper.make_tensor("i", 7, [1], [2]), [3]
    )
    graph = helper.make_graph([], "g", [value("s"), value("x")], [], tensors, sparse_initializer=[sparse])
    return model_of(graph)


def large_values():
    """Values at and over the sizes that are read with what is around them."""
    nodes = []
    for index, size in enumerate((1, 999, 1000, 1001, 16_000, 16_384, 16_385, 100_000)):
        node = helper.make_node("Op", ["x" * size], [f"y{index}"], name=f"n{index}", i=1)
        node.attribute.append(helper.make_attribute("ints", list(range(-size, 0))))
        node.attribute.append(helper.make_attribute("floats", [0.5] * size))
        node.attribute.append(helper.make_attribute("text", "é" * (size // 2)))
        node.attribute.append(helper.make_attribute("texts", ["a" * size, "b"]))
        node.attribute.append(helper.make_attribute("value", numpy_helper.from_array(np.zeros(size))))
        node.op_type = f"After{index}"
        nodes.append(with_metadata(node, trace="t" * min(size, 65_536), after="a"))
    weights = [
        numpy_helper.from_array(np.zeros(7 * size, np.int8), f"w{size}") for size in range(0, 4000, 37)
    ]
    weights += [helper.make_tensor(f"f{size}", 1, [size], [0.0] * size) for size in (0, 5, 5000)]
    model = model_of(helper.make_graph(nodes, "g", [value("x", range(9000))], [], weights))
    # A name over 64 KiB is cut.
    model.graph.node[-1].input[0] = "x"
    return model


MODELS = {made.__name__: made for made in (plain, subgraphs, functions, external, large_values)}
