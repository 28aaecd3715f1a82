"""No figure, column or panel is shown that has nothing to say."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.wording.timeline import MAX_STREAMS, timeline_summary

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "samples" / "detector-trt11"


def page_of(analysis):
    page = render_html(analysis, (), HtmlOptions(interactive_charts=False)).decode("utf-8")
    return page.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"weights_bytes": 0, "layers_without_weights": 3}, "–"),
        ({"weights_bytes": 0, "layers_without_weights": 3, "stated": {"Loaded engine size": "12 MiB"}}, "–"),
        ({"weights_bytes": 12, "hidden_weights_bytes": 3 << 20, "layers_without_weights": 99}, "≈ 3.00 MiB"),
        ({"weights_bytes": 2 << 20, "layers_without_weights": 1, "layers_with_weights": 9}, "≥ 2.00 MiB"),
        ({"weights_bytes": 2 << 20, "layers_without_weights": 0, "weights_unknown": 0}, "2.00 MiB"),
        ({"weights_bytes": 9 << 20, "stated": {"Engine size": "5 MiB"}}, "≤ 5.00 MiB"),
        ({"weights_bytes": 9 << 20, "stated": {"Total Weights Memory": "5 MiB"}}, "5.00 MiB"),
        (
            {"weights_by_type": [], "layers_without_weights": 1, "stated": {"Total Weights Memory": "5 MiB"}},
            "5.00 MiB",
        ),
    ],
)
def test_weights_are_not_a_few_bytes_where_few_layers_state_theirs(changes, shown):
    analysis = analyze(read_engine(SAMPLE))
    page = page_of(replace(analysis, memory=replace(analysis.memory, **changes)))
    assert re.search(r"<dt>Weights</dt><dd>([^<]*)<", page)[1] == shown
    assert "TensorRT’s log; not stated" not in page


@pytest.mark.parametrize("timed", [True, False])
def test_tables_have_columns_of_times_where_there_are_times(tmp_path, timed):
    names = ("detector-trt11.engine.graph.json", *(["detector-trt11.engine.profile.json"] if timed else []))
    for name in names:
        shutil.copy(SAMPLE / name, tmp_path)
    page = page_of(analyze(read_engine(tmp_path)))
    (products,) = re.findall(r'aria-label="Convolutions and matrix products".*?</table>', page, re.DOTALL)
    assert ("Time by type and input precision" in page, "Avg. time (ms)" in products) == (timed, timed)
    rows = [row.count("<td") for row in re.findall(r"<tr>(?=<td).*?</tr>", products)]
    assert rows
    assert {products.count('<th scope="col"')} == set(rows)


def test_a_timeline_states_that_streams_are_left_out():
    assert timeline_summary(MAX_STREAMS, 1.0, 2.0).endswith("overlap.")
    assert timeline_summary(MAX_STREAMS + 1, 1.0, 2.0).endswith("overlap. The first 24 streams are shown.")
    script = (ROOT / "static" / "js" / "charts" / "timeline.js").read_text("utf-8")
    assert f"const MAX_TIMELINE_ROWS = {MAX_STREAMS};" in script
