"""Real engines with the graphs that they were built from, and with those of each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.reader import read_engine

SHARED = Path(__file__).resolve().parents[4] / "shared"
ENGINES = {
    "resnet18": SHARED / "engines" / "rtx3060-resnet18-fp16-trt10",
    "mnist": SHARED / "trtexec" / "real-10.16.1-h100" / "trtexec-model-trained-exportLayerInfo.log",
}
MODELS = {"resnet18": "resnet18-names-only.onnx", "mnist": "mnist-dynamo.onnx"}
#: How many nodes the layers name, and type and reason of those in no layer.
KNOWN = {"resnet18": (48, {("Flatten", "view")}), "mnist": (11, {("Reshape", "view")})}

pytestmark = pytest.mark.engines


def model_beside(engine, model):
    files = {"onnx": SHARED / "field" / MODELS[model]}
    return analyze(read_engine(ENGINES[engine], files=files)).onnx


@pytest.mark.parametrize("name", ENGINES)
def test_every_stated_node_is_in_the_model(name):
    found = model_beside(name, name)
    stated, absent = KNOWN[name]
    assert (found.match, found.stated_names, found.matched_names) == ("same", stated, stated)
    assert {(node.op_type, node.reason) for node in found.nodes if not node.layers} == absent
    assert {node.evidence for node in found.nodes if node.layers} == {"metadata"}


@pytest.mark.parametrize(("engine", "model"), [("resnet18", "mnist"), ("mnist", "resnet18")])
def test_the_model_of_the_other_engine_is_refused(engine, model):
    found = model_beside(engine, model)
    assert (found.match, found.matched_names, found.nodes) == ("other", 0, ())


def test_the_time_without_a_node_is_known():
    found = model_beside("resnet18", "resnet18")
    assert found.unmapped_ms == pytest.approx(0.0101, abs=1e-4)
    assert found.total_ms == pytest.approx(0.3635, abs=1e-4)


def test_source_lines_come_from_the_exporter():
    found = model_beside("mnist", "mnist")
    assert [group.name for group in found.by_source] == ["mnist/model.py:6"]
    assert {"conv1", "gemm2"} <= {group.name for group in found.by_module}
