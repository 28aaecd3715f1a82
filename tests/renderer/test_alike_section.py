"""The table of layers alike in the page."""

from __future__ import annotations

import html
import re
from urllib.parse import unquote

from graph_plans import analysis_of, chain

from trexreport.renderer.html import HtmlOptions, render_html
from trexreport.renderer.layer_column import LayerRow
from trexreport.renderer.layer_columns import LAYER_COLUMNS

COLUMN = next(each for each in LAYER_COLUMNS if each.key == "alike")


def blocks(count):
    names = [f"/enc.{at}/{node}" for at in range(count) for node in ("q/MatMul", "act/Erf")]
    return [*names, "/head/Gemm"]


def analysis_of_names(names, types=None):
    layers = [{**layer, "ms": 0.1} for layer in chain(names)]
    for layer, type_ in zip(layers, types or (), strict=False):
        layer["LayerType"] = type_
    return analysis_of(layers)


def panel(analysis):
    page = render_html(analysis, (), HtmlOptions(interactive_charts=False)).decode()
    found = re.search(r'<h3 id="layers-alike">.*?</table>', page, re.DOTALL)
    return found and re.findall(
        r'<td class="name"><a href="(.*?)".*?>(.*?)</a></td><td class="number">(\d+)', found[0]
    )


def test_a_group_leads_to_its_layers_and_one_layer_is_none():
    rows = {
        html.unescape(name): (unquote(link), count)
        for link, name, count in panel(analysis_of_names(blocks(5)))
    }
    assert rows == {
        "/enc.*/q/MatMul": ('#filter=alike:"/enc.*/q/MatMul"', "5"),
        "/enc.*/act/Erf": ('#filter=alike:"/enc.*/act/Erf"', "5"),
    }


def test_the_column_names_what_the_link_filters():
    analysis = analysis_of_names(blocks(5))
    cells = [COLUMN.cell(LayerRow(layer, analysis)) for layer in analysis.layers]
    assert cells == [*(["/enc.*/q/MatMul", "/enc.*/act/Erf"] * 5), ""]


def test_groups_of_one_name_are_distinguished_by_type():
    names = [f"/enc.{at}/mul/Mul" for at in range(8)]
    links = {
        unquote(link)
        for link, *_ in panel(analysis_of_names(names, ["A", "A", "A", "A", "B", "B", "B", "B"]))
    }
    assert links == {f'#filter=alike:"/enc.*/mul/Mul" type:"{type_}"' for type_ in "AB"}


def test_a_network_in_which_nothing_repeats_has_no_such_table():
    assert panel(analysis_of_names(["/a/Conv", "/b/Gemm"])) is None
