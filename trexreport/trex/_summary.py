"""Write the summary of an engine plan, as text and as HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any

from trexreport.trex.activations import Activation

_MIB = 1 << 20


def print_sections(sections: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the lines of each section under its title."""
    for title, lines in sections.items():
        print(f"{title}:")
        for key, value in lines.items():
            print(f"\t{key}: {value}")


def html_table(caption: str, facts: Mapping[str, str]) -> str:
    """Return a table for a notebook; every text is escaped."""
    rows = "".join(
        f'<tr><th style="text-align:left">{_escaped(title)}</th>'
        f'<td style="text-align:left">{_escaped(text)}</td></tr>'
        for title, text in facts.items()
    )
    return f"<table><caption>{_escaped(caption)}</caption><tbody>{rows}</tbody></table>"


def mebibytes(size_bytes: int) -> str:
    """Return a size with the unit "MB", which is 2^20 bytes, as in TREx."""
    # Damaged shapes give sizes beyond all floats.
    return f"{size_bytes / _MIB:.1f} MB" if size_bytes < 1 << 80 else "> 2^60 MB"


def binding_lines(tensors: Iterable[Activation]) -> str:
    """Return name, shape and format of each input or output on one line each."""
    return "\n\t\t".join(f"{tensor.name}: {tensor.shape}x{tensor.format}" for tensor in tensors)


def _escaped(text: str) -> str:
    return "<br>".join(html.escape(line) for line in text.replace("\t", "").split("\n"))
