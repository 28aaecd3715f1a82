"""Layers as short documents: those that a query finds, and one in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis, Finding, LayerFacts
from trexreport.errors import UsageError
from trexreport.numbers import MISSING, counted, format_bytes, format_count, format_number, middle_ellipsis
from trexreport.renderer.layer_column import LayerRow
from trexreport.renderer.layer_columns import LAYER_COLUMNS
from trexreport.renderer.layer_query import compile_query
from trexreport.renderer.short_document import document as short
from trexreport.visible import one_line
from trexreport.wording.shares import percent

SORTS = ("time", "index")
_MAX_CANDIDATES, _MAX_NAME_IN_ERROR = 5, 80


def layers_document(analysis: Analysis, query: str, sort: str, max_rows: int) -> short.ShortDocument:
    """Return the layers that a query finds.

    Args:
        analysis: Of the engine.
        query: In the language of the page's filter; empty for all layers.
        sort: "time" for the slowest first, "index" for the order of execution.
        max_rows: How many are listed.

    Raises:
        UsageError: The query or the order is wrong.
    """
    if sort not in SORTS:
        raise UsageError(f"'{middle_ellipsis(sort, 40)}' is not an order.", f"Use {' or '.join(SORTS)}.")
    fits = compile_query(query)
    found = [row for row in layer_rows(analysis) if fits(row)]
    if sort == "time":
        found.sort(key=lambda row: (-(row.layer.avg_ms or 0.0), row.layer.index))
    columns = (
        short.Column("#", format_count),
        short.Column("Layer"),
        short.Column("Type"),
        short.Column("Precision"),
        short.Column("Time (%)", percent, is_summed=True),
        short.Column("Avg. time (ms)", format_number, is_summed=True),
        short.Column("Findings"),
    )
    rows = tuple(
        (
            row.layer.index,
            short.named(row.layer.name),
            row.layer.type,
            row.layer.precision,
            row.layer.share_percent,
            row.layer.avg_ms,
            ", ".join(dict.fromkeys(row.finding_codes)),
        )
        for row in found
    )
    of_all = f"{counted(len(found), 'layer')} of {format_count(len(analysis.layers))}"
    blocks: list[short.Block] = [
        short.Paragraph(f"{of_all} {'fits' if len(found) == 1 else 'fit'} the query.")
    ]
    if rows:
        blocks.append(short.Table(columns, rows, noun="layer", max_shown=max_rows))
    return short.ShortDocument(title=f"Layers of {analysis.identity.name}", blocks=tuple(blocks))


def layer_document(analysis: Analysis, wanted: str) -> short.ShortDocument:
    """Return everything that is known of one layer.

    Args:
        analysis: Of the engine.
        wanted: Its name, a part of it that no other has, or its index.

    Raises:
        UsageError: No layer or several layers are called that.
    """
    layer = _find(analysis, wanted)
    row = layer_rows(analysis)[layer.index]
    texts = {column.key: column.text(row) for column in LAYER_COLUMNS if column.kind != "tensors"}
    headings = {column.key: column.heading for column in LAYER_COLUMNS}
    figures = tuple(
        short.Figure(headings[key], middle_ellipsis(text, short.MAX_MESSAGE))
        for key, text in texts.items()
        if text not in (MISSING, "") and key not in ("name", "findings")
    )
    sections = [_findings(analysis, layer)]
    for title, uses in (("Inputs", layer.inputs), ("Outputs", layer.outputs)):
        entries = tuple(short.Item(_tensor(analysis, use)) for use in uses)
        if entries:
            sections.append(short.Section(title, (short.Items(entries, noun="tensor"),), priority=1))
    return short.ShortDocument(
        title=short.named(layer.name),
        facts=(f"layer {format_count(layer.index)} of {analysis.identity.name}",),
        blocks=(short.Figures(figures),),
        sections=tuple(section for section in sections if section.blocks),
    )


def layer_rows(analysis: Analysis) -> list[LayerRow]:
    """Return the layers with the codes of their findings, in the order of execution."""
    codes: list[list[str]] = [[] for _ in analysis.layers]
    for finding in analysis.lint.findings:
        for index in {index for place in finding.places for index in place.layers}:
            codes[index].append(finding.code)
    return [LayerRow(layer, analysis, codes[layer.index]) for layer in analysis.layers]


def _findings(analysis: Analysis, layer: LayerFacts) -> short.Section:
    found = [each for each in analysis.lint.findings if _is_at(each, layer.index)]
    items = tuple(short.Item(f"{each.code}: {each.message}") for each in found)
    return short.Section("Findings", (short.Items(items, noun="finding"),) if items else (), priority=0)


def _is_at(finding: Finding, index: int) -> bool:
    return any(index in place.layers for place in finding.places)


def _tensor(analysis: Analysis, use: Any) -> str:
    extents = "×".join(map(str, use.dimensions)) or MISSING
    size = MISSING if use.size_bytes is None else format_bytes(use.size_bytes)
    return f"{short.named(analysis.tensors[use.tensor].name)}: {extents}, {use.format or MISSING}, {size}"


def _find(analysis: Analysis, wanted: str) -> LayerFacts:
    layers: Sequence[LayerFacts] = analysis.layers
    if wanted.isascii() and wanted.isdecimal() and len(wanted) < 10 and int(wanted) < len(layers):
        return layers[int(wanted)]
    found = [layer for layer in layers if layer.name == wanted]
    if not found and wanted.strip():
        part = wanted.lower()
        found = [layer for layer in layers if part in layer.name.lower()]
    if len(found) == 1:
        return found[0]
    shown = middle_ellipsis(one_line(wanted), _MAX_NAME_IN_ERROR)
    if not found:
        raise UsageError(f"There is no layer '{shown}'.", "Give its name, a part of it, or its index.")
    several = ", ".join(str(layer.index) for layer in found[:_MAX_CANDIDATES])
    more = f" and {len(found) - _MAX_CANDIDATES} more" if len(found) > _MAX_CANDIDATES else ""
    raise UsageError(f"'{shown}' is in the names of layers {several}{more}.", "Give the index of one.")
