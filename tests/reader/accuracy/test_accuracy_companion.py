"""Figures on accuracy stay with the capture, whatever they were read from."""

from __future__ import annotations

import json

import numpy as np
import pytest
from accuracy_files import accuracy_results, run_results, snr
from click.testing import CliRunner

from trexreport.cli import main
from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.accuracy.results_file import read_results_file, write_results

RESULTS = accuracy_results([[{"t1": snr(20.0), "t2": snr(40.0)}]])


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "capture"
    place.mkdir()
    layers = [
        {
            "Name": f"layer{at}",
            "LayerType": "Convolution",
            "Inputs": [{"Name": f"t{at}", "Dimensions": [1]}],
            "Outputs": [{"Name": f"t{at + 1}", "Dimensions": [1]}],
        }
        for at in range(3)
    ]
    (place / "x.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": ["t0", "t3"]}))
    return place


def test_a_file_beside_the_capture_is_found(folder):
    (folder / "x.accuracy.json").write_bytes(RESULTS)
    engine = read_engine(folder)
    assert [each.name for each in engine.accuracy.tensors] == ["t1", "t2"]
    (source,) = (each for each in engine.sources if each.role == "accuracy")
    assert source.name == "x.accuracy.json"
    assert read_results_file(source.data.decode(), source.name)[0] == engine.accuracy


def test_a_damaged_file_is_left_out_if_it_was_found_and_an_error_if_it_was_named(folder):
    (folder / "x.accuracy.json").write_bytes(b"{")
    engine = read_engine(folder)
    assert engine.accuracy is None
    assert "file-left-out" in {note.slug for note in engine.notes}
    with pytest.raises(InputError, match="cut off"):
        read_engine(folder, files={"accuracy": folder / "x.accuracy.json"})


def test_outputs_and_their_reference_become_figures(folder, tmp_path):
    ours, theirs = tmp_path / "trt.json", tmp_path / "onnxrt.json"
    ours.write_bytes(run_results(trt=[{"t1": np.array([1.0, 2.0])}]))
    theirs.write_bytes(run_results(onnxrt=[{"t1": np.array([1.0, 1.0])}]))
    engine = read_engine(folder, files={"accuracy": ours, "accuracy-reference": theirs})
    assert engine.accuracy.files == ("trt.json", "onnxrt.json")
    assert [each.role for each in engine.sources].count("accuracy") == 1
    assert "accuracy-reference" not in {each.role for each in engine.sources}
    assert len(engine.sources[-1].data) < 1000
    with pytest.raises(InputError, match="compared with nothing"):
        read_engine(folder, files={"accuracy-reference": theirs})


def test_metrics_are_kept_with_and_without_a_file(folder):
    assert read_engine(folder, metrics={"top1": 76.1}).accuracy.metrics == {"top1": 76.1}
    (folder / "x.accuracy.json").write_bytes(RESULTS)
    engine = read_engine(folder, metrics={"top1": 76.1})
    assert (engine.accuracy.metrics, len(engine.accuracy.tensors)) == ({"top1": 76.1}, 2)


def test_a_report_carries_them(folder, tmp_path):
    (folder / "x.accuracy.json").write_bytes(RESULTS)
    page = tmp_path / "page.html"
    arguments = ["report", str(folder), "-o", str(page), "--charts", "static", "--metric", "top1=76.1", "-q"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert read_engine(page).accuracy == read_engine(folder, metrics={"top1": 76.1}).accuracy


@pytest.mark.parametrize("value", ["top1", "=3", "top1=", "top1=nan", "top1=x", "top1=1e400"])
def test_a_metric_that_is_none_is_refused(folder, value):
    result = CliRunner().invoke(main, ["summary", str(folder), "--metric", value])
    assert result.exit_code == 2
    assert "NAME=NUMBER" in result.output


@pytest.mark.parametrize("value", ["top1=-3", "top-5=176.1"])
def test_a_metric_that_is_no_share_is_refused(folder, value):
    result = CliRunner().invoke(main, ["summary", str(folder), "--metric", value])
    assert result.exit_code == 2
    assert f"--metric {value} is not possible. It is 0 to 1, or 0 to 100 in percent." in result.output


def test_a_metric_with_two_figures_is_refused(folder):
    result = CliRunner().invoke(main, ["summary", str(folder), "--metric", "a=1", "--metric", "a=2"])
    assert result.exit_code == 2


def test_a_file_of_a_later_version_is_refused(folder):
    written = json.loads(write_results(read_engine(folder, metrics={"a": 1.0}).accuracy))
    written["trexreport-accuracy"] = 99
    with pytest.raises(InputError, match="later trexreport"):
        read_results_file(json.dumps(written), "a.json")


@pytest.mark.parametrize("damage", [{"tensors": 3}, {"tensors": [{"name": 3}, {}]}, {"metrics": []}])
def test_damage_in_the_written_form_counts_as_not_known(folder, damage):
    written = json.loads(write_results(read_engine(folder, metrics={"a": 1.0}).accuracy)) | damage
    found = read_results_file(json.dumps(written), "a.json")[0]
    assert not found.tensors
    assert found.metrics == ({} if "metrics" in damage else {"a": 1})
    with pytest.raises(InputError, match="no format that is known"):
        read_results_file(json.dumps(written | {"format": "x"}), "a.json")


def test_redaction_gives_tensors_the_names_of_the_layers(folder):
    from trexreport.reader import locate_with_model
    from trexreport.redaction.capture import redact_capture
    from trexreport.redaction.kinds import Redaction

    text = (folder / "x.graph.json").read_text().replace("t1", "secretname")
    (folder / "x.graph.json").write_text(text)
    (folder / "x.accuracy.json").write_bytes(RESULTS.replace(b"t1", b"secretname"))
    engine = read_engine(
        folder, change=lambda each: redact_capture(each, Redaction(frozenset({"names"}), b"k" * 16))
    )
    names = {each.name for each in engine.accuracy.tensors}
    assert not any("secret" in name for name in names)
    assert names <= {tensor.name for layer in engine.layers for tensor in layer.outputs}
    assert locate_with_model([folder])
