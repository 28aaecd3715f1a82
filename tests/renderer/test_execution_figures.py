"""A profile of ONNX Runtime has no queries of trtexec: the first figure is the mean time of its runs."""

from __future__ import annotations

import pytest
from front_ends import ort_events, ort_profile

from trexreport.analyzer import analyze
from trexreport.numbers import format_ms
from trexreport.reader import read_engine
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.short_document.markdown import render_markdown


@pytest.mark.parametrize(("runs", "note"), [(1, "1 run of ONNX Runtime"), (3, "2 runs of ONNX Runtime")])
def test_the_mean_time_of_a_run_is_the_first_figure(tmp_path, runs, note):
    (tmp_path / "profile.json").write_bytes(ort_profile(ort_events(runs)))
    analysis = analyze(read_engine(tmp_path / "profile.json"))
    time = format_ms(analysis.execution.run_ms)
    page = render_html(analysis, (), HtmlOptions(interactive_charts=False)).decode()
    assert f'<dt>Mean time of a run</dt>\n<dd>{time}</dd><dd class="note">{note}</dd>' in page
    assert "<dt>Median latency</dt>" not in page
    text = render_markdown(engine_summary(analysis)).decode()
    assert f"Mean time of a run | {time} | {note}" in text
    assert "Median latency" not in text
