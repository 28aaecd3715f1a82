"""Models read by trexreport and by the `onnx` package: the structure is the same."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx_models import MODELS
from onnx_oracle import read_with_onnx

from trexreport.reader.onnx import read_onnx

WHEEL = Path(onnx.__file__).parent / "backend" / "test" / "data"
IN_WHEEL = sorted(WHEEL.rglob("*.onnx"))
#: Real graphs beside some checkouts.
FIELD = Path(__file__).resolve().parents[4] / "shared" / "field"


@pytest.mark.parametrize("name", MODELS)
def test_a_model_made_by_hand(tmp_path, name):
    path = tmp_path / "m.onnx"
    onnx.save(MODELS[name](), path)
    expected = read_with_onnx(path)
    assert expected.graph.nodes or expected.graph.initializers
    assert read_onnx(path) == expected


def test_the_wheel_has_models():
    assert len(IN_WHEEL) > 100


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.slow] * bool(at % 4)) for at, path in enumerate(IN_WHEEL)],
    ids=lambda path: str(path.relative_to(WHEEL)),
)
def test_a_model_of_the_wheel(path):
    expected = read_with_onnx(path)
    assert expected.graph.nodes
    assert read_onnx(path) == expected


@pytest.mark.engines
def test_real_models():
    paths = sorted(FIELD.glob("*.onnx"))
    assert paths
    for path in paths:
        assert read_onnx(path) == read_with_onnx(path)


def test_what_pytorch_writes_of_a_node(tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(MODELS["plain"](), path)
    model = read_onnx(path)
    first, second = model.graph.nodes
    assert first.metadata["pkg.torch.onnx.stack_trace"].splitlines()[0] == 'File "m.py", line 3'
    assert first.attributes["axes"] == (-1, 2, 2**62)
    assert "value" not in first.attributes
    assert second.domain == ""
    assert model.opsets == {"": 20, "c": 1}
    assert [each.name for each in model.graph.inputs] == ["x"]
    assert model.graph.inputs[0].shape == (1, "batch", "")
    assert model.graph.values[0].data_type == "type 99"


def test_equal_texts_are_kept_once(tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(MODELS["plain"](), path)
    first, second = read_onnx(path).graph.nodes
    assert first.outputs[0] is second.inputs[0]
