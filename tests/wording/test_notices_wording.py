"""What the head of a report says of the input, and what that leaves to the line of input warnings."""

from __future__ import annotations

import json
import re

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.failures import failures
from trexreport.model import Engine, InputWarning, Layer, LayerTime
from trexreport.reader import read_engine
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.wording.notices import names_only_note, note_sentence, other_input_warnings


def facts_with(*slugs, time_ms=None, names_only=False):
    time = None if time_ms is None else LayerTime(time_ms)
    notes = tuple(InputWarning("degraded", slug, f"It is {slug}.", "a.log", hint="Do it.") for slug in slugs)
    layers = () if time_ms is None and not names_only else (Layer(0, "a", "a", time=time),)
    return analyze(Engine("e", layers, notes=notes, names_only=names_only))


def slugs(notes):
    return [note.slug for note in notes]


def test_a_failed_run_comes_before_the_figures():
    facts = facts_with("no-profile", "log-failed", "log-empty-engine")
    assert slugs(failures(facts)) == ["log-failed", "log-empty-engine"]
    assert note_sentence(failures(facts)[0]) == "It is log-failed. Do it."
    assert slugs(other_input_warnings(facts)) == ["no-profile"]


def test_a_log_that_ends_early_is_a_failure_only_without_times_and_layers():
    assert slugs(failures(facts_with("log-unfinished"))) == ["log-unfinished"]
    timed = facts_with("log-unfinished", time_ms=1.0)
    assert failures(timed) == []
    assert slugs(other_input_warnings(timed)) == ["log-unfinished"]


def test_why_layers_have_names_only_hides_no_other_warning():
    facts = facts_with("several-runs", "no-graph", names_only=True)
    assert names_only_note(facts).slug == "no-graph"
    assert slugs(other_input_warnings(facts)) == ["several-runs"]
    assert names_only_note(facts_with("no-graph")) is None


@pytest.mark.parametrize(("version", "is_possible"), [("8001", False), ("8401", True)])
def test_the_page_asks_for_what_the_version_can_export(version, is_possible, tmp_path):
    rows = [{"count": 10}, {"name": "conv", "timeMs": 10.0, "averageMs": 1.0, "percentage": 100}]
    (tmp_path / "x.profile.json").write_text(json.dumps(rows))
    command = (
        f"TensorRT.trtexec [TensorRT v{version}] # trtexec --loadEngine=x --exportProfile=x.profile.json"
    )
    (tmp_path / "x.log").write_text(f"&&&& RUNNING {command}\n&&&& PASSED {command}\n")
    page = render_html(analyze(read_engine(tmp_path)), [], HtmlOptions()).decode()
    (notice,) = re.findall(r'<p class="notice">(There is no layer information.*?)</p>', page)
    assert ("--exportLayerInfo" in notice) is is_possible
    assert ("TensorRT exports it from 8.2 on." in notice) is not is_possible
