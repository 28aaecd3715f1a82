"""Texts of a drawing: names shortened to their room, tooltips in full, everything escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape

from trexreport.analyzer.analysis import NOT_STATED, Analysis, Block, LayerFacts, TensorFacts
from trexreport.numbers import TIMES, counted, format_bytes, format_ms, format_percent, middle_ellipsis
from trexreport.renderer.charts.markup import coordinate
from trexreport.renderer.charts.text import fit
from trexreport.visible import visible

TEXT, SMALL_TEXT = 12.0, 11.0
_TITLE_CHARACTERS = 1000
#: Numbers are written as in charts.
number = coordinate


def svg_document(width: float, height: float, content: str, more: str = "") -> str:
    """Return a whole drawing; `more` are further attributes."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{more} viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}" font-family="system-ui, sans-serif" '
        f'font-size="12">{content}</svg>'
    )


def fitted(text: str, room: float, size: float = TEXT) -> str:
    """Return the text, shortened in its middle to the room in pixels, ready for SVG."""
    return escape(fit(visible(text), room, size))


@lru_cache(maxsize=1024)
def title(*lines: str) -> str:
    """Return an element that shows the lines as a tooltip."""
    text = middle_ellipsis("\n".join(line for line in lines if line), _TITLE_CHARACTERS)
    return f"<title>{escape(visible(text))}</title>"


def short_name(layer: LayerFacts) -> str:
    """Return the operations of a generated kernel, else the name."""
    if layer.operations:
        return " ".join(layer.operations)
    return layer.name


def share(part: LayerFacts | Block) -> str:
    """Return the percentage of the total layer time."""
    return format_percent(None if part.share_percent is None else part.share_percent / 100)


def cost(part: LayerFacts | Block) -> str:
    """Return time and percentage; empty if the time was not measured."""
    time_ms = part.avg_ms if isinstance(part, LayerFacts) else part.time_ms
    return f"{format_ms(time_ms)} · {share(part)}" if time_ms is not None else ""


def precisions(layer: LayerFacts) -> str:
    """Return the precision, and the output precision where the layer changes it."""
    if layer.output_precision in ("", layer.precision):
        return layer.precision
    return f"{layer.precision} → {layer.output_precision}" if layer.precision else layer.output_precision


def changes_precision(layer: LayerFacts) -> bool:
    """Return whether a layer writes another precision than it reads."""
    return bool(layer.precision) and layer.output_precision not in ("", layer.precision)


def stated_origins(analysis: Analysis) -> dict[int, str]:
    """Return why TensorRT inserted each reformat layer, by layer, where the file states a reason."""
    return {
        reformat.layer: reformat.origin
        for reformat in analysis.reformats
        if analysis.layers[reformat.layer].type == "Reformat"
        and reformat.origin not in ("", NOT_STATED, "REFORMAT")
    }


def shape(tensor: TensorFacts) -> str:
    """Return the dimensions of a tensor, as "1×3×224×224"."""
    return TIMES.join("?" if extent < 0 else str(extent) for extent in tensor.dimensions) or "scalar"


def tensor_name(tensor: TensorFacts) -> str:
    """Return the name, with the number of the value where memory of that name is written again."""
    if tensor.version < 2:
        return tensor.name
    ending = {1: "st", 2: "nd", 3: "rd"}.get(tensor.version % 10, "th")
    if tensor.version % 100 in (11, 12, 13):
        ending = "th"
    return f"{tensor.name} ({tensor.version}{ending} value)"


def tensor_lines(tensor: TensorFacts) -> tuple[str, ...]:
    """Return the lines of a tensor's tooltip."""
    return tensor_name(tensor), f"{shape(tensor)} · {tensor.format}", format_bytes(tensor.size_bytes)


def layer_lines(layer: LayerFacts, origin: str, *, in_full: bool) -> tuple[str, ...]:
    """Return the lines of a layer's tooltip.

    Args:
        layer: The layer.
        origin: Why TensorRT inserted a reformat layer, or empty.
        in_full: Include what a page shows in the details of the selected layer.
    """
    lines = (
        layer.name,
        " · ".join(part for part in (layer.type, precisions(layer)) if part),
        f"{format_ms(layer.avg_ms)}, {share(layer)} of layer time" if layer.avg_ms is not None else "",
    )
    if not in_full:
        return lines
    return (
        *lines,
        f"Tactic: {layer.tactic}" if layer.tactic else "",
        f"Inserted for: {origin}" if origin not in ("", NOT_STATED) else "",
        f"Stream {layer.stream}" if layer.stream else "",
    )


def block_names(analysis: Analysis, collapsed: Mapping[int, Sequence[int]]) -> dict[int, str]:
    """Return the name of each collapsed block's box.

    Args:
        analysis: The analysis.
        collapsed: Id of the first block of each box to the ids of all.
    """
    items = analysis.blocks.items
    labels = Counter(items[first].label for first in collapsed)
    names: dict[int, str] = {}
    for first, members in collapsed.items():
        name = items[first].label
        if labels[name] > 1 and items[first].path:
            # Many modules have parts of the same name.
            above = items[items[first].parent or 0].path.rpartition("/")[2]
            name = f"{above}/{name}" if above else name
        names[first] = name
        if len(members) > 1:
            names[first] = f"{len(members)} {TIMES} {name} – {items[members[-1]].label}"
    return names


def count_of_layers(count: int) -> str:
    """Return the number of layers, as "3 layers"."""
    return counted(count, "layer")
