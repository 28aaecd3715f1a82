"""The timeline of kernels: rows for the page, the drawing and the trace."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.kernel_section import kernel_page_data
from trexreport.renderer.timeline.kernel_drawing import draw_kernel_timeline
from trexreport.renderer.timeline.kernel_rows import kernel_rows, kernel_timeline_data
from trexreport.renderer.timeline.trace import write_trace

SAMPLES = Path(__file__).parents[3] / "samples"
NAME = "resnet18-int8-before"


@cache
def analysis():
    return analyze(read_engine(SAMPLES / NAME, SAMPLES / "kernels" / f"{NAME}.kernels.json"))


def test_rows_have_the_cpu_layers_kernels_copies_and_idle_time():
    rows = {row.label: row.boxes for row in kernel_rows(analysis())}
    assert list(rows) == ["CPU, query", "CPU, waits", "layers", "kernels", "copies", "no kernel"]
    timed = [layer.index for layer in analysis().layers if layer.avg_ms]
    assert [box.layer for box in rows["layers"]] == timed
    assert [box.layer for box in rows["kernels"]] == timed
    assert {box.role for box in rows["no kernel"]} <= {"idle:host", "idle:launch", "idle:copy"}
    assert rows["copies"][0].name == "copy to the GPU, 18.4\u00a0MiB"


def test_kernels_of_one_layer_that_follow_each_other_are_one_box_of_it():
    rows = {row.label: row.boxes for row in kernel_rows(analysis())}
    first, last = rows["layers"][0], rows["layers"][-1]
    assert (first.begin_ms, last.end_ms) == (rows["kernels"][0].begin_ms, rows["kernels"][-1].end_ms)


def test_the_page_has_every_box_once_with_texts_by_number():
    packed = kernel_timeline_data(analysis())
    rows = kernel_rows(analysis())
    assert [(label, len(boxes)) for label, boxes in packed["rows"]] == [
        (row.label, len(row.boxes)) for row in rows
    ]
    box = packed["rows"][-1][1][0]
    assert (box[2], packed["names"][box[3]], packed["colors"][box[4]]) == (-1, "CPU", "#b87200")
    assert len(packed["names"]) == len(set(packed["names"]))


def test_the_panel_of_a_layer_has_its_kernels():
    panels = kernel_page_data(analysis())["kernels"]
    timed = [layer.index for layer in analysis().layers if layer.avg_ms]
    assert sorted(panels) == timed
    assert panels[timed[0]][0][2:] == ["1", "128×1×1", "256×1×1", 64, 7]


def test_the_drawing_has_a_link_for_each_layer_that_is_wide_enough():
    drawn = draw_kernel_timeline(analysis(), 1040)
    assert drawn.count("<a ") > 40
    assert drawn == draw_kernel_timeline(analysis(), 1040)
    assert draw_kernel_timeline(analyze(read_engine(SAMPLES / NAME)), 1040) == ""


def test_the_axis_has_round_numbers_of_equal_decimals():
    texts = re.findall(r">([\d.]+)\u00a0ms</text>", draw_kernel_timeline(analysis(), 1040))
    assert texts == ["0.0", "0.2", "0.4", "0.6", "0.8"]


def test_a_trace_has_the_measured_query_as_a_process_of_its_own():
    events = json.loads(write_trace(analysis()))["traceEvents"]
    traced = [each for each in events if each["pid"] == 2]
    assert [each["args"]["name"] for each in traced if each["name"] == "process_name"] == [
        f"{NAME}, traced kernels"
    ]
    boxes = sum(len(row.boxes) for row in kernel_rows(analysis()))
    assert len([each for each in traced if each["ph"] == "X"]) == boxes
    assert {each["pid"] for each in events} == {1, 2}
