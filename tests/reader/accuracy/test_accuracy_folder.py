"""Polygraphy writes outputs to a path without an ending as a folder, one file for each iteration."""

from __future__ import annotations

import numpy as np
import pytest
from accuracy_files import run_results, summary

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.accuracy import folder as folder_module
from trexreport.reader.accuracy.folder import read_folder
from trexreport.reader.accuracy.read import read_accuracy

ONE, OTHER = np.array([3.0, 4.0], np.float32), np.array([3.0, 4.5], np.float32)


@pytest.fixture
def outputs(tmp_path):
    """Return a folder of two iterations, of which the second alone differs."""
    path = tmp_path / "outputs"
    path.mkdir()
    for number, array in enumerate((ONE, OTHER)):
        data = run_results(trt_runner=[{"t1": array}], onnxrt_runner=[{"t1": ONE}])
        (path / f"{number:010}.json").write_bytes(data)
    return path


def test_all_iterations_are_compared(outputs):
    results, _ = read_accuracy(*read_folder(outputs))
    assert (results.iterations, results.candidate, results.reference) == (2, "trt-runner", "onnxrt-runner")
    (tensor,) = results.tensors
    # 0.5 of both iterations' norm, √50.
    assert tensor.relative_error == pytest.approx(0.5 / 50**0.5)


def test_a_folder_may_be_given_in_place_of_a_file(outputs, tmp_path):
    graph = tmp_path / "x.graph.json"
    graph.write_text('{"Layers": [{"Name": "a", "LayerType": "Convolution", "Outputs": [{"Name": "t1"}]}]}')
    engine = read_engine(graph, files={"accuracy": outputs})
    assert [each.name for each in engine.accuracy.tensors] == ["t1"]


def test_one_damaged_iteration_is_named(outputs):
    (outputs / "0000000001.json").write_bytes(b'{"lst": [')
    with pytest.raises(InputError, match=r"outputs\.json"):
        read_accuracy(*read_folder(outputs))


def test_the_folder_of_trtexec_has_its_summary(tmp_path):
    (tmp_path / "tensor_summary.json").write_bytes(summary(t1=(0.0, 1.0)))
    (tmp_path / "other.json").write_text("{}")
    assert read_folder(tmp_path)[0] == "tensor_summary.json"


def test_a_folder_without_outputs_is_named(tmp_path):
    with pytest.raises(InputError, match="has no accuracy file"):
        read_folder(tmp_path)


def test_too_many_values_are_an_error(outputs, monkeypatch):
    monkeypatch.setattr(folder_module, "LARGEST_BYTES", 100)
    with pytest.raises(InputError, match="larger than"):
        read_folder(outputs)
