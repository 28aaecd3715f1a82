"""The summary of an engine on a site: dates and figures, nothing guessed."""

from __future__ import annotations

import dataclasses
import json

import pytest
from site_captures import write_capture

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.site.summary import EngineSummary, date_of, summarize, summary_from


def summary_of(folder, place="captures/net"):
    engine = read_engine(folder)
    return summarize(engine, analyze(engine), place)


def test_the_figures_are_those_of_the_report(tmp_path):
    summary = summary_of(write_capture(tmp_path, ms=2.0, gpu="NVIDIA L4", precision="FP16+INT8"))
    assert (summary.model, summary.gpu, summary.precision) == ("net.onnx", "NVIDIA L4", "FP16+INT8")
    assert summary.latency_ms == pytest.approx(2.1, rel=0.01)
    assert summary.compute_ms == pytest.approx(2.0, rel=0.01)
    assert summary.queries == 200
    assert summary.layers == 2
    assert [(group.name, group.layers) for group in summary.by_type] == [("Convolution", 2)]
    assert summary.size_bytes is None
    assert summary.throughput_qps is None


def test_a_gpu_of_a_board_is_that_of_the_report(tmp_path):
    """Runs on other boards with a GPU of that name have a history of their own."""
    engine = read_engine(write_capture(tmp_path, gpu="Orin"))
    analysis = analyze(engine)
    analysis = dataclasses.replace(analysis, identity=dataclasses.replace(analysis.identity, board="Kit A"))
    assert summarize(engine, analysis, "").gpu == "Orin (Kit A)"


def test_what_no_file_says_stays_unknown(tmp_path):
    write_capture(tmp_path)
    for path in tmp_path.iterdir():
        if "graph" not in path.name:
            path.unlink()
    summary = summary_of(tmp_path)
    assert (summary.model, summary.gpu, summary.precision, summary.date) == ("", "", "", "")
    assert (summary.latency_ms, summary.p99_ms, summary.layer_sum_ms, summary.queries) == (
        None,
        None,
        None,
        0,
    )


@pytest.mark.parametrize(
    ("place", "date"),
    [
        ("captures/2024-05-01/net", "2024-05-01"),
        ("captures/20240501/net", "2024-05-01"),
        ("captures/2024-05-01T10-30-00/net", "2024-05-01T10:30:00"),
        ("captures/20240501-103000/net", "2024-05-01T10:30:00"),
        ("2023-01-01/2024-05-01/net", "2024-05-01"),
        ("captures/2024-13-01/net", ""),
        ("captures/120240501/net", ""),
        ("captures/net-20240501123/x", ""),
        ("captures/build-2024/net", ""),
    ],
)
def test_dates_in_paths(tmp_path, place, date):
    engine = read_engine(write_capture(tmp_path))
    assert date_of(engine, place) == (date, "path" if date else "")


def test_the_manifest_is_believed_before_the_path(tmp_path):
    engine = read_engine(write_capture(tmp_path, date="2024-05-01T12:00:00+02:00"))
    assert date_of(engine, "captures/2020-01-01/net") == ("2024-05-01T10:00:00Z", "manifest")


def test_a_log_shows_the_date_in_the_clock_of_its_machine(tmp_path):
    write_capture(tmp_path)
    (tmp_path / "net.engine.build.log").write_text(
        "&&&& RUNNING TensorRT.trtexec\n[05/03/2024-11:12:13] [I] === Model Options ===\n"
    )
    assert date_of(read_engine(tmp_path), "x") == ("2024-05-03T11:12:13", "log")


@pytest.mark.parametrize("date", ["yesterday", "", "2024-99-99", "9999-12-31T23:59:59-23:59"])
def test_a_manifest_without_a_date_shows_none(tmp_path, date):
    engine = read_engine(write_capture(tmp_path, date=date or "x"))
    assert date_of(engine, "x") == ("", "")


def test_a_summary_survives_json(tmp_path):
    summary = summary_of(write_capture(tmp_path, date="2024-05-01T12:00:00+00:00"))
    assert summary_from(json.loads(json.dumps(dataclasses.asdict(summary)))) == summary


@pytest.mark.parametrize("damage", [{"name": None}, {"by_type": [{"x": 1}]}])
def test_a_summary_of_another_version_is_refused(damage):
    document = {**dataclasses.asdict(EngineSummary("x")), **damage}
    if damage.get("name", "") is None:
        del document["name"]
    with pytest.raises((TypeError, KeyError, ValueError)):
        summary_from(document)
