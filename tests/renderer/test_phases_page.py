"""The table of the phases counts layers as the page of each does, and has each figure once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import trexreport
from trexreport.analyzer.rules.settings import LintSettings
from trexreport.pipeline.settings import Settings

SAMPLES = Path(__file__).parents[2] / "samples"
LAYERS = {"a": "CaskConvolution", "b": "NoOp", "c": "CaskConvolution"}
TIMES = [
    {"count": 9},
    *({"name": name, "timeMs": 9.0, "averageMs": 1.0, "percentage": 33.3} for name in LAYERS),
]


@pytest.fixture
def folders(tmp_path):
    """Two engines with times of layers alone."""
    tensor = {"Name": "x", "Dimensions": [1, 3, 8, 8], "Format/Datatype": "Half"}
    layers = [
        {"Name": name, "LayerType": kind, "Inputs": [tensor], "Outputs": [{**tensor, "Name": f"{name}-out"}]}
        for name, kind in LAYERS.items()
    ]
    for phase in ("one", "two"):
        folder = tmp_path / phase
        folder.mkdir()
        graph = {"Layers": layers, "Bindings": ["x", "c-out"]}
        (folder / "e.graph.json").write_text(json.dumps(graph))
        (folder / "e.profile.json").write_text(json.dumps(TIMES))
    return {phase: tmp_path / phase for phase in ("one", "two")}


def test_the_table_has_computing_layers_and_one_column_for_a_measure(folders):
    phases = trexreport.load_phases(folders, times={"one": 1, "two": 1})
    page = trexreport.render_phases(phases, interactive_charts=False).html.decode()
    (table,) = re.findall(r'<table class="figures-table[^>]*>.*?</table>', page, re.DOTALL)
    titles = re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", table)
    assert titles.count("Total layer time (ms)") == 1
    rows = re.findall(r"<tr[ >].*?</tr>", table, re.DOTALL)
    cells = [re.findall(r"<t[hd][ >].*?</t[hd]>", row) for row in rows]
    assert [len(each) for each in cells] == [len(titles)] * 4
    assert ">2<" in cells[1][titles.index("Layers")]


def overview_of(folders, settings=None):
    phases = trexreport.load_phases(folders)
    page = trexreport.render_phases(phases, interactive_charts=False, settings=settings).html.decode()
    return page[: page.index('id="trexreport-data"')]


def test_a_phase_states_what_fixes_save_and_links_to_them():
    overview = overview_of({"fix": SAMPLES / "resnet18-int8-before"})
    (first, *_) = re.findall(r'<ol class="first">\s*<li>(.*?)</li>', overview, re.DOTALL)
    assert re.search(r'<span class="gain">Savings <b>est\. 23–32% \(.*ms\)</b></span>', first)
    assert 'data-phase="0" data-anchor="finding-TRX302"' in first


def test_a_phase_without_findings_says_so(folders):
    none = Settings(lint=LintSettings(select=("TRX302",)))
    assert overview_of(folders, none).count("<p>No findings.</p>") == 2
