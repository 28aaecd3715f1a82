"""The legend of a drawing: the marks that occur in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from trexreport.numbers import TIMES
from trexreport.renderer.charts.text import text_width
from trexreport.renderer.graph.svg_text import SMALL_TEXT, fitted, number
from trexreport.renderer.palette import LIGHT, color, legend_place
from trexreport.visible import visible

_GAP, _LINE, _WIDEST = 16.0, 20.0, 460.0
_ACCENT, _AXIS, _RAISED = color("accent"), LIGHT.axis, LIGHT.raised
_RING = f'<circle cx="17" cy="-3" r="3" fill="none" stroke="{_AXIS}"/>'
_BOX = 'x="1" y="-9" width="20" height="12"'
#: Mark to its meaning.
MEANINGS = {
    "times": f"3 {TIMES}: consecutive blocks of the same structure, shown as one",
    "stream": "s2: stream 2; no mark: stream 0",
    "reformat": "reformat layer; QDQ etc.: why TensorRT inserted it",
    "turn": "changes the precision; the color is the output precision",
    "binding": "I/O tensor",
    "stub": "tensor that continues elsewhere",
    "constant": "constant tensor",
    "block": "block of layers; the bar shows its precisions by time",
    "odd": "block that differs from the other blocks of its kind",
    "focus": "selected by the command",
    "back": "runs against the execution order (a loop)",
    "signal": "tensor of another stream, after a wait for its signal",
    "sync": "waits for a signal of another stream",
    "end": "continues elsewhere",
    "wait": "synchronization with another stream",
    "share": "time (%)",
}
#: Mark to a hint for drawings with tooltips and links, which paper does not have.
_HINTS = {
    "stub": "where: see the tooltip",
    "odd": "how: see the tooltip",
    "end": "click to go there",
    "wait": "click to go to the other end",
}
#: Mark to its sample, drawn from 0 to 22 to the right and around the foot of the text.
_SAMPLES = {
    "reformat": f'<rect {_BOX} rx="6" fill="none" stroke="{_AXIS}"/>',
    "turn": f'<rect {_BOX} rx="2" fill="none" stroke="{_AXIS}"/>'
    f'<path d="M19.5 -9v12" stroke="{_AXIS}" stroke-width="3"/>',
    "binding": f'<rect {_BOX} rx="6" fill="{_RAISED}" stroke="{_AXIS}"/>',
    "stub": f'<rect {_BOX} rx="6" fill="{_RAISED}" stroke="{_AXIS}" stroke-dasharray="4 2"/>',
    "constant": f'<rect {_BOX} rx="6" fill="{_RAISED}" stroke="{_AXIS}" stroke-dasharray="1 2"/>',
    "block": f'<rect {_BOX} rx="2" fill="{_RAISED}" stroke="{_AXIS}"/>'
    f'<path d="M4 -1h14" stroke="{_AXIS}" stroke-width="4"/>',
    "odd": f'<rect {_BOX} rx="2" fill="{_RAISED}" stroke="{color("warning")}" stroke-width="2"/>',
    "focus": f'<rect {_BOX} rx="2" fill="none" stroke="{_ACCENT}" stroke-width="3"/>',
    "back": f'<path d="M0 -3h22" stroke="{_AXIS}" stroke-width="1.5" stroke-dasharray="5 3"/>',
    "signal": f'<path d="M0 -3h16" stroke="{_AXIS}" stroke-width="1.5"/>'
    f'<path d="M22 -3L16 -6V0Z" fill="{LIGHT.page}" stroke="{_AXIS}"/>',
    "sync": f'<path d="M0 -3h22" stroke="{_AXIS}" stroke-width="1.5" stroke-dasharray="1.5 3"/>',
    "end": f'<path d="M0 -3h14" stroke="{_AXIS}" stroke-width="1.5"/>{_RING}',
    "wait": f'<path d="M0 -3h14" stroke="{_AXIS}" stroke-width="1.5" stroke-dasharray="1.5 3"/>{_RING}',
    "share": f'<rect {_BOX} rx="2" fill="none" stroke="{_AXIS}"/>'
    f'<path d="M1 -9h7v12h-7z" fill="{_ACCENT}" fill-opacity="0.3"/>',
}


@dataclass
class Legend:
    """Collects the marks that a drawing uses; what has no sample is text only."""

    on_paper: bool = False
    marks: dict[str, None] = field(default_factory=dict)
    precisions: dict[str, None] = field(default_factory=dict)

    def add(self, mark: str) -> None:
        """Note that a mark of `MEANINGS` occurs."""
        self.marks.setdefault(mark)

    def add_precision(self, name: str) -> None:
        """Note that the color of a precision occurs on an arrow or in a strip."""
        self.precisions.setdefault(name)

    def draw(self, colors: Mapping[str, str], width: float) -> tuple[str, float]:
        """Return the legend as SVG, its lines at most so wide if they can be, and its height.

        Args:
            colors: Meaning to color of the layers' marks.
            width: Room in pixels.
        """
        entries = [(_layer_sample(shade), 12.0, text) for shade, text in by_color(colors)]
        tensors = {
            name or "unknown format": color(f"precision:{name}")
            for name in precisions_in_order(self.precisions)
        }
        entries += [(_tensor_sample(shade), 26.0, f"{text} tensor") for shade, text in by_color(tensors)]
        marks = explained(self.marks, on_paper=self.on_paper)
        entries += [(sample, 26.0 if sample else 0.0, text) for _, sample, text in marks]
        x, y, parts = 0.0, _LINE * 0.7, []
        for sample, indent, text in entries:
            size = indent + min(text_width(visible(text), SMALL_TEXT), _WIDEST)
            if x and x + size > width:
                x, y = 0.0, y + _LINE
            parts.append(
                f'<g transform="translate({number(x)} {number(y)})">{sample}'
                f'<text x="{number(indent)}">{fitted(text, _WIDEST, SMALL_TEXT)}</text></g>'
            )
            x += size + _GAP
        group = f'<g class="graph-legend" font-size="11" fill="{LIGHT.muted}">'
        return f"{group}{''.join(parts)}</g>", y + _LINE


def precisions_in_order(names: Iterable[str]) -> list[str]:
    """Return precisions in the order of legends."""
    return sorted(names, key=lambda name: legend_place(f"precision:{name}"))


def by_color(colors: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return each color once with all it means, as far as that fits into one entry."""
    entries: list[tuple[str, str]] = []
    last: dict[str, int] = {}
    for meaning, shade in colors.items():
        text = f"{entries[last[shade]][1]}, {meaning}" if shade in last else meaning
        if shade in last and text_width(text, SMALL_TEXT) <= _WIDEST / 2:
            entries[last[shade]] = shade, text
        else:
            last[shade] = len(entries)
            entries.append((shade, meaning))
    return entries


def explained(marks: Collection[str], *, on_paper: bool = False) -> list[tuple[str, str, str]]:
    """Return mark, sample (SVG around the foot of a text, 22 pixels wide; empty for a text) and meaning."""
    return [
        (
            mark,
            _SAMPLES.get(mark, ""),
            f"{text}; {_HINTS[mark]}" if mark in _HINTS and not on_paper else text,
        )
        for mark, text in MEANINGS.items()
        if mark in marks
    ]


def _layer_sample(shade: str) -> str:
    return f'<path d="M4 -9v12" stroke="{shade}" stroke-width="6"/>'


def _tensor_sample(shade: str) -> str:
    return f'<path d="M0 -3h22" stroke="{shade}" stroke-width="3"/>'
