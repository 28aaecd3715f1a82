"""What notebooks show: figures of Plotly, and the report in a cell or its summary."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import trexreport
from trexreport import notebooks
from trexreport.errors import InputError

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "resnet18-int8-before"


@pytest.fixture(scope="module")
def engine():
    return trexreport.load(SAMPLE)


def test_figures_have_the_values_of_the_analysis(engine):
    analysis = trexreport.analyze(engine)
    found = trexreport.figures(analysis)
    assert {"by-layer", "by-type", "roofline", "queries"} <= found.keys()
    figure = found["by-type"]
    assert figure.layout.title.text == "Time by layer type"
    times = sorted(group.time_ms for group in analysis.by_type)
    assert sorted(value for value in figure.data[0].x if value) == pytest.approx(times)


def test_an_engine_is_analyzed_and_charts_without_data_are_absent(tmp_path):
    path = tmp_path / "x.graph.json"
    path.write_text('{"Layers": ["a", "b"], "Bindings": []}', encoding="utf-8")
    found = trexreport.figures(trexreport.load(path))
    assert "by-type" not in found


def test_without_a_notebook_the_summary_is_printed(engine, monkeypatch, capsys):
    monkeypatch.setattr(notebooks, "_is_in_notebook", lambda: False)
    trexreport.display(engine)
    assert "resnet18-int8-before" in capsys.readouterr().out
    with pytest.raises(InputError, match="no-such"):
        trexreport.display("no-such-folder")


def test_in_a_notebook_the_report_is_shown(engine, monkeypatch):
    shown = []
    ipython = ModuleType("IPython")
    ipython.display = SimpleNamespace(display=shown.append)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setattr(notebooks, "_is_in_notebook", lambda: True)
    trexreport.display(engine)
    assert [type(each).__name__ for each in shown] == ["Report"]
