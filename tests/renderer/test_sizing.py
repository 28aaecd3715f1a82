"""Reports that fit a size: what is left out, in which order, and that page and user get to know it."""

from __future__ import annotations

import json

import pytest

from trexreport.analyzer import analyze
from trexreport.errors import UsageError
from trexreport.model import Source
from trexreport.numbers import format_limit
from trexreport.reader import assemble
from trexreport.reader.capture import Capture
from trexreport.reader.report_file import read_report
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.sizing import fit_report
from trexreport.renderer.variants import ATTRIBUTES, CHARTS, INPUTS, Variant, report_variants
from trexreport.resources import resource_folder

SAMPLE = resource_folder("samples") / "resnet18-int8-before"


@pytest.fixture(scope="module")
def engine():
    """A few layers of a sample with their times: every variant of the report, in little time."""
    (graph_path,) = SAMPLE.glob("*.graph.json")
    (profile_path,) = SAMPLE.glob("*.profile.json")
    graph = json.loads(graph_path.read_text("utf-8"))
    graph["Layers"] = graph["Layers"][:6]
    names = {layer["Name"] for layer in graph["Layers"]}
    profile = json.loads(profile_path.read_text("utf-8"))
    profile = [row for row in profile if "name" not in row or row["name"] in names]
    files = {"graph": graph, "profile": profile}
    sources = tuple(
        Source(role, f"x.{role}.json", json.dumps(content).encode()) for role, content in files.items()
    )
    return assemble(Capture("e", sources))


@pytest.fixture(scope="module")
def analysis(engine):
    return analyze(engine)


def fit_html(analysis, sources, options, max_bytes):
    return fit_report(report_variants("html", analysis, sources, options), max_bytes)


def fit_pdf(analysis, sources, max_bytes):
    return fit_report(report_variants("pdf", analysis, sources, HtmlOptions()), max_bytes)


def test_each_step_leaves_out_one_thing_more(engine, analysis):
    whole = fit_html(analysis, engine.sources, HtmlOptions(), None)
    assert whole.data == render_html(analysis, engine.sources)
    most, found = len(whole.data) - 1, []
    while fitted := fits(engine, analysis, most):
        assert len(fitted.data) <= most
        # The size that it says may itself make it a byte shorter.
        found += [fitted.left_out] if fitted.left_out not in found else []
        assert all(what.encode() in fitted.data for what in fitted.left_out)
        assert b"Left out to fit" in fitted.data
        most = len(fitted.data) - 1
    assert found == [(CHARTS,), (CHARTS, ATTRIBUTES), (CHARTS, ATTRIBUTES, INPUTS)]


def fits(engine, analysis, most):
    try:
        return fit_html(analysis, engine.sources, HtmlOptions(), most)
    except UsageError:
        return None


def test_what_fits_is_whole(engine, analysis):
    whole = render_html(analysis, engine.sources)
    fitted = fit_html(analysis, engine.sources, HtmlOptions(), len(whole))
    assert (fitted.data, fitted.left_out) == (whole, ())


def test_the_inputs_stay_as_long_as_they_can(engine, analysis):
    static = fit_html(analysis, engine.sources, HtmlOptions(interactive_charts=False), None)
    fitted = fit_html(analysis, engine.sources, HtmlOptions(), len(static.data) + 1000)
    assert fitted.left_out == (CHARTS,)
    assert read_report(fitted.data, "x").sources == engine.sources


def test_a_pdf_goes_without_its_inputs():
    pytest.importorskip("weasyprint")
    graph = json.dumps({"Layers": [{"Name": "a", "LayerType": "NoOp", "Inputs": [], "Outputs": []}]})
    engine = assemble(Capture("e", (Source("graph", "x.graph.json", graph.encode()),)))
    analysis = analyze(engine)
    whole = fit_pdf(analysis, engine.sources, None)
    fitted = fit_pdf(analysis, engine.sources, len(whole.data) - 1)
    assert fitted.left_out == (INPUTS,)
    assert len(fitted.data) < len(whole.data)
    with pytest.raises(UsageError, match="even without"):
        fit_pdf(analysis, engine.sources, 1000)


def test_what_nothing_can_be_left_out_of():
    variants = (Variant("", lambda _: b"xx"),)
    assert fit_report(variants, 2).data == fit_report(variants, None).data == b"xx"
    with pytest.raises(UsageError, match="2\u00a0B"):
        fit_report(variants, 1)


@pytest.mark.parametrize(
    ("most_bytes", "written"),
    [
        (900_000, "900 kB"),
        (2_500_000, "2.5 MB"),
        (10 * 2**20, "10 MiB"),
        (3 * 2**19, "1.5 MiB"),
        (1_024_000, "1000 KiB"),
        (123_457, "123,457 B"),
        (7, "7 B"),
    ],
)
def test_a_limit_is_stated_in_the_unit_in_which_it_is_round(most_bytes, written):
    assert format_limit(most_bytes).replace("\u00a0", " ").replace("\u202f", "") == written
