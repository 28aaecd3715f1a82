"""The state of the GPU on the page."""

from __future__ import annotations

import re

from trexreport.analyzer import analyze
from trexreport.model import Engine, GpuPhase, GpuProcess, GpuSamples
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions

EVIL = "<img src=x onerror=alert(1)>\u202e"
SAMPLES = GpuSamples(
    time_s=(0.0, 0.5, 1.0),
    sm_clock_mhz=(1410.0, 1410.0, 1215.0),
    power_w=(250.0, 300.0, 301.5),
    throttle_reasons=(0, 0, 4),
    phases=(GpuPhase(EVIL, 0, 2),),
    other_processes=(GpuProcess(7, EVIL, 2**30),),
)


def page(samples):
    engine = Engine("x", (), gpu=samples)
    return render_html(analyze(engine), (), HtmlOptions(interactive_charts=False)).decode()


def test_a_watched_measurement_has_its_charts_and_a_row_for_each_run():
    html = page(SAMPLES)
    section = html[html.index('id="timing"') :]
    assert set(re.findall(r'figure[^>]* id="chart-(gpu-[\w-]+)"', section)) == {"gpu-clocks", "gpu-power"}
    row = re.search(r"<tr><th scope=\"row\">&lt;img.*?</tr>", section).group()
    assert [re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<td[^>]*>.*?</td>", row)][1:3] == [
        "1,410",
        "1,215",
    ]
    assert "software power cap" in row


def test_names_of_programs_and_runs_stay_texts():
    html = page(SAMPLES)
    assert "<img" not in html
    assert "\u202e" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html


def test_without_samples_nothing_is_stated_of_the_gpu():
    assert "GPU during the measurement" not in page(None)
