"""The legend of a drawing: exactly the marks that occur in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trexreport.renderer.charts.text import text_width
from trexreport.renderer.graph.svg_text import SMALL_TEXT, fitted, number
from trexreport.renderer.palette import LIGHT, colour

_GAP, _LINE, _WIDEST = 16.0, 20.0, 460.0
_ACCENT, _AXIS = colour("accent"), LIGHT.axis
_BOX = 'x="1" y="-9" width="20" height="12"'
#: Mark to its sample, drawn from 0 to 22 to the right and around the foot of the text.
_SAMPLES = {
    "reformat": f'<rect {_BOX} rx="6" fill="none" stroke="{_AXIS}"/>',
    "turn": f'<rect {_BOX} rx="2" fill="none" stroke="{_AXIS}"/>'
    f'<path d="M19.5 -9v12" stroke="{_AXIS}" stroke-width="3"/>',
    "binding": f'<rect {_BOX} rx="6" fill="#f6f7f9" stroke="{_AXIS}"/>',
    "stub": f'<rect {_BOX} rx="6" fill="#f6f7f9" stroke="{_AXIS}" stroke-dasharray="4 2"/>',
    "constant": f'<rect {_BOX} rx="6" fill="#f6f7f9" stroke="{_AXIS}" stroke-dasharray="1 2"/>',
    "block": f'<rect {_BOX} rx="2" fill="#f6f7f9" stroke="{_AXIS}"/>'
    f'<path d="M4 -1h14" stroke="{_AXIS}" stroke-width="4"/>',
    "odd": f'<rect {_BOX} rx="2" fill="#f6f7f9" stroke="{colour("warning")}" stroke-width="2"/>',
    "focus": f'<rect {_BOX} rx="2" fill="none" stroke="{_ACCENT}" stroke-width="3"/>',
    "back": f'<path d="M0 -3h22" stroke="{_AXIS}" stroke-width="1.5" stroke-dasharray="5 3"/>',
    "sync": f'<path d="M0 -3h22" stroke="{_AXIS}" stroke-width="1.5" stroke-dasharray="1.5 3"/>',
}


@dataclass
class Legend:
    """Collects the marks that a drawing uses; what has no sample is text only."""

    marks: dict[str, str] = field(default_factory=dict)
    precisions: dict[str, None] = field(default_factory=dict)

    def add(self, mark: str, meaning: str) -> None:
        """Note that a mark occurs."""
        self.marks.setdefault(mark, meaning)

    def add_precision(self, name: str) -> None:
        """Note that the colour of a precision occurs on an arrow or in a strip."""
        self.precisions.setdefault(name)

    def draw(self, colours: Mapping[str, str], width: float) -> tuple[str, float]:
        """Return the legend as SVG, its lines at most so wide if they can be, and its height.

        Args:
            colours: Meaning to colour of the layers' marks.
            width: Room in pixels.
        """
        entries = [(_layer_sample(shade), 12.0, text) for text, shade in colours.items()]
        entries += [
            (_tensor_sample(name), 26.0, f"tensor in {name or 'an unknown format'}")
            for name in self.precisions
        ]
        order = ("times", "stream", *_SAMPLES)
        entries += [
            (_SAMPLES.get(mark, ""), 26.0 if mark in _SAMPLES else 0.0, self.marks[mark])
            for mark in order
            if mark in self.marks
        ]
        x, y, parts = 0.0, _LINE * 0.7, []
        for sample, indent, text in entries:
            size = indent + min(text_width(text, SMALL_TEXT), _WIDEST)
            if x and x + size > width:
                x, y = 0.0, y + _LINE
            parts.append(
                f'<g transform="translate({number(x)} {number(y)})">{sample}'
                f'<text x="{number(indent)}">{fitted(text, _WIDEST, SMALL_TEXT)}</text></g>'
            )
            x += size + _GAP
        group = f'<g class="graph-legend" font-size="11" fill="{LIGHT.muted}">'
        return f"{group}{''.join(parts)}</g>", y + _LINE


def _layer_sample(shade: str) -> str:
    return f'<path d="M4 -9v12" stroke="{shade}" stroke-width="6"/>'


def _tensor_sample(precision: str) -> str:
    return f'<path d="M0 -3h22" stroke="{colour(f"precision:{precision}")}" stroke-width="3"/>'
