"""What is stated of the ONNX model, by what is known of it."""

from __future__ import annotations

from dataclasses import replace

from onnx_engines import fused_engine

from trexreport.analyzer import analyze
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.wording.onnx import coverage, onnx_sentence


def analyzed(engine):
    return analyze(engine.read())


def test_the_nodes_in_layers_and_their_part_of_the_time():
    engine = fused_engine(60, "metadata", 1)
    analysis = analyzed(engine)
    inside = len(set().union(*engine.truth))
    assert onnx_sentence(analysis).startswith(
        f"{inside} of {len(analysis.onnx.nodes)} nodes of model.onnx are in layers; "
        f"{len(engine.reasons)} folded or eliminated by the builder. "
    )
    assert coverage(analysis.onnx) in render_html(analysis, [], HtmlOptions()).decode()
    of_nodes = [row["averageMs"] for row, nodes in zip(engine.profile, engine.truth, strict=True) if nodes]
    share = 100 * sum(of_nodes) / sum(row["averageMs"] for row in engine.profile)
    assert coverage(analysis.onnx) == f"{share:.1f}% of layer time in its nodes"
    untimed = replace(analysis.onnx, total_ms=None)
    assert coverage(untimed) == f"{inside} of {inside} named nodes found"


def test_another_model_is_in_the_head_of_the_page():
    engine = fused_engine(60, "metadata", 1)
    engine.model = fused_engine(60, "metadata", 2).model
    analysis = analyzed(engine)
    sentence = onnx_sentence(analysis)
    assert "model.onnx is not the model of this engine: it has " in sentence
    page = render_html(analysis, [], HtmlOptions()).decode()
    assert f'<p class="notice">{sentence}</p>' in page
    assert "Time by module" not in page


def test_a_model_of_which_nothing_is_named():
    engine = fused_engine(60, "myelin", 1)
    for layer in engine.layers:
        layer["Metadata"] = ""
        layer["Outputs"] = [{**layer["Outputs"][0], "Name": "o" + layer["Outputs"][0]["Name"]}]
    analysis = analyzed(engine)
    assert (analysis.onnx.match, analysis.onnx.nodes) == ("unknown", ())
    assert "nothing is known of its nodes" in onnx_sentence(analysis)
