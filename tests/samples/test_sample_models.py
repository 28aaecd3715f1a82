"""The ONNX models of the samples are valid, and have every node that the layers of their engines state."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import make_samples
import onnx
import pytest

from trexreport.analyzer import analyze
from trexreport.reader import read_engine

FOLDER = Path(make_samples.__file__).resolve().parent
NAMES = make_samples.WITH_MODEL


def model_path(name):
    return FOLDER / "models" / f"{name}.onnx"


@pytest.fixture(scope="module", params=NAMES)
def described(request):
    """The name of a sample, and its model beside its engine as the analyzer describes it."""
    files = {"onnx": model_path(request.param)}
    return request.param, analyze(read_engine(FOLDER / request.param, files=files))


@pytest.mark.parametrize("name", NAMES)
def test_the_generator_reproduces_the_committed_bytes(name):
    assert model_path(name).read_bytes() == make_samples.model_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_model_is_valid(name):
    model = onnx.load(model_path(name), load_external_data=False)
    # The checker wants the files of external data: it sees the weights as inputs instead.
    for weight in model.graph.initializer:
        value = onnx.helper.make_tensor_value_info(weight.name, weight.data_type, list(weight.dims))
        model.graph.input.append(value)
    del model.graph.initializer[:]
    onnx.checker.check_model(model)
    inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    shapes = {
        value.name: [extent.dim_value for extent in value.type.tensor_type.shape.dim]
        for value in inferred.graph.value_info
    }
    engine = json.loads((FOLDER / name / f"{name}.engine.graph.json").read_text())
    tensors = {
        tensor["Name"]: tensor["Dimensions"] for layer in engine["Layers"] for tensor in layer["Outputs"]
    }
    common = shapes.keys() & tensors.keys()
    # The engine computes the classifier as a convolution, so its tensors have two more extents.
    assert {each: shapes[each] for each in common if "/fc/" not in each} == {
        each: tensors[each] for each in common if "/fc/" not in each
    }
    assert len(common) > 20


def test_every_node_that_the_layers_state_is_in_the_model(described):
    _, analysis = described
    model = analysis.onnx
    assert (model.match, model.matched_names) == ("same", model.stated_names)
    assert model.stated_names > 60
    assert {node.evidence for node in model.nodes if node.layers} == {"metadata"}


def test_the_reasons_of_the_others_are_true(described):
    name, analysis = described
    found = Counter((node.op_type, node.reason) for node in analysis.onnx.nodes if not node.layers)
    # Where the residual branch is not quantized, more of the quantizations are layers.
    quantized = 11 if name.endswith("before") else 27
    constants = 18 if name.endswith("before") else 26
    assert found == {
        ("Constant", "constant"): constants,
        ("Identity", "constant"): 3,
        ("QuantizeLinear", "quantization"): quantized,
        ("DequantizeLinear", "quantization"): 42 if name.endswith("before") else 50,
        ("BatchNormalization", "weights"): 20,
        ("Flatten", "view"): 1,
    }


def test_modules_classes_and_source_lines_are_known(described):
    _, analysis = described
    nodes = {node.name: node for node in analysis.onnx.nodes}
    convolution = nodes["/layer2/layer2.0/downsample.0/Conv"]
    assert convolution.module == ["layer2", "layer2.0", "downsample", "downsample.0"]
    assert convolution.class_name.endswith(".QuantConv2d")
    assert convolution.source == "models/resnet.py:67"
    assert convolution.frames[0] == "models/resnet.py:117 in forward"
    assert [frame for frame in convolution.frames if frame.startswith("site-packages/torch")]
    sources = {each.source for each in nodes.values() if each.layers}
    assert len(sources) > 10
    assert all(source.startswith("models/resnet.py:") for source in sources)
