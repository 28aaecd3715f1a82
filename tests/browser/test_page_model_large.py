"""The graph of large ONNX models, of engines without tensors, and of names that are not names."""

from __future__ import annotations

import json
import re

import pytest
from onnx_engines import fused_engine
from page_helpers import expect_selected, scroll_to, wait_for_frames
from playwright.sync_api import expect

from trexreport.analyzer import analyze
from trexreport.model.onnx import OnnxGraph, OnnxModel, OnnxNode, OnnxValue
from trexreport.reader import read_engine
from trexreport.reader.onnx.structure import write_structure

#: Its engine has more layers than are drawn in the page.
NODES = 2000
HOSTILE = [
    "</script><img src=x onerror=hx()>",
    "a\u202eb",
    "__proto__",
    "constructor",
    "x" * 3000,
    '"><svg onload=hx()>',
]


def write(folder, engine, layers=None):
    """Write an engine and its model as a capture."""
    folder.mkdir(exist_ok=True)
    content = {"Layers": engine.layers if layers is None else layers, "Bindings": []}
    (folder / "x.graph.json").write_text(json.dumps(content))
    (folder / "x.onnx-structure.json").write_bytes(write_structure(engine.model))
    if layers is None:
        (folder / "x.profile.json").write_text(json.dumps(engine.profile))
    return folder


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return write(tmp_path_factory.mktemp("large") / "x", fused_engine(NODES, "metadata", 1))


def test_a_large_model_opens_as_blocks(open_report, report_of, large):
    facts = analyze(read_engine(large))
    page = open_report(report_of(large), "#view=both", reduced_motion="reduce", width=1440, height=1000)
    scroll_to(page, "#graphs")
    wait_for_frames(page)
    assert page.locator("#model-graph .plan-block").count() > 3
    expect(page.locator("#model-graph .node")).to_have_count(0)
    # A layer whose nodes are in a closed block: the block opens.
    index, own = next((at, own) for at, own in enumerate(facts.onnx.layer_nodes) if at > 300 and len(own) > 2)
    page.evaluate("(index) => void (location.hash = `#L${index}`)", index)
    wait_for_frames(page)
    for node in own:
        expect(page.locator(f"#model-graph .node[data-layer='{node}']")).to_have_class(re.compile("is-lit"))
    # And back from a node to a layer in a closed block of the engine.
    node = facts.onnx.nodes[facts.onnx.layer_nodes[20][0]]
    page.locator("#model-graph-find").fill(node.name)
    page.locator("#model-find-next").click()
    expect_selected(page, node.name)
    wait_for_frames(page)
    for layer in node.layers:
        expect(page.locator(f"#engine-graph .node[data-layer='{layer}']")).to_have_class(re.compile("is-lit"))
    page.locator("#model-plan-close-all").click()
    wait_for_frames(page)
    expect(page.locator("#model-graph .node")).to_have_count(0)
    assert page.locator("#model-graph .plan-block.is-selected").count() == 1


def test_an_engine_of_names_has_the_graph_of_its_model(open_report, report_of, tmp_path):
    engine = fused_engine(NODES, "names", 3)
    capture = write(tmp_path / "x", engine, [layer["Name"] for layer in engine.layers])
    facts = analyze(read_engine(capture))
    assert facts.identity.names_only
    assert len(facts.layers) > 300
    page = open_report(report_of(capture), reduced_motion="reduce")
    expect(page.locator("#engine-graph")).to_contain_text("No graph")
    page.locator("#view-onnx").click()
    page.locator("#model-graph-find").fill("type:MatMul")
    page.locator("#model-find-next").click()
    assert page.locator("#model-graph .node.is-selected").count() == 1


def test_names_of_nodes_are_texts(open_report, report_of, tmp_path):
    engine = fused_engine(60, "metadata", 5)
    nodes = list(engine.model.graph.nodes)
    for at, name in enumerate(HOSTILE):
        nodes[at] = OnnxNode(f"/m/{name}/{name}", name, inputs=nodes[at].inputs, outputs=nodes[at].outputs)
    graph = OnnxGraph("g", tuple(nodes), (OnnxValue("x"),), (OnnxValue(nodes[-1].outputs[0]),))
    engine.model = OnnxModel("m.onnx", graph=graph)
    page = open_report(report_of(write(tmp_path / "x", engine)), "#view=onnx", reduced_motion="reduce")
    page.evaluate("void (window.hx = () => (document.title = 'run'))")
    page.locator("#model-plan-open-all").click()
    for by in ("type", "precision", "time", "findings", "layer"):
        if page.locator(f"#model-graph-color option[value='{by}']").count():
            page.locator("#model-graph-color").select_option(by)
    for at in range(len(HOSTILE)):
        page.evaluate("(at) => (location.hash = `#node=${at}`)", at)
        wait_for_frames(page)
        expect(page.locator("#detail")).to_be_visible()
    assert page.title() != "run"
    assert page.locator("#graph img, #detail img").count() == 0
    page.evaluate("location.hash = '#node=100000'")
    expect(page.get_by_text("no node 100000")).to_be_visible()
