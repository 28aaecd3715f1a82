"""Tensors: who writes and reads them, and what they are."""

from __future__ import annotations

import dataclasses

import pytest
from figure_plans import engine, entry, roles, tensor

from trexreport.analyzer import analyze
from trexreport.model import TORN, Binding, DataFormat, Engine, InputWarning
from trexreport.model.tensor_views import tensor_views
from trexreport.renderer.graph.composing import compose
from trexreport.renderer.graph.drawing import draw_graph


class TestTensors:
    def test_roles(self):
        analysis = analyze(
            engine(
                ("A", (entry("x"), entry("c")), (tensor("t"),), 1.0),
                ("B", (tensor("t"),), (tensor("y"),), 1.0),
            )
        )
        assert roles(analysis) == {"x0": "input", "c0": "constant", "t1": "activation", "y1": "output"}

    def test_an_input_under_the_mark_of_a_profile(self):
        marked = entry("x [profile 1]")
        plan = engine(("A", (marked,), (tensor("y"),), 1.0), inputs=())
        plan = Engine("e", plan.layers, (Binding("x", "input", marked),))
        assert roles(analyze(plan))["x [profile 1]0"] == "input"

    def test_parts_of_a_tensor_under_other_names(self):
        parts = tuple(entry(name, 1, 2, 8) for name in ("q", "k", "v"))
        analysis = analyze(
            engine(
                ("A", (entry("x"),), (tensor("qkv", 2, 24),), 1.0),
                ("B", (*parts, entry("w_dconst", 1, 2, 8)), (tensor("y"),), 1.0),
            )
        )
        found = {each.name: (each.role, each.alias_of is not None) for each in analysis.tensors}
        assert [found[name] for name in "qkv"] == [("activation", True)] * 3
        assert found["w_dconst"] == ("constant", False)
        assert not [note for note in analysis.notes if "torn" in note.slug]

    @pytest.mark.parametrize(
        ("layers", "name", "extents", "is_found"),
        [
            (["A", "B"], "h_first", (2, 4), True),
            (["A", "B"], "h2", (2, 4), False),
            (["A_myl0_7", "B_myl0_8"], "t", (2, 4), True),
            (["A_myl0_7", "B_myl0_8"], "t", (4, 2), False),
            (["A_myl0_7", "B"], "t", (2, 4), False),
        ],
        ids=["by name", "a longer name", "the next kernel of Myelin", "other rows", "no kernel of Myelin"],
    )
    def test_a_slice_under_another_name(self, layers, name, extents, is_found):
        plan = engine(
            ("A", (entry("x"),), (tensor("h", 6, 4),), 1.0),
            ("B", (entry(name, *extents), entry("w_dconst", 4, 8)), (tensor("y"),), 1.0),
        )
        named = [dataclasses.replace(layer, name=own) for layer, own in zip(plan.layers, layers, strict=True)]
        assert tensor_views(named, plan.bindings) == ({name: "h"} if is_found else {})

    def test_what_is_multiplied_by_weights_is_none_where_layers_are_torn(self):
        plan = engine(
            ("A", (entry("x"),), (tensor("h", 3, 5),), 1.0),
            ("B", (entry("rows", 7, 4), entry("columns", 4, 8)), (tensor("y"),), 1.0),
        )
        found = roles(analyze(plan))
        assert (found["rows0"], found["columns0"]) == ("constant", "constant")
        torn = dataclasses.replace(plan, notes=(InputWarning("degraded", TORN, "Torn."),))
        found = roles(analyze(torn))
        assert (found["rows0"], found["columns0"]) == ("activation", "constant")

    @pytest.mark.parametrize(("forms", "is_found"), [(1, True), (100, True), (101, False)])
    def test_a_part_is_of_the_last_tensor_before_it(self, forms, is_found):
        parts = tuple(entry(name, 1, 2, 8) for name in ("q", "k", "v"))
        others = [(f"O{size}", (entry("x"),), (entry(f"o{size}", 7, size),), 1.0) for size in range(1, forms)]
        plan = engine(
            *others,
            ("A", (entry("x"),), (tensor("first", 2, 24),), 1.0),
            ("B", (entry("x"),), (tensor("second", 2, 24),), 1.0),
            ("C", parts, (tensor("y"),), 1.0),
            ("D", (entry("y"),), (tensor("third", 2, 24),), 1.0),
        )
        found = tensor_views(plan.layers, plan.bindings)
        assert found == (dict.fromkeys("qkv", "second") if is_found else {})

    def test_a_binding_that_is_updated_in_place(self):
        before, after = entry("cache"), tensor("cache")
        plan = engine(
            ("A", (entry("x"), before), (tensor("t"),), 1.0), ("B", (tensor("t"),), (after,), 1.0), outputs=()
        )
        bindings = (*plan.bindings, Binding("cache", "input", before), Binding("cache", "output", after))
        analysis = analyze(Engine("e", plan.layers, bindings))
        assert roles(analysis) == {"x0": "input", "cache0": "input", "t1": "activation", "cache1": "output"}
        assert [(each.name, each.mode) for each in analysis.bindings] == [
            ("x", "input"),
            ("cache", "input"),
            ("cache", "output"),
        ]
        picture = compose(analysis)
        assert [
            (box.key, [(row.kind, row.tensor) for row in box.rows]) for box in picture.boxes if box.rows
        ] == [
            ("above:layer:0", [("input", 0), ("input", 1)]),
            ("below:layer:1", [("output", 3)]),
        ]

    def test_what_a_loop_carries_over(self):
        analysis = analyze(
            engine(
                ("A", (entry("x"), entry("state")), (tensor("t"),), 1.0),
                ("B", (tensor("t"),), (tensor("state"),), 1.0),
                ("C", (tensor("state"),), (tensor("y"),), 1.0),
            )
        )
        assert roles(analysis)["state0"] == "activation"
        carried = next(each for each in analysis.tensors if (each.name, each.version) == ("state", 0))
        assert carried.producers == [1]
        assert analysis.memory.activations_bytes == 32
        assert analysis.memory.constants_bytes == 0
        back = [(each.source, each.target) for each in compose(analysis).arrows if each.back]
        assert back == [("layer:1", "layer:0")]
        assert draw_graph(analysis).svg.startswith("<svg")

    def test_each_tensor_counts_once_with_its_largest_view(self):
        concat = engine(
            ("A", (entry("x", 4),), (tensor("t", 1, 10),), 1.0),
            ("B", (entry("x", 4),), (tensor("t", 1, 30),), 1.0),
            ("C", (tensor("t", 1, 40),), (tensor("y", 4),), 1.0),
            ("D", (tensor("t", 1, 40),), (tensor("y", 4),), 1.0),
        )
        analysis = analyze(concat)
        assert analysis.memory.activations_bytes == 80
        assert analysis.tensors[1].producers == [0, 1]
        assert analysis.tensors[1].consumers == [2, 3]
        assert analysis.memory.bindings_bytes == 16

    def test_a_no_op_shares_the_memory_of_its_input(self):
        analysis = analyze(
            engine(
                ("A", (entry("x"),), (tensor("t"),), 1.0),
                ("NoOp", (tensor("t"),), (tensor("u"),), None),
                ("NoOp", (tensor("u"),), (tensor("v"),), None),
                ("B", (tensor("v"),), (tensor("y"),), 1.0),
            )
        )
        names = [each.name for each in analysis.tensors]
        aliases = {each.name: each.alias_of and names[each.alias_of] for each in analysis.tensors}
        assert aliases == {"x": None, "t": None, "u": "t", "v": "t", "y": None}
        assert analysis.memory.activations_bytes == 16
        assert analysis.memory.live_bytes == [16, 16, 16, 16]

    def test_what_a_no_op_hands_on_as_an_output_counts_with_the_outputs(self):
        analysis = analyze(
            engine(("A", (entry("x"),), (tensor("t"),), 1.0), ("NoOp", (tensor("t"),), (tensor("y"),), None))
        )
        assert analysis.memory.activations_bytes == 0
        assert analysis.memory.peak_live_bytes == 0
        assert analysis.memory.bindings_bytes == 32

    def test_a_buffer_that_several_no_ops_fill_is_a_buffer(self):
        analysis = analyze(
            engine(
                ("NoOp", (entry("x", 4),), (tensor("t", 4),), None),
                ("NoOp", (entry("z", 4),), (tensor("t", 4),), None),
                ("B", (tensor("t", 8),), (tensor("y"),), 1.0),
                inputs=("x", "z"),
            )
        )
        assert analysis.memory.activations_bytes == 16

    def test_a_tensor_that_is_read_twice_moves_once(self):
        views = (tensor("t", 4, 2), tensor("t", 2, 4), tensor("t", 1, 4))
        analysis = analyze(
            engine(("A", (entry("x"),), (tensor("t"),), 1.0), ("B", views, (tensor("y"),), 1.0))
        )
        assert analysis.layers[1].input_bytes == 16
        assert analysis.layers[1].moved_bytes == 32

    def test_unknown_is_counted_and_not_zero(self):
        odd = DataFormat("odd")
        analysis = analyze(
            engine(
                ("A", (entry("x"),), (tensor("t", kind=odd),), 1.0),
                ("B", (tensor("t", kind=odd),), (tensor("y", -1),), 1.0),
            )
        )
        assert analysis.memory.activations_unknown == 1
        assert [layer.moved_bytes for layer in analysis.layers] == [None, None]
        assert [layer.bandwidth_gbs for layer in analysis.layers] == [None, None]

    def test_padding(self):
        packed = DataFormat("x", "INT8", "NC/32HW32", 32)
        analysis = analyze(engine(("A", (entry("x", 1, 3, 4, 4, kind=packed),), (tensor("y"),), 1.0)))
        assert analysis.memory.padding_bytes == 29 * 16
