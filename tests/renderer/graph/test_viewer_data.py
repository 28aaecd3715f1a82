"""The data of a large graph: read it as the page's script does, and check it against the analysis."""

from __future__ import annotations

import json

import pytest
from graph_plans import analysis_of, chain, decoder, layer, random_layers, unet
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.graph.viewer_data import viewer_data


def expand(pairs):
    return [
        index for first, last in zip(pairs[::2], pairs[1::2], strict=True) for index in range(first, last + 1)
    ]


class Read:
    """What a script makes of the data, by `docs/graph-data.md` alone."""

    def __init__(self, data):
        self.data = json.loads(json.dumps(data))
        hidden = set(expand(self.data["hidden"]))
        self.hidden = hidden
        count = {}
        for part in self.data["parts"]:
            count[part["block"]] = count.get(part["block"], 0) + 1
        self.parts = []
        for part in self.data["parts"]:
            shape = self.data["shapes"][part["shape"]]
            block = self.data["blocks"][part["block"]]
            assert ("layers" in part) == (count[part["block"]] > 1)
            layers = [index for index in expand(part.get("layers", block["ranges"])) if index not in hidden]
            rows = iter(part.get("rows", []))
            small = [[(letter, next(rows)) for letter in box] for box in shape.get("small", [])]
            assert next(rows, None) is None
            self.parts.append((part, shape, layers, small))

    def boxes(self, shape):
        sizes = self.data["sizes"]
        found = []
        for number in range(len(shape["at"]) // 2):
            x, y = shape["at"][2 * number : 2 * number + 2]
            width, height = sizes["layer"]
            if number >= shape["layers"]:
                rows = len(shape["small"][number - shape["layers"]])
                width, height = sizes["row"][0], rows * sizes["row"][1] + sizes["pad"]
            found.append((x, y, x + width, y + height))
        return found


def check(analysis):
    read = Read(viewer_data(analysis))
    drawn = [index for _, _, layers, _ in read.parts for index in layers]
    assert sorted([*drawn, *read.hidden]) == list(range(len(analysis.layers)))
    blocks = read.data["blocks"]
    leaves = set(range(len(blocks))) - {block["parent"] for block in blocks[1:]}
    for part, shape, layers, small in read.parts:
        assert part["block"] in leaves
        assert set(layers) <= set(expand(blocks[part["block"]]["ranges"]))
        assert shape["layers"] == len(layers)
        assert [len(box) for box in small] == [len(box) for box in shape.get("small", [])]
        _check_shape(read, shape)
        _check_edges(analysis, part, shape, layers, small)
    _check_flows(analysis, read)
    return read


def _check_shape(read, shape):
    boxes = read.boxes(shape)
    for number, (left, top, right, bottom) in enumerate(boxes):
        assert -1 <= left < right <= shape["w"] + 1
        assert -1 <= top < bottom <= shape["h"] + 1
        for other in boxes[:number]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
    assert all(0 <= x <= shape["w"] for x in shape.get("top", []) + shape.get("bottom", []))


def _check_edges(analysis, part, shape, layers, small):
    """Check that each edge of a geometry is a tensor from its source to its target."""
    edges = shape.get("edges", [])
    inside = [edge for edge in edges if edge[0] >= 0 <= edge[1]]
    assert edges[: len(inside)] == inside
    assert len(inside) == len(part.get("tensors", []))
    for edge, tensor in zip(inside, part.get("tensors", []), strict=True):
        source, target = edge[:2]
        for box, is_source in ((source, True), (target, False)):
            if box < len(layers):
                facts = analysis.layers[layers[box]]
                uses = facts.outputs if is_source else facts.inputs
                assert uses
            else:
                assert tensor == small[box - len(layers)][0][1]
    for name, ports, end in (("in", "top", 0), ("out", "bottom", 1)):
        tensors = part.get(name, [])
        assert len(tensors) == len(set(tensors)) == len(shape.get(ports, []))
        joined = {-1 - edge[end] for edge in edges if edge[end] < 0}
        assert joined == set(range(len(tensors)))
        for edge in edges:
            if edge[end] < 0:
                point = edge[2:4] if end == 0 else edge[-2:]
                assert point == [shape[ports][-1 - edge[end]], 0 if end == 0 else shape["h"]]


def _check_flows(analysis, read):
    leaf_of = {}
    for number, block in enumerate(read.data["blocks"]):
        if not any(other.get("parent") == number for other in read.data["blocks"]):
            leaf_of.update(dict.fromkeys(expand(block["ranges"]), number))
    for tensor, source, *targets in read.data["flows"]:
        assert targets
        assert source in {leaf_of[index] for index in analysis.tensors[tensor].producers}
    ports = {(part["block"], tensor) for part, *_ in read.parts for tensor in part.get("out", [])}
    flows = {(source, tensor) for tensor, source, *_ in read.data["flows"]}
    assert ports <= flows


@given(st.integers(0, 10**6), st.integers(1, 120))
def test_any_engine(seed, count):
    check(analysis_of(random_layers(seed, count)))


def test_real_engines(engines_folder):
    for folder in sorted(each for each in engines_folder.iterdir() if each.is_dir()):
        check(analyze(read_engine(folder)))


@pytest.mark.parametrize(
    "layers",
    [
        chain(["only"]),
        decoder(30),
        unet(150),
        chain([f"/m.{n}/Op" for n in range(500)]),
        [*chain(["a", "b"]), layer("c", ["in2"], ["x"]), layer("d", ["x"], ["out2"])],
        [layer("start", ["in"], ["x"]), *(layer(f"p{n}", ["x"], [f"o{n}"]) for n in range(500))],
    ],
)
def test_plans_of_odd_shapes(layers):
    check(analysis_of(layers, ("in", "in2", "out", "out2")))


def test_repeated_blocks_share_one_geometry():
    data = viewer_data(analysis_of(decoder(40)))
    shapes = [
        part["shape"] for part in data["parts"] if data["blocks"][part["block"]]["label"][:6] == "layers"
    ]
    assert len(shapes) == 40
    assert len(set(shapes[1:-1])) == 1


def test_a_tensor_that_every_block_reads_is_a_stub_and_no_flow():
    analysis = analysis_of(decoder(40))
    data = viewer_data(analysis)
    mask = next(index for index, tensor in enumerate(analysis.tensors) if tensor.name == "mask")
    assert data["flows"]
    assert all(flow[0] != mask for flow in data["flows"])
    assert sum(part.get("rows", []).count(mask) for part in data["parts"]) == 41


def test_skip_connections_are_flows_between_far_blocks():
    analysis = analysis_of(unet(150))
    data = viewer_data(analysis)
    tensors = {analysis.tensors[flow[0]].name for flow in data["flows"]}
    assert {f"d{level}" for level in range(100)} <= tensors
    # There is no room for all at a border: each end names the other end of the tensor.
    assert max(len(part.get("out", [])) for part in data["parts"]) <= 12 + 40
    shown = [tensor for part in data["parts"] for tensor in part.get("rows", [])]
    far = next(index for index, tensor in enumerate(analysis.tensors) if tensor.name == "d0")
    assert shown.count(far) == 2


def test_signals_and_waits_are_pairs():
    layers = [
        layer("a", ["in"], ["x"], StreamId=0),
        layer("signal", [], [], "signal", StreamId=0, EventId=7),
        layer("wait", [], [], "wait", StreamId=1, EventId=7),
        layer("lost", [], [], "wait", StreamId=1, EventId=8),
        layer("b", ["x"], ["out"], StreamId=1),
    ]
    data = viewer_data(analysis_of(layers))
    assert data["syncs"] == [[0, 4]]
    assert data["hidden"] == [1, 3]


def test_the_same_engine_gives_the_same_data_and_no_fact_twice():
    analysis = analysis_of(decoder(10))
    text = json.dumps(viewer_data(analysis))
    assert text == json.dumps(viewer_data(analysis_of(decoder(10))))
    assert "MatMul" not in text


def test_the_data_of_a_large_plan_is_small():
    analysis = analysis_of(decoder(200))
    data = viewer_data(analysis)
    assert len(json.dumps(data, separators=(",", ":"))) < 75 * len(analysis.layers)
