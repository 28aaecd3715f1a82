"""What report and JSON show of every engine is what plain arithmetic makes of the files."""

from __future__ import annotations

import itertools
import json
import math
import re

import pytest
from engines_here import WITH_PAGES, folder_of
from raw_engine import RawEngine
from shown_page import Page, shows

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.json_document import render_json, render_summary_json
from trexreport.renderer.short_document.markdown import render_markdown

close = pytest.approx


class Shown:
    """An engine as its files are, and as it is shown."""

    def __init__(self, folder):
        self.raw = RawEngine(folder)
        engine = read_engine(folder)
        analysis = analyze(engine)
        self.page = Page(render_html(analysis, engine.sources, HtmlOptions(interactive_charts=False)))
        self.document = json.loads(render_json(analysis))
        self.summary = json.loads(render_summary_json(analysis))
        self.markdown = render_markdown(engine_summary(analysis)).decode()


@pytest.fixture(params=WITH_PAGES, scope="module")
def shown(request):
    return Shown(folder_of(request.param, request))


def test_the_page_says_how_many_and_how_long(shown):
    raw, figures = shown.raw, shown.page.figures
    assert shows(figures["Total layer time"], raw.sum_ms())
    assert shows(figures["Layers"], sum(layer.counts for layer in raw.layers), least_digits=1)
    assert shows(figures["Throughput"], raw.summary["Throughput"] if raw.summary else None, least_digits=4)
    if raw.summary:
        assert shows(figures["Median latency"], raw.summary["Latency"][3])


def test_the_page_says_how_many_bytes(shown):
    raw, figures = shown.raw, shown.page.figures
    if raw.names_only:
        assert figures["Memory"] == "–"
        return
    unknown = [key for key in raw.activations() if raw.values[key] is None]
    peak = max(raw.live_bytes())
    assert shows(figures["Memory"], peak)
    assert figures["Memory"].startswith("≥") == bool(unknown)
    assert shows(figures["Peak of live tensors"], peak)
    flowing = sum(raw.values[key] or 0 for key in raw.activations())
    assert shows(figures["Activation tensors"], flowing)
    bound = [raw.values[key] for key, role in raw.roles().items() if role in {"input", "output"}]
    if None not in bound and bound:
        assert shows(figures["I/O tensors"], sum(bound))


def test_the_table_of_layers(shown):
    """The rows of the page that needs no script: the slowest layers, with the number of each.

    A column in which no layer has a value is left out.
    """
    raw = shown.raw
    rows = {int(name[1:]): row for name, row in shown.page.rows_of.items() if name.startswith("L")}
    assert rows
    for index, row in rows.items():
        layer = raw.layers[index]
        assert shows(row.get("Avg. time (ms)", "–"), layer.time), (row, layer.time)
        assert shows(row.get("Time (%)", "–"), raw.share(layer.time), least_digits=1), row
        assert shows(row.get("Data moved", "–"), layer.moved_bytes(), least_digits=1), row
        assert row.get("Precision", "–") == (layer.precision or "–")
    slowest = sorted(raw.timed, reverse=True)[: len(rows)]
    times = sorted((raw.layers[index].time or 0 for index in rows), reverse=True)
    assert times[: len(slowest)] == slowest


def test_the_table_of_types_and_precisions(shown):
    expected = shown.raw.groups(lambda layer: (layer.type or "not stated", layer.precision or "not stated"))
    rows = shown.page.table("Type", "Precision", "Layers", "Time (%)")
    assert len(rows) == min(60, len(expected)) or shown.raw.names_only or not shown.raw.timed
    for row in rows:
        count, time = expected[row["Type"], row["Precision"]]
        assert row["Layers"] == str(count)
        assert shows(row["Time (ms)"], time)
        assert shows(row["Time (%)"], shown.raw.share(time), least_digits=1)


def test_the_table_of_reformats_by_origin(shown):
    raw = shown.raw
    expected = raw.groups(lambda layer: layer.origin() if layer.is_reformat() else "none")
    rows = {row["Origin"]: row for row in shown.page.table("Origin", "Layers", "Time (ms)", "Time (%)")}
    rows.pop("Myelin kernel", None)
    assert rows.keys() == expected.keys() - {"none"}
    for origin, row in rows.items():
        count, time = expected[origin]
        assert row["Layers"] == str(count)
        assert shows(row["Time (ms)"], time)
        assert shows(row["Time (%)"], raw.share(time), least_digits=1)


def whole(text):
    """Return a count that is written with separators."""
    return int(re.sub(r"[,\s]", "", text))


def test_the_table_of_work(shown):
    """Rows are identified by their figures: names are shortened."""
    raw = shown.raw
    macs = {
        layer.convolution_macs(): layer
        for layer in raw.layers
        if layer.type in {"Convolution", "Deconvolution", "ConvActPool"}
    }
    rows = shown.page.table("M", "N", "K", "GMAC", "FLOP/byte")
    products = [math.prod(whole(row[key]) for key in "MNK") for row in rows]
    batches = [whole(row.get("Batch", "1")) for row in rows]
    for row, product, batch in zip(rows, products, batches, strict=True):
        assert shows(row["GMAC"], product * batch / 1e9)
    known = [(row, macs[product]) for row, product in zip(rows, products, strict=True) if product in macs]
    assert len(known) >= min(len(macs), 1)
    # Where no two of them have the same work, the rest of the row is known too.
    alone = {
        product
        for product in macs
        if products.count(product) == 1
        and sum(layer.convolution_macs() == product for layer in macs.values()) == 1
    }
    for row, layer in known:
        if layer.convolution_macs() in alone and products.count(layer.convolution_macs()) == 1:
            assert shows(row["FLOP/byte"], 2 * layer.convolution_macs() / layer.moved_bytes())
            assert shows(row.get("Avg. time (ms)", "–"), layer.time)


def test_the_table_of_queries(shown):
    raw = shown.raw
    named = {row["Time (ms)"]: row for row in shown.page.table("Time (ms)", "Median")}
    if not raw.summary:
        assert named.keys() == set()
        return
    for title, label in {"GPU Compute Time": "GPU compute", "Latency": "Latency"}.items():
        found = [row for name, row in named.items() if name.startswith(label)]
        stated = raw.summary[title]
        assert found, (title, named)
        for key, value in zip(("Min", "Max", "Mean", "Median"), stated[:4], strict=True):
            assert shows(found[0][key], value)
        assert shows(found[0]["p99"], stated[-1])


def test_the_table_of_bindings(shown):
    raw = shown.raw
    sizes = {name: size for (name, version), size in raw.values.items() if name in raw.inputs and not version}
    sizes |= {name: raw.values[name, raw.last[name]] for name in raw.outputs}
    rows = {row["Name"]: row for row in shown.page.table("Name", "Mode", "Shape", "Size")}
    assert rows.keys() >= sizes.keys()
    for name, size in sizes.items():
        assert shows(rows[name]["Size"], size, least_digits=1), rows[name]


def test_what_the_script_of_the_page_gets(shown):
    raw, layers = shown.raw, shown.page.layers()
    assert [layer["name"] for layer in layers] == [layer.name for layer in raw.layers]
    for layer, found in zip(raw.layers, layers, strict=True):
        assert found.get("avg_ms") == layer.time
        assert found.get("share_percent") == optional(raw.share(layer.time))
        assert found.get("moved_bytes") == layer.moved_bytes()
        assert found.get("precision", "") == layer.precision
        assert found.get("origins", []) == layer.origins()
        if layer.type in {"Convolution", "Deconvolution", "ConvActPool"}:
            assert found["macs"] == layer.convolution_macs()
            assert found["flops"] == 2 * layer.convolution_macs()
    if raw.timed:
        assert math.fsum(found.get("share_percent", 0) for found in layers) == close(100, rel=1e-4)


def optional(value):
    return None if value is None else close(value, rel=1e-5)


def test_json(shown):
    raw, document = shown.raw, shown.document
    assert [layer["avg_ms"] for layer in document["layers"]] == [layer.time for layer in raw.layers]
    assert [layer["moved_bytes"] for layer in document["layers"]] == [
        layer.moved_bytes() for layer in raw.layers
    ]
    assert shown.summary["layer_count"] == len(raw.layers)
    for each in (document, shown.summary):
        assert each["latency"]["layer_sum_ms"] == raw.sum_ms()
        found = {group["name"]: (group["count"], optional(group["time_ms"])) for group in each["by_type"]}
        assert found == raw.groups(lambda layer: layer.type)
        assert each["memory"]["peak_live_bytes"] == max(raw.live_bytes())


def test_markdown(shown):
    """The summary lists the slowest layers, and the types with what they take."""
    expected = shown.raw.groups(lambda layer: layer.type)
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in shown.markdown.splitlines()]
    rows = {cells[0].strip("`"): cells for cells in lines if len(cells) == 4}
    if shown.raw.names_only and shown.raw.timed:
        # What the names show divides all layers: the groups add up to them.
        ((count, time),) = expected.values()
        first = next(at for at, cells in enumerate(lines) if cells[:1] == ["Operation in the name"]) + 2
        groups = list(itertools.takewhile(bool, lines[first:]))
        assert sum(int(cells[1].replace(",", "")) for cells in groups) == count
        assert sum(float(cells[3]) for cells in groups) == pytest.approx(time, rel=0.01)
        return
    found = [name for name in expected if name in rows]
    assert found or not shown.raw.timed
    for name in found:
        count, time = expected[name]
        assert rows[name][1].replace(",", "") == str(count)
        assert shows(rows[name][2], shown.raw.share(time), least_digits=1)
        assert shows(rows[name][3], time)
