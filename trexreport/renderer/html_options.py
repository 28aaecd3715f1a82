"""What a user can choose about the page of an engine, apart from the page: that imports all that draws it."""

from __future__ import annotations

from trexreport.lazy_dataclass import dataclass


@dataclass(frozen=True)
class HtmlOptions:
    """What to put into the page.

    Attributes:
        interactive_charts: Embed plotly.js; else the charts are static SVG.
        embed_inputs: Carry the input files, so that the report can be given back as an input.
        raw_attributes: Carry all that the file says of each layer, for the panel of a selected one.
        home: Link to the site that the page is a part of; empty of a report alone.
        is_part: The page is put into another one, which has style, script and plotly.js.
    """

    interactive_charts: bool = True
    embed_inputs: bool = True
    shown: frozenset[str] = frozenset()
    raw_attributes: bool = True
    home: str = ""
    is_part: bool = False
