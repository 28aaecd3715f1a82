"""Classes have one order in every legend."""

from __future__ import annotations

from trexreport.renderer.palette import colors_in_order, legend_place


def test_legends_have_one_order_of_classes_whatever_the_order_of_the_data():
    precisions = ["", "INT8", "FP9", "TF32", "FP16", "BF16", "FP32"]
    roles = [f"precision:{name}" for name in precisions]
    ordered = [role.partition(":")[2] for role in sorted(roles, key=legend_place)]
    assert ordered == ["FP32", "TF32", "FP16", "BF16", "INT8", "FP9", ""]
    roles = ["other", "type:not stated", "type:Unheard", "type:Reformat", "type:Abc", "type:CaskConvolution"]
    assert sorted(roles, key=legend_place) == [
        roles[5],
        roles[3],
        roles[4],
        roles[2],
        roles[1],
        "other",
    ]
    bounds = ["bound:latency", "bound:memory", "bound:compute"]
    assert sorted(bounds, key=legend_place) == bounds[::-1]
    # What belongs to no class keeps its order.
    assert sorted(["neutral", "accent", "good"], key=legend_place) == ["neutral", "accent", "good"]
    assert list(colors_in_order("precision", {"INT8", None, "FP16"})) == ["FP16", "INT8", None]
