"""What joins the row of a fused layer, and what is a layer that the other engine lacks."""

from __future__ import annotations

from alignment_plans import analysis_of, convolution, layer, metadata

from trexreport.analyzer.comparison.align import align


def rows_of(one, other):
    return [tuple(row.layers) for row in align([analysis_of(one), analysis_of(other)]).rows]


def chain(*, more=(), names=("/a", "/b", "/c"), stated=True):
    """Return three convolutions with their activations fused; behind the second what is given."""
    layers, source = [], "input"
    for at, name in enumerate(names):
        nodes = metadata(f"{name}/Conv", f"{name}/Relu")
        text = f"{name}/Conv + {name}/Relu"
        layers.append(
            convolution(text, [source], [f"t{at}"], 8 + at, **({"Metadata": nodes} if stated else {}))
        )
        source = f"t{at}"
        for number, (name_of_new, kind) in enumerate(more if at == 1 else ()):
            nodes = {"Metadata": metadata(name_of_new)} if stated else {}
            written = (f"n{number}", [1, 9, 4, 4])
            layers.append(layer(name_of_new, kind, [(source, [1, 9, 4, 4])], [written], **nodes))
            source = f"n{number}"
    return layers


NEW = [("/b/gate/Sigmoid", "Activation"), ("/b/gate/Mul", "ElementWise")]


def test_new_layers_in_the_module_of_a_fused_layer_have_rows_of_their_own():
    """The fused layer names no more operations than its counterpart, so it cannot do theirs."""
    for stated in (True, False):
        found = rows_of(chain(stated=stated), chain(more=NEW, stated=stated))
        assert found == [([0], [0]), ([1], [1]), ([], [2]), ([], [3]), ([2], [4])]


def test_new_layers_have_rows_of_their_own_where_all_others_are_renamed():
    found = rows_of(chain(), chain(more=NEW, names=("/x", "/y", "/z")))
    assert found == [([0], [0]), ([1], [1]), ([], [2]), ([], [3]), ([2], [4])]


def test_what_was_split_off_a_renamed_layer_is_in_its_row():
    """The fused layer names two operations, and both parts of the other one each."""
    other = chain(names=("/x", "/y", "/z"))
    other[1]["Name"], other[1]["Metadata"] = "/y/Conv", metadata("/y/Conv")
    other[1]["Outputs"][0]["Name"] = "inner"
    ends = [("inner", [1, 9, 4, 4])], [("t1", [1, 9, 4, 4])]
    other.insert(2, layer("PWN(/y/Relu)", "PointWiseV2", *ends, Metadata=metadata("/y/Relu")))
    assert rows_of(chain(), other) == [([0], [0]), ([1], [1, 2]), ([2], [3])]


def test_an_operation_that_a_fused_layer_names_beside_its_product_is_in_its_row():
    """The export with quantizers lacks an activation, which the counts of operations would miss."""
    one = [
        convolution("Conv_0 + Relu_1", ["input"], ["a"]),
        layer("MaxPool_2", "CaskPooling", ["a"], [("b", [1, 8, 2, 2])]),
        convolution("Conv_3", [("b", [1, 8, 2, 2])], ["c"], 16),
        convolution("Conv_4", [("c", [1, 16, 4, 4])], ["d"], 32),
    ]
    other = [
        convolution("Conv_9 + MaxPool_12", ["input"], [("x", [1, 8, 2, 2])]),
        convolution("Conv_15", [("x", [1, 8, 2, 2])], ["y"], 16),
        convolution("Conv_19", [("y", [1, 16, 4, 4])], ["z"], 32),
    ]
    other[0]["Outputs"][0]["Dimensions"] = [1, 8, 2, 2]
    assert rows_of(one, other) == [([0, 1], [0]), ([2], [1]), ([3], [2])]


def test_a_kernel_of_the_same_operations_does_no_product_beside_them():
    def plan(*, inner):
        layers = [convolution("/a/Conv", ["input"], ["a"])]
        layers.append(layer("__myl_MulAdd_myl0_1", "kgen", ["a"], ["b"]))
        if inner:
            layers.append(convolution("/b/Conv", ["b"], ["c"]))
        layers.append(convolution("/c/Conv", ["c" if inner else "b"], ["d"], 16))
        return layers

    assert rows_of(plan(inner=True), plan(inner=False)) == [
        ([0], [0]),
        ([1], [1]),
        ([2], []),
        ([3], [2]),
    ]


def test_a_product_and_a_kernel_that_gives_the_same_result_are_one_row():
    """A classifier is a convolution of extents of 1 in one engine, a kernel without them in the other."""

    def plan(last):
        body = [
            convolution(f"/{at}/Conv", [f"t{at}"], [f"t{at + 1}"], 8 + at, Metadata=metadata(f"/{at}/Conv"))
            for at in range(4)
        ]
        return [*body, last]

    one = plan(convolution("Gemm_48", ["t4"], [("out", [1, 100, 1, 1])], 100))
    one[-1]["Outputs"][0]["Dimensions"] = [1, 100, 1, 1]
    other = plan(layer("__myl_MulSumAdd_myl24_1", "kgen", ["t4"], [("out", [1, 100])]))
    assert rows_of(one, other)[-1] == ([4], [4])


def test_equal_products_differ_by_what_is_fused_into_them():
    """All names differ; only one of each pair of equal convolutions reads a residual."""

    def plan(names, kept):
        layers = []
        for at in kept:
            source = "input" if not layers else layers[-1]["Outputs"][0]["Name"]
            reads = [source, "input"] if at % 2 else [source]
            layers.append(convolution(names(at), reads, [f"{names(at)}_out"]))
        return layers

    one = plan(lambda at: f"/{at}/Conv + /{at}/Add" if at % 2 else f"/{at}/Conv", range(8))
    kept = [0, 1, 2, 4, 5, 6, 7]
    other = plan(lambda at: f"__myl_ConvAdd_myl0_{at}" if at % 2 else f"__myl_Conv_myl0_{at}", kept)
    assert rows_of(one, other) == [([at], [kept.index(at)] if at in kept else []) for at in range(8)]


def test_a_new_kernel_is_not_part_of_a_layer_that_names_what_its_counterpart_computes():
    def plan(*names, new=False):
        layers = [convolution(name, [f"t{at}"], [f"t{at + 1}"], 8 + at) for at, name in enumerate(names)]
        if new:
            layers.insert(
                2, layer("__myl_Sigm_myl0_9", "kgen", [("t2", [1, 9, 4, 4])], [("n", [1, 9, 4, 4])])
            )
            layers[3]["Inputs"] = layers[2]["Outputs"]
        return layers

    one = plan("/a/Conv + /a/Relu", "/b/Conv + /b/Relu", "/c/Conv")
    other = plan("__myl_ConvRelu_myl0_1", "__myl_ConvRelu_myl0_2", "__myl_Conv_myl0_3", new=True)
    assert rows_of(one, other) == [([0], [0]), ([1], [1]), ([], [2]), ([2], [3])]


def of_myelin(*rows, stated=False):
    """Return products as Myelin names them, after themselves alone, and the kernels behind them."""
    layers, source = [], "input"
    for at, (product, *kernels) in enumerate(rows):
        nodes = {"Metadata": metadata(f"/{product}/MatMul")} if stated else {}
        written = f"t{at}"
        layers.append(
            convolution(f"/{product}/MatMul_myl0_{len(layers)}", [source], [written], 8 + at, **nodes)
        )
        for kernel in kernels:
            ends = [(written, [1, 8 + at, 4, 4])], [(f"{written}_", [1, 8 + at, 4, 4])]
            layers.append(layer(f"__myl_{kernel}_myl0_{len(layers)}", "kgen", *ends))
            written = f"{written}_"
        source = written
    return layers


def test_a_product_of_myelin_may_hold_what_its_name_leaves_out():
    split, fused = of_myelin(["a", "Add"], ["b", "Add"], ["c"]), of_myelin(["a"], ["b"], ["c"])
    assert rows_of(fused, split) == [([0], [0, 1]), ([1], [2, 3]), ([2], [4])]


def test_a_product_of_myelin_of_which_metadata_states_all_holds_no_more():
    split = of_myelin(["a", "Add"], ["b", "Add"], ["c"], stated=True)
    fused = of_myelin(["a"], ["b"], ["c"], stated=True)
    assert rows_of(fused, split) == [([0], [0]), ([], [1]), ([1], [2]), ([], [3]), ([2], [4])]


def test_a_product_of_myelin_may_hold_what_an_engine_that_names_everything_does_beside_it():
    listed, source = [], "input"
    for at, name in enumerate("abc"):
        listed.append(convolution(f"/{name}/MatMul", [source], [f"t{at}"], 8 + at))
        ends = [(f"t{at}", [1, 8 + at, 4, 4])], [(f"t{at}_", [1, 8 + at, 4, 4])]
        listed.append(layer(f"/{name}/Add", "ElementWise", *ends))
        source = f"t{at}_"
    fused = of_myelin(["a"], ["b"], ["c"])
    assert rows_of(listed, fused) == [([0, 1], [0]), ([2, 3], [1]), ([4, 5], [2])]


def test_a_kernel_that_runs_behind_equal_products_elsewhere_is_not_hidden_in_one():
    """The second of three equal products lost its kernel; the name of the product could hide it."""

    def plan(*, removed):
        rows = [[name, "Mul"] for name in "abc"]
        if removed:
            rows[1] = ["b"]
        layers = of_myelin(*rows)
        for each in layers:  # the same weights everywhere
            each.update(
                {"OutMaps": 8, "Weights": {"Type": "Float", "Count": 576}} if "OutMaps" in each else {}
            )
            for use in (*each["Inputs"], *each["Outputs"]):
                use["Dimensions"] = [1, 8, 4, 4]
        return layers

    found = rows_of(plan(removed=False), plan(removed=True))
    assert found == [([0], [0]), ([1], [1]), ([2], [2]), ([3], []), ([4], [3]), ([5], [4])]


def test_a_part_that_was_split_off_is_that_of_the_layer_that_lacks_it():
    """Both kernels name one node, and the other engine's first kernel has all of its nodes still."""

    def kernels(*nodes):
        layers, source = [], "input"
        for at, of_layer in enumerate(nodes):
            ends = [(source, [1, 8, 4, 4])], [(f"t{at}", [1, 8, 4, 4])]
            layers.append(layer(f"__myl_{at}_myl0_{at}", "kgen", *ends, Metadata=metadata(*of_layer)))
            source = f"t{at}"
        return layers

    one = kernels(["/a/Reshape", "/a/Mul"], ["/a/Softmax", "/a/Mul"])
    other = kernels(["/a/Reshape", "/a/Mul"], ["/a/Softmax"], ["/a/Mul"])
    assert rows_of(one, other) == [([0], [0]), ([1], [1, 2])]


def test_a_layer_that_names_its_product_alone_holds_no_layer_without_a_name():
    def plan(names, *, new):
        layers = [convolution(name, [f"t{at}"], [f"t{at + 1}"], 8 + at) for at, name in enumerate(names)]
        if new:
            new_layer = layer("onnx::Op_9", "Scale", [("t2", [1, 9, 4, 4])], [("n", [1, 9, 4, 4])])
            layers.insert(2, new_layer)
            layers[3]["Inputs"] = new_layer["Outputs"]
        return layers

    one = plan(["/a/Conv", "/b/Conv", "/c/Conv"], new=False)
    other = plan(["onnx::Op_1", "onnx::Op_4", "onnx::Op_7"], new=True)
    assert rows_of(one, other) == [([0], [0]), ([1], [1]), ([], [2]), ([2], [3])]
