"""What the page of an engine is made of is freed at once: the collector took a twentieth of a site's time."""

from __future__ import annotations

import gc
from pathlib import Path

from trexreport.pipeline.reports import ReportFormat, make_report
from trexreport.pipeline.settings import Settings
from trexreport.reader import read_engine
from trexreport.renderer.html_options import HtmlOptions

SAMPLE = Path(__file__).parents[2] / "samples" / "resnet18-int8-before"
PAGE = ReportFormat(page=HtmlOptions(interactive_charts=False, home="../index.html"))
#: Objects in cycles, of an analysis with more than a thousand.
MOST_LEFT = 50


def make_page() -> None:
    make_report(read_engine(SAMPLE), Settings(), PAGE)


def test_a_page_leaves_no_garbage():
    make_page()  # with what is made once for all pages
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        gc.collect()
        make_page()
        assert gc.collect() <= MOST_LEFT
    finally:
        if was_enabled:
            gc.enable()
