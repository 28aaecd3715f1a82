"""The public functions that make PDFs: what they hold, where they are saved, what they refuse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import trexreport
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.errors import MissingToolError, OutputError, UsageError
from trexreport.model import ExternalLatency, Source
from trexreport.reader.report_file import read_carried, read_report
from trexreport.renderer.pdf import check_pdf_tools

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "resnet18-int8-before"


def test_a_comparison_says_what_it_needs(capture):
    engine = trexreport.load(capture(graph={"Layers": [{"Name": "conv", "LayerType": "Convolution"}]}))
    analysis = trexreport.analyze(engine)
    with pytest.raises(UsageError, match=r"needs engines and got .* Analysis\. Give what trexreport\.load"):
        trexreport.compare([analysis, analysis])
    assert len(trexreport.compare([engine, engine]).engines) == 2


def test_settings_are_those_of_a_configuration_file(tmp_path):
    (tmp_path / "mine.toml").write_text('gpu = "T4"\n[lint]\nignore = ["TRX1", "TRX2"]\n')
    engine = trexreport.load(SAMPLE)
    found = {each.code for each in with_consequences(trexreport.analyze(engine).lint.findings)}
    assert {"TRX102", "TRX206"} <= found
    settings = trexreport.read_settings(tmp_path / "mine.toml")
    for analysis in (
        trexreport.analyze(engine, settings=settings),
        trexreport.render(engine, settings=settings, interactive_charts=False).analysis,
    ):
        assert "T4" in analysis.roofline.gpu.name
        assert analysis.lint.findings
        codes = [each.code for each in with_consequences(analysis.lint.findings)]
        assert [code for code in codes if code.startswith(("TRX1", "TRX2"))] == []


@pytest.fixture
def engine(capture):
    try:
        check_pdf_tools()
    except MissingToolError as error:
        pytest.skip(str(error))
    return trexreport.load(capture(graph={"Layers": [{"Name": "conv", "LayerType": "Convolution"}]}))


def test_a_report_in_pdf_carries_the_engine_and_is_saved(engine, tmp_path):
    report = trexreport.render_pdf(engine)
    assert report.pdf.startswith(b"%PDF-")
    assert read_report(report.pdf, "r.pdf").sources == engine.sources
    assert [layer.name for layer in report.analysis.layers] == ["conv"]
    place = report.save(tmp_path / "r.pdf")
    assert place.read_bytes() == report.pdf
    Path(tmp_path, "mine.pdf").write_bytes(b"%PDF-1.7\n%%EOF\n")
    with pytest.raises(OutputError):
        report.save(tmp_path / "mine.pdf")


def test_a_comparison_in_pdf_carries_all_that_was_compared(engine):
    eager = ExternalLatency(
        "eager", ((12.3,),), ("e.csv",), (Source("latency", "e.csv", b"latency_ms\n12.3\n"),)
    )
    compared = trexreport.render_comparison_pdf([engine, engine], names=["a", "b"], others=[eager])
    assert [each.name for each in compared.comparison.engines] == ["a", "b"]
    carried, _ = read_carried(compared.pdf, "c.pdf")
    assert [(each.name, each.sources) for each in carried] == [
        ("a", engine.sources),
        ("b", engine.sources),
        ("eager", eager.sources),
    ]
    with pytest.raises(UsageError, match="no engine 2 to show"):
        trexreport.render_comparison_pdf([engine, engine], focus=2)


def test_a_notebook_stores_a_line_and_a_lean_page():
    engine = trexreport.load(SAMPLE)
    report = trexreport.render(engine)
    assert repr(report) == f"Report({report.title!r}, {len(report.html):,} bytes)"
    shown = report._repr_html_()
    assert shown.startswith('<iframe srcdoc="')
    # plotly.js alone has a million bytes.
    assert len(shown) < 700_000 < len(report.html)
    # What is left where a notebook is not trusted: a frame is removed, and the text in it stays.
    left = re.sub(r"</?iframe[^>]*>", "", shown)
    assert (
        left
        == f"{report.title}: not shown, as this notebook is not trusted. Run the cell, or trust the notebook."
    )
