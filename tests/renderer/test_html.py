"""The page as text: strict, self-contained, deterministic, and nothing from a file is markup."""

from __future__ import annotations

import base64
import gzip
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from graph_plans import analysis_of, chain
from hostile_captures import hostile_capture

from trexreport.analyzer import analyze
from trexreport.model import Source
from trexreport.numbers import format_count, format_ms
from trexreport.reader import assemble, read_engine
from trexreport.reader.capture import Capture
from trexreport.renderer import html
from trexreport.renderer.charts.markup import INHERITED
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.page import source_hash
from trexreport.renderer.pdf.report import build_sentence
from trexreport.renderer.sections import empty_sections

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = ["resnet18-int8-before", "resnet18-int8-after", "transformer-trt10-myelin", "detector-trt11"]
SECTIONS = (
    "overview",
    "findings",
    "graph",
    "latency",
    "layers",
    "precision",
    "memory",
    "roofline",
    "reformats",
    "timing",
    "build",
    "notes",
    "provenance",
)
STATIC = HtmlOptions(interactive_charts=False)

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "{{7*7}}{% raw %}",
    '"onmouseover=alert(1) x="',
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "javascript:alert(1)",
    "\u202egnp.exe",
    "a\0b",
    "\u2028\u2029",
    "\ud800",
    "x" * 100_000,
    "__proto__",
]


class Elements(HTMLParser):
    """Count elements, attributes and the texts of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.counts: dict[str, int] = {}
        self.attributes: list[tuple[str, str, str | None]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        self._open = tag if tag in self.texts and not dict(attrs).get("type") else ""
        if self._open:
            self.texts[tag].append("")

    def handle_data(self, data):
        if self._open:
            self.texts[self._open][-1] += data

    def handle_endtag(self, tag):
        if tag == self._open:
            self._open = ""


def page_of(folder: Path, options: HtmlOptions = STATIC) -> str:
    engine = read_engine(folder)
    return render_html(analyze(engine), engine.sources, options).decode("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_in_the_page(name):
    elements = Elements(page_of(SAMPLES / name))
    assert len(elements.attributes) > 1000
    for tag, attribute, value in elements.attributes:
        assert attribute != "style", f"<{tag}> has an inline style"
        assert not attribute.startswith("on"), f"<{tag}> has a handler"
        if attribute in ("src", "href", "xlink:href", "data", "action"):
            assert value.startswith(("#", "data:image/svg+xml;base64,")), value
    assert not {"iframe", "object", "embed", "base", "form", "img"} & set(elements.counts)


@pytest.mark.parametrize("interactive", [True, False])
def test_the_policy_allows_exactly_our_scripts_and_styles(interactive):
    page = page_of(SAMPLES / "resnet18-int8-after", HtmlOptions(interactive_charts=interactive))
    policy = (
        re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
        .group(1)
        .replace("&#39;", "'")
    )
    elements = Elements(page)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind in ("script", "style"):
        allowed = set(re.search(rf"{kind}-src ([^;]*)", policy).group(1).split())
        present = {source_hash(text) for text in elements.texts[kind]}
        assert present <= allowed
        assert len(allowed - present) == 1 + (1 if interactive else 0), (
            "the packed script and the style that it brings; plotly.js and the empty style that it fills"
        )


def test_the_packed_script_has_the_hash_that_is_allowed():
    page = page_of(SAMPLES / "resnet18-int8-after", HtmlOptions(interactive_charts=False))
    packed = re.search(r'id="trexreport-script">([^<]*)<', page).group(1)
    script = gzip.decompress(base64.b64decode(packed)).decode("utf-8")
    assert source_hash(script) in page.replace("&#39;", "'")


def test_the_plotly_bundle_in_the_page_has_the_hash_that_is_allowed():
    page = page_of(SAMPLES / "resnet18-int8-after", HtmlOptions(interactive_charts=True))
    packed = re.search(r'id="trexreport-plotly">([^<]*)<', page).group(1)
    script = gzip.decompress(base64.b64decode(packed)).decode("utf-8")
    # Its license must be in each copy.
    assert re.search(r"<!-- plotly\.js v[\d.]+\. Copyright [\d-]+, Plotly, Inc\..* MIT license -->", page)
    assert source_hash(script) in page.replace("&#39;", "'")
    identifiers = re.findall(r'getElementById\("([0-9a-f]{64})"\)', script)
    # The oldest release that the package allows has no style sheet for maps.
    assert identifiers or "plotly.js v3.0." in page
    assert [each for each in identifiers if f'<template id="{each}">' not in page] == []


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:24])
def test_hostile_texts_are_data(tmp_path, text):
    harmless = Elements(page_of(hostile_capture(tmp_path / "harmless", "harmless")))
    page = page_of(hostile_capture(tmp_path / "hostile", text))
    elements = Elements(page)
    # An unknown type may have a pattern, by its name.
    patterned = {"defs", "pattern"}
    assert elements.counts.keys() - patterned == harmless.counts.keys() - patterned
    for tag in ("script", "style", "section", "table", "template", "meta"):
        assert elements.counts.get(tag) == harmless.counts.get(tag), tag
    names = {(tag, name) for tag, name, _ in elements.attributes}
    # Whether a text fits into its mark decides whether it is there, and so what neighbors have in common.
    expected = {("a", "title"), ("td", "title"), *((tag, name) for tag in ("a", "g") for name in INHERITED)}
    assert names - expected <= {(tag, name) for tag, name, _ in harmless.attributes}
    assert "\0" not in page


def test_a_template_in_a_name_is_not_run(tmp_path):
    page = page_of(hostile_capture(tmp_path / "x", "{{7*7}}"))
    assert "{{7*7}}" in page


@pytest.mark.parametrize("name", NAMES)
def test_every_section_begins_with_a_sentence(name):
    page = page_of(SAMPLES / name)
    for section in (
        "findings",
        "graph",
        "latency",
        "layers",
        "precision",
        "memory",
        "roofline",
        "reformats",
        "timing",
    ):
        found = re.search(rf'<section id="{section}".*?<p class="lead">([^<]+)</p>', page, re.DOTALL)
        assert found, section
        assert len(found.group(1)) > 20


@pytest.mark.parametrize("name", NAMES)
def test_no_value_is_shown_that_is_none(name):
    text = re.sub(r"<(script|style)\b.*?</\1>|<dl>.*?</dl>", "", page_of(SAMPLES / name), flags=re.DOTALL)
    shown = re.sub(r"<[^>]+>", " ", text)
    for word in ("NaN", "undefined", " None ", "Infinity", " inf ", "[]", "{}"):
        assert word not in shown, word


def test_weights_of_some_layers_are_a_least_size():
    analysis = analyze(read_engine(SAMPLES / NAMES[0]))
    assert ">≥ " not in render_html(analysis, (), STATIC).decode("utf-8")
    memory = replace(analysis.memory, layers_without_weights=1275, layers_with_weights=1275)
    page = render_html(replace(analysis, memory=memory), (), STATIC).decode("utf-8")
    assert re.search(
        r"<dt>Weights</dt><dd>≥ [^<]*</dd><dd[^>]*>[^<]*; 1,275 layers without stated weights<", page
    )


def test_sizes_keep_their_bounds(engines_folder):
    engine = read_engine(engines_folder / "a100-resnet18-qat")
    analysis = analyze(engine)
    assert len(render_html(analysis, engine.sources)) <= 2.6e6
    # Findings and charts are drawn twice, for a wide window and a phone; the breakdown for a tablet, too.
    assert len(render_html(analysis, engine.sources, STATIC)) <= 512e3


def test_every_real_engine_has_a_report(engines_folder):
    folders = sorted(path for path in engines_folder.iterdir() if path.is_dir())
    assert folders
    for folder in folders:
        page, engine = page_of(folder), read_engine(folder)
        for section in SECTIONS:
            assert f'<section id="{section}"' in page, (folder.name, section)
        shown = re.sub(r"<(script|style)\b.*?</\1>|<dl>.*?</dl>", "", page, flags=re.DOTALL)
        shown = re.sub(r"<[^>]+>", " ", shown)
        for word in ("NaN", "undefined", " None ", "Infinity"):
            assert word not in shown, (folder.name, word)
        times = [layer.time.avg_ms for layer in engine.layers if layer.time is not None]
        figure = re.search(r"<dt>Total layer time</dt>\s*<dd>([^<]*)</dd>", page).group(1)
        assert figure == (format_ms(sum(times)) if times else "–"), folder.name
        computing = sum(not layer.is_structural for layer in engine.layers)
        figure = re.search(r"<dt>Layers</dt>\s*<dd>([^<]*)</dd>", page).group(1)
        assert figure == format_count(computing), folder.name


def test_that_there_are_no_layers_is_stated_once():
    log = b"[I] TensorRT version: 10.3.0\n[I] Selected Device: NVIDIA A100\n"
    sources = (Source("log", "x.log", log),)
    page = render_html(analyze(assemble(Capture("e", sources))), sources, STATIC).decode("utf-8")
    assert page.count("This capture has no layer information.") == 1
    assert "left out: graph, layer times, precisions, tensors, roofline and reformats" in page
    titles = re.findall(r'<h2 id="([a-z]+)-title">', page)
    assert "layers" in titles
    assert {"graph", "latency", "precision", "memory", "roofline", "reformats"}.isdisjoint(titles)
    # Links to them lead to where it is stated.
    assert [name for name in ("graph", "latency", "memory") if page.count(f'id="{name}"') != 1] == []


def test_a_run_without_an_engine_has_no_sections_of_layers_and_queries():
    """Nor advice to export layers and times that there can't be, nor the peaks of a GPU without layers."""
    log = (
        b"&&&& RUNNING TensorRT.trtexec [TensorRT v101600] # trtexec --onnx=net.onnx\n"
        b"[I] Selected Device: NVIDIA H100 PCIe\n[E] Engine set up failed\n"
        b"&&&& FAILED TensorRT.trtexec [TensorRT v101600] # trtexec --onnx=net.onnx\n"
    )
    sources = (Source("log", "x.log", log),)
    page = render_html(analyze(assemble(Capture("e", sources))), sources, STATIC).decode("utf-8")
    titles = set(re.findall(r'<h2 id="([a-z]+)-title">', page))
    assert titles & {"findings", "layers", "roofline", "timing", "build"} == {"findings", "build"}
    assert "to show how stable the measurement was" not in page
    assert "This capture has no layer information" not in page
    # Links to them stay.
    assert [name for name in ("graph", "layers", "timing", "build") if page.count(f'id="{name}"') != 1] == []


@pytest.mark.parametrize(
    ("end", "html", "pdf"),
    [
        ("# trtexec --onnx=net.onnx --fp16", "only the <a", "only the command line known."),
        ("", "Device and build options are unknown", "device and build options unknown."),
    ],
)
def test_a_log_of_which_a_command_is_left_does_not_leave_the_build_unknown(end, html, pdf):
    """What it allows the builder is in the head of the report."""
    log = "[I] Throughput: 10 qps\n[I] GPU Compute Time: min = 9 ms, max = 9 ms, mean = 9 ms, median = 9 ms\n"
    log += f"&&&& PASSED TensorRT.trtexec [TensorRT v8603] {end}\n"
    sources = (Source("log", "x.log", log.encode()),)
    analysis = analyze(assemble(Capture("e", sources)))
    page = render_html(analysis, sources, STATIC).decode("utf-8")
    assert ("Allowed precisions" in page, html in page) == (bool(end), True)
    assert build_sentence(analysis).endswith(pdf)


def test_every_section_of_layers_is_shown_where_there_are_layers():
    assert empty_sections(analyze(read_engine(SAMPLES / "resnet18-int8-before"))) == ()


def test_what_no_measurement_changes_is_drawn_once_for_all_runs_of_an_engine(monkeypatch):
    drawn = []

    def noted(chart, width, *, draw=html.draw_svg, **more):
        drawn.append(chart.chart.key)
        return draw(chart, width, **more)

    monkeypatch.setattr(html, "draw_svg", noted)
    runs = [analysis_of(chain(["a", "b", "c"], ms=ms)) for ms in (0.001, 0.002)]

    def pages(*, each_alone):
        made = []
        for run in runs:
            if each_alone or not made:
                html._prepare_once.cache_clear()
            made.append(render_html(run, (), STATIC))
        return made

    alone = pages(each_alone=True)
    before = drawn.copy()
    drawn.clear()
    assert pages(each_alone=False) == alone
    counts = {key: (before.count(key), drawn.count(key)) for key in before}
    assert {key: now for key, (then, now) in counts.items() if now != then} == {
        key: then // 2 for key, (then, _) in counts.items() if key in html._UNMEASURED
    }
    assert counts["largest-tensors"] == (2, 1)
    assert alone[0] != alone[1]
